// Encodes and decodes a sound (16 bits, mono) in all modes and several qualities, with variable bit rate,
// silence suppression and lost frames; writes what comes out.
#include <speex/speex.h>
#include <speex/speex_stereo.h>
#include <stdio.h>
#include <stdlib.h>

static short sound[1 << 16];

static void roundtrip(int mode, int quality, int variable, size_t samples) {
  void* encoder = speex_encoder_init(speex_lib_get_mode(mode));
  void* decoder = speex_decoder_init(speex_lib_get_mode(mode));
  int on = 1, size = 0, complexity = quality;
  speex_encoder_ctl(encoder, SPEEX_SET_QUALITY, &quality);
  speex_encoder_ctl(encoder, SPEEX_SET_COMPLEXITY, &complexity);
  if (variable) {
    float target = quality;
    speex_encoder_ctl(encoder, SPEEX_SET_VBR, &on);
    speex_encoder_ctl(encoder, SPEEX_SET_VBR_QUALITY, &target);
    speex_encoder_ctl(encoder, SPEEX_SET_DTX, &on);
  }
  speex_decoder_ctl(decoder, SPEEX_SET_ENH, &on);
  speex_encoder_ctl(encoder, SPEEX_GET_FRAME_SIZE, &size);
  SpeexBits bits;
  speex_bits_init(&bits);
  char packet[2000];
  short frame[2000];
  for (size_t at = 0, number = 0; at + size <= samples; at += size, ++number) {
    for (int i = 0; i < size; ++i) frame[i] = sound[at + i];
    speex_bits_reset(&bits);
    speex_encode_int(encoder, frame, &bits);
    int length = speex_bits_write(&bits, packet, sizeof packet);
    fwrite(packet, 1, length, stdout);
    speex_bits_read_from(&bits, packet, length);
    speex_decode_int(decoder, number % 17 == 16 ? NULL : &bits, frame);
    fwrite(frame, sizeof *frame, size, stdout);
  }
  speex_bits_destroy(&bits);
  speex_encoder_destroy(encoder);
  speex_decoder_destroy(decoder);
}

int main(void) {
  size_t samples = fread(sound, sizeof *sound, sizeof sound / sizeof *sound, stdin);
  for (int mode = 0; mode < 3; ++mode) {
    for (int quality = 0; quality <= 10; quality += 2) roundtrip(mode, quality, quality % 4 == 0, samples);
  }
  return 0;
}
