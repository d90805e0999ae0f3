# The package's tests encode and decode a sound (and may return 1 when all is well), and a program of ours does so in more ways.
for program in testenc testenc_wb testenc_uwb; do
  $program "$INPUTS/sound.raw" $program.decoded $program.bits || echo "status $?"
done
roundtrip < "$INPUTS/sound.raw" > roundtrip.decoded
