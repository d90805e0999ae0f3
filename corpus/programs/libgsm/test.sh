# Encoding and decoding, in each format of samples.
for format in l u a; do
  toast -$format -c < "$INPUTS/sound.raw" > sound.$format.gsm
  toast -d -$format -c < sound.$format.gsm > sound.$format
done
toast -F -l -c < "$INPUTS/sound.raw" > fast.gsm
head -c 1000 sound.l.gsm | toast -d -l -c > short || echo "status $?"
