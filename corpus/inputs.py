"""Input files for the programs, the same on every computer: text, noise, a picture, sounds."""

import struct

from corpus.tools import replacing


def numbers(seed):
    """A linear congruential generator (Knuth's MMIX); the upper bits are the good ones."""
    state = seed
    while True:
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        yield state >> 33


def text(size):
    random = numbers(1)
    words = ["".join(chr(97 + next(random) % 26) for _ in range(1 + next(random) % 9)) for _ in range(500)]
    lines = []
    while sum(map(len, lines)) < size:
        lines.append(" ".join(words[next(random) % (1 + next(random) % 500)] for _ in range(12)) + "\n")
    return "".join(lines).encode()


def noise(size):
    random = numbers(2)
    return bytes(next(random) & 255 for _ in range(size))


def picture(width, height):
    """A PPM: gradients, an edge and some noise."""
    random = numbers(3)
    pixels = bytearray()
    for y in range(height):
        for x in range(width):
            edge = 90 if (x - width // 2) ** 2 + (y - height // 2) ** 2 < 1500 else 0
            colour = (x % 240, y * 2 % 240, edge + (x + y) // 4)
            pixels += bytes(min(255, value + next(random) % 16) for value in colour)
    return b"P6\n%d %d\n255\n" % (width, height) + pixels


def sound(samples):
    """16 bits, mono: triangles that rise in pitch and change in loudness, and some noise."""
    random = numbers(4)
    values = []
    phase = 0
    for i in range(samples):
        phase = (phase + 400 + i // 8) % 65536
        loudness = 4000 + abs((i * 3) % 12000 - 6000)
        values.append((abs(phase - 32768) - 16384) * loudness // 16384 + next(random) % 400 - 200)
    return struct.pack(f"<{samples}h", *values)


def frames(number):
    """MPEG audio: right headers of layers I, II and III (44.1 kHz, stereo), each followed by noise."""
    random = numbers(5)
    layers = [(0xFFFF40, 136), (0xFFFD80, 417), (0xFFFB90, 417)]
    result = bytearray()
    for i in range(number):
        header, size = layers[i * 3 // number]
        result += header.to_bytes(3, "big") + bytes(next(random) & 255 for _ in range(size - 3))
    return bytes(result)


def write(folder):
    files = {"text": text(300_000), "noise": noise(100_000), "zeros": bytes(200_000), "empty": b"",
             "picture.ppm": picture(203, 151), "sound.raw": sound(40_000), "frames.mpeg": frames(300)}
    for name, contents in files.items():
        with replacing(folder / name) as partial:
            partial.write_bytes(contents)
