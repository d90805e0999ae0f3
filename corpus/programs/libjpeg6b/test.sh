# A picture into JPEG and back in the ways that the package knows.
for way in "-quality 75" "-quality 20 -smooth 20" "-quality 95 -sample 1x1" "-dct float" "-dct fast" "-progressive" \
    "-grayscale -optimize" "-restart 2" "-targa"; do
  case $way in
    -targa) djpeg -targa first.jpg > in.tga; cjpeg -targa in.tga > picture.jpg ;;
    *) cjpeg $way "$INPUTS/picture.ppm" > picture.jpg ;;
  esac
  [ -f first.jpg ] || cp picture.jpg first.jpg
  echo "$way"
  cksum < picture.jpg
  for back in "-pnm" "-bmp" "-gif" "-targa" "-colors 16" "-colors 100 -dither none" "-onepass -dither ordered -colors 60" \
      "-scale 1/2" "-scale 1/4" "-scale 1/8" "-dct float" "-dct fast -nosmooth" "-grayscale" "-map in.map"; do
    [ -f in.map ] || djpeg -colors 8 -gif first.jpg > in.map
    echo "$back $(djpeg $back picture.jpg | cksum)"
  done
done
for way in "-rotate 90" "-flip horizontal" "-transpose" "-progressive" "-grayscale"; do
  echo "$way $(jpegtran $way first.jpg | cksum)"
done
wrjpgcom -comment "made for a test" first.jpg > comment.jpg
rdjpgcom -verbose comment.jpg
head -c 2000 first.jpg > broken.jpg
djpeg broken.jpg > broken.ppm || echo "status $?"
