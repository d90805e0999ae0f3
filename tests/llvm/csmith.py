"""Runs random C programs, made by csmith, through psic, and compares their behaviour with clang's.

    csmith.py --psic PSIC --scratch FOLDER --seed N --count N [-j N]

For each seed a program is made, compiled with and without optimisation, imported from both, written back and
interpreted in all forms. A program that runs too long is left out, and so is one whose behaviour is not
defined, which csmith does not rule out for builtins, floating point and packed structures. One with a
function that psic cannot import is not interpreted. The interpreter may run out of fuel, or meet an access to
a packed structure that is not aligned, though it happens to be so when compiled; anything else that stops it
is a failure. What failed stays in FOLDER/SEED.
"""

import argparse
import collections
import concurrent.futures
import pathlib
import shutil
import subprocess
import sys

from pipelines import (FORMS, LEVELS, Broken, behaviour, build, build_bitcode, build_by_way_of_psic,
                       interpret, run)

# One builtin is a machine instruction, which the interpreter does not have.
FLAGS = ["-I/usr/include/csmith", "-D__builtin_ia32_crc32qi(a,b)=((a)*31u+(b))"]
CHECKS = ["-fsanitize=builtin,float-cast-overflow,alignment", "-fsanitize-trap=all"]
NATIVE_SECONDS = 1
FUEL = 100_000_000
# Taken in turn, by seed.
VARIANTS = [
    [],
    ["--float", "--max-funcs", "6"],
    ["--builtins", "--inline-function", "--max-funcs", "6"],
    ["--no-packed-struct", "--no-bitfields", "--max-pointer-depth", "4", "--max-funcs", "4"],
    ["--max-struct-fields", "4", "--max-union-fields", "3", "--max-array-dim", "2", "--max-funcs", "5"],
]


class Tally:
    """The result of one program."""

    def __init__(self):
        self.skipped = None  # why
        self.compiled = 0
        self.interpreted = collections.Counter()  # by what ended it
        self.failures = []


def make_program(seed, path):
    options = VARIANTS[seed % len(VARIANTS)]
    # It leaves a file of its own where it runs.
    code, text, errors = run(["csmith", "--seed", str(seed), *options], folder=path.parent)
    if code != 0:
        raise Broken(f"csmith --seed {seed} {' '.join(options)}: status {code}\n{errors}")
    path.write_text(text)


def native_behaviour(program, folder, tally):
    build(program, folder / "native", [*FLAGS, *LEVELS["O0"], *CHECKS])
    try:
        result = behaviour(folder / "native", NATIVE_SECONDS)
    except subprocess.TimeoutExpired:
        tally.skipped = "too long"
        return None
    if result[0] < 0:
        tally.skipped = "not defined"
    return result


def check_form(psic, source, form, expected, tally):
    stem = source.with_name(f"{source.stem}-{form}")
    remarks = build_by_way_of_psic(psic, source, form, stem)
    result = behaviour(stem)
    tally.compiled += 1
    if result != expected:
        tally.failures.append(f"{stem.name}, compiled: {result} instead of {expected}")
    if remarks:
        tally.interpreted[f"not at all, as a function {remarks[0].rpartition(': ')[2]}"] += 1
        return
    result = interpret(psic, source, form, stem, FUEL)
    if result == expected:
        tally.interpreted["to the end"] += 1
        return
    packed = "#pragma pack" in source.with_name("program.c").read_text()
    for reason, allowed in (("out of fuel", True), ("not aligned", packed)):
        if allowed and isinstance(result, str) and reason in result:
            tally.interpreted[reason] += 1
            return
    tally.interpreted["wrong"] += 1
    tally.failures.append(f"{stem.name}, interpreted: {result} instead of {expected}")


def check(psic, seed, folder, tally):
    program = folder / "program.c"
    make_program(seed, program)
    expected = native_behaviour(program, folder, tally)
    if tally.skipped:
        return
    for level, flags in LEVELS.items():
        source = folder / f"{level}.bc"
        build_bitcode(program, source, [*FLAGS, *flags])
        for form in FORMS:
            check_form(psic, source, form, expected, tally)


def check_seed(psic, seed, scratch):
    folder = scratch / str(seed)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    tally = Tally()
    try:
        check(psic, seed, folder, tally)
    except (Broken, subprocess.TimeoutExpired) as broken:
        tally.failures.append(str(broken))
    if not tally.failures:
        shutil.rmtree(folder)
    return tally


def counted(counter):
    return ", ".join(f"{count} {what}" for what, count in counter.most_common()) or "none"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--psic", required=True)
    parser.add_argument("--scratch", type=pathlib.Path, required=True)
    parser.add_argument("--seed", type=int, default=1, help="of the first program")
    parser.add_argument("--count", type=int, default=10, help="how many programs")
    parser.add_argument("-j", type=int, default=1, help="how many at a time")
    arguments = parser.parse_args()
    if not shutil.which("csmith"):
        raise SystemExit("csmith.py: csmith is not installed (packages csmith and libcsmith-dev)")
    seeds = range(arguments.seed, arguments.seed + arguments.count)
    skipped, interpreted, compiled, failures = collections.Counter(), collections.Counter(), 0, 0
    with concurrent.futures.ThreadPoolExecutor(arguments.j) as pool:
        tallies = pool.map(lambda seed: check_seed(arguments.psic, seed, arguments.scratch), seeds)
        for seed, tally in zip(seeds, tallies):
            if tally.skipped:
                skipped[tally.skipped] += 1
            compiled += tally.compiled
            interpreted += tally.interpreted
            failures += len(tally.failures)
            for failure in tally.failures:
                print(f"seed {seed}: {failure}", flush=True)
    ran = arguments.count - sum(skipped.values())
    print(f"{ran} programs (left out: {counted(skipped)}); {compiled} runs compiled; "
          f"interpreted: {counted(interpreted)}; {failures} failures")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
