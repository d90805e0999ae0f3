# All applications, bandwidths and frame sizes of the package's demo, with lost packets.
sound=$INPUTS/sound.raw
opus_demo voip 16000 1 12000 -complexity 10 "$sound" voip
opus_demo voip 8000 1 6000 -complexity 2 -dtx -inbandfec -loss 10 "$sound" narrow
opus_demo audio 48000 2 64000 -complexity 8 -framesize 60 "$sound" audio
opus_demo audio 48000 1 32000 -cbr -framesize 10 "$sound" constant
opus_demo audio 24000 2 96000 -cvbr -forcemono "$sound" mono
opus_demo restricted-lowdelay 48000 2 128000 -framesize 2.5 "$sound" low
opus_demo -e audio 48000 1 40000 "$sound" bits
opus_demo -d 16000 2 bits decoded
