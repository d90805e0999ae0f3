# Files of our own through every block size, and the samples of the package both ways.
for file in text noise zeros empty; do
  for level in 1 5 9; do
    bzip2 -$level -c "$INPUTS/$file" > "$file.$level.bz2"
    bzip2 -t "$file.$level.bz2"
    bzip2 -d -s -c "$file.$level.bz2" | cmp - "$INPUTS/$file"
  done
done
for sample in 1 2 3; do
  bzip2 -d -c "$SOURCES/sample$sample.bz2" > "sample$sample"
  cmp "sample$sample" "$SOURCES/sample$sample.ref"
  bzip2 -v -v -$sample -k "sample$sample"
done
bzip2recover text.1.bz2
head -c 5000 text.9.bz2 > broken.bz2
bzip2 -t broken.bz2 || echo "status $?"
bzip2 --help
