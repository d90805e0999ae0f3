"""Compiles the C programs in programs/ with clang and through psic, and compares their behaviour.

    run_programs.py --psic PSIC --scratch FOLDER [PROGRAM...]

Each program is run: as clang compiles it; imported and written back as it is; with its variables as
registers; with these taken into SSA form; once more as it is after clang has optimised it; and by the
interpreter, in the same forms. Output and exit status must be the same. A program with a line `// Compiled
only: REASON` is not interpreted, and may have functions that psic cannot import.
"""

import argparse
import pathlib
import sys

from pipelines import FORMS, LEVELS, Broken, behaviour, build, build_bitcode, build_by_way_of_psic, interpret


def check(psic, program, scratch):
    """Runs, and what was wrong with them."""
    native = scratch / program.stem
    build(program, native, LEVELS["O0"])
    expected = behaviour(native)
    optimised = scratch / f"{program.stem}.bc"
    build_bitcode(program, optimised, LEVELS["O2"])
    interpreted = "\n// Compiled only: " not in program.read_text()
    runs, wrong = 0, []
    for source, forms in ((program, FORMS), (optimised, ["ssa"])):
        for form in forms:
            stem = f"{native}-{form}{source.suffix}"
            remarks = build_by_way_of_psic(psic, source, form, stem)
            if interpreted:
                wrong += remarks
            results = {"compiled": behaviour(stem)}
            if interpreted:
                results["interpreted"] = interpret(psic, source, form, stem)
            for how, result in results.items():
                runs += 1
                if result != expected:
                    wrong.append(f"{source.name}, {form}, {how}: {result} instead of {expected}")
    return runs, wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--psic", required=True)
    parser.add_argument("--scratch", type=pathlib.Path, required=True)
    parser.add_argument("programs", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.scratch.mkdir(parents=True, exist_ok=True)
    failures = runs = 0
    for program in arguments.programs or sorted((pathlib.Path(__file__).parent / "programs").glob("*.c")):
        try:
            count, wrong = check(arguments.psic, program, arguments.scratch)
        except Broken as broken:
            count, wrong = 0, [str(broken)]
        runs += count
        failures += len(wrong)
        for line in wrong:
            print(line)
    print(f"{runs} runs, {failures} failures")
    sys.exit(failures > 0)


main()
