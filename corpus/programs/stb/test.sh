# Pictures of the package and of ours, read, resized, written in each format and read again; and the smaller libraries.
for picture in "$INPUTS/picture.ppm" "$SOURCES"/data/*.png; do
  pictures "$picture"
done
pictures "$INPUTS/noise" || echo "status $?"
small
