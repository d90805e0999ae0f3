# The package's test sound, decoded in several ways and formats.
sound=$SOURCES/src/tests/sweep.mp3
mpg123 -q -s "$sound" > stereo
mpg123 -q -m -s "$sound" > mono
mpg123 -q -e f32 -s "$sound" > float
mpg123 -q -e s32 -r 22050 -s "$sound" > rate
mpg123 -q -e u8 -2 -s "$sound" > half
mpg123 -q --resample NtoM -r 30000 -s "$sound" > ntom
mpg123 -q --pitch 0.1 -s "$sound" > pitch
mpg123 -q -k 20 -n 50 --equalizer "$SOURCES/equalize.dat" -s "$sound" > part
mpg123 -t -v "$sound" 2>&1 | grep -v -i 'time\|version\|dir'
mpg123 -q -w sweep.wav "$sound"
mpg123-strip < "$sound" > stripped.mp3
mpg123-id3dump "$sound"
head -c 6000 "$sound" > broken.mp3
mpg123 -q -s broken.mp3 > broken || echo "status $?"
