# Every level and back, lists, members one after another, and files that are wrong.
for file in text noise zeros empty; do
  for level in 1 4 6 9; do
    gzip -n -$level -c "$INPUTS/$file" > "$file.$level.gz"
    gzip -t "$file.$level.gz"
    gzip -d -c "$file.$level.gz" | cmp - "$INPUTS/$file"
  done
done
gzip -l ./*.6.gz
cat text.1.gz zeros.9.gz > two.gz
gzip -dc two.gz > two
cp "$INPUTS/text" rsync
gzip -n --rsyncable -v rsync
head -c 5000 text.9.gz > broken.gz
gzip -t broken.gz || echo "status $?"
gzip -dc "$SOURCES/tests/hufts-segv.gz" || echo "status $?"
echo 'not compressed' > plain.gz
gzip -dc plain.gz || echo "status $?"
gzip -fdc < plain.gz
gzip --help
