// Characters: wide and Unicode literals, escapes, signedness, a decoder of UTF-8.
#include <stdint.h>
#include <stdio.h>
#include <wchar.h>

static const wchar_t kWide[] = L"w\u00efde \U0001f600";
static const uint16_t kSixteen[] = u"\u20ac\U0001f600";
static const char kUtf8[] = "n\u00e4\u20ac\U0001f600!";

static unsigned decode(const unsigned char** at) {
  unsigned c = *(*at)++;
  int more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : 0;
  if (more) c &= 0x3fu >> more;
  while (more-- > 0) c = c << 6 | (*(*at)++ & 0x3f);
  return c;
}
static int length(const wchar_t* text) {
  const wchar_t* end = text;
  while (*end) end++;
  return (int)(end - text);
}

int main(void) {
  const unsigned char* at = (const unsigned char*)kUtf8;
  while (*at) printf("%x ", decode(&at));
  printf("%zu\n", sizeof kUtf8);
  for (int i = 0; i < length(kWide); i++) printf("%lx ", (unsigned long)kWide[i]);
  printf("%zu %x %x %x\n", sizeof kSixteen, kSixteen[0], kSixteen[1], kSixteen[2]);
  char c = '\xff';
  signed char s = '\200';
  unsigned char u = (unsigned char)c;
  printf("%d %d %d %d %d\n", c, s, u, '\\' + '\'' + '\0', L'\x1234');
  wchar_t buffer[8] = L"abc";
  for (wchar_t* p = buffer; *p; p++) *p = *p == L'b' ? L'\u00df' : *p - 32;
  printf("%d %x %c\n", buffer[0], (unsigned)buffer[1], (char)buffer[2]);
  return 0;
}
