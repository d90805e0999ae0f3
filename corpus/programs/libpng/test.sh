# The package's test reads a picture, writes it and compares; over all of its pictures.
pngtest -v "$SOURCES/pngtest.png" pngtest.out.png
pngtest -m "$SOURCES"/contrib/testpngs/*.png "$SOURCES"/contrib/pngsuite/*.png
for picture in "$SOURCES"/contrib/testpngs/*.png "$SOURCES"/contrib/pngsuite/*.png; do
  transform "$picture" "$(basename "$picture").out"
done
