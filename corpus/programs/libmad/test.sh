# Frames of noise: right headers, and wrong contents that the decoder complains about.
minimad < "$INPUTS/frames.mpeg" > sound
