# The package's own tests, and files of our own.
example out.gz
infcover
for file in text noise zeros empty; do
  for level in 1 6 9; do
    minigzip -$level < "$INPUTS/$file" > "$file.$level.gz"
    minigzip -d < "$file.$level.gz" | cmp - "$INPUTS/$file"
  done
  minigzip -h < "$INPUTS/$file" > "$file.huffman.gz"
  minigzip -r < "$INPUTS/$file" > "$file.runs.gz"
  minigzip -f < "$INPUTS/$file" > "$file.filtered.gz"
done
