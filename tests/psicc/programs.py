"""C programs must behave the same whether clang or psicc compiles them.

    programs.py --psicc PSICC --scratch FOLDER [--seed N --count N] [-j N] [PROGRAM...]

These are the programs of tests/llvm and the loops of examples/kernels, or those named; then `count` random ones
that csmith makes. A random program that runs too long, or whose behaviour is not defined, is left out. What
failed stays in FOLDER.
"""

import argparse
import concurrent.futures
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests/llvm"))

import csmith  # noqa: E402
from pipelines import Broken, behaviour, run  # noqa: E402

CONVERT = "if-convert(target=x86-64,mode=all)"
WAYS = {
    "cost": ["-O2"],
    "all": ["-O2", "-fpsi-mode=all"],
    "hyperblocks": ["-O1", "-g", "-fpsi-passes=if-convert(target=x86-64,mode=all,regions=hyperblocks,duplicate=16)"],
    "early": ["-O3", "-g", "-fpsi-mode=all", "-fpsi-at=early", "-fpsi-unpredictable"],
    "O2": ["-O2", f"-fpsi-passes=O2,{CONVERT},O2,destruct"],
    "profile": ["-O2"],  # measured first
}
# For the others, of which there are many.
FEWER = ["all", "early", "O2", "profile"]
LINK = ["-lm"]


def compile_with(command, source, target):
    code, _, errors = run([*map(str, command), "-w", str(source), "-o", str(target), *LINK])
    if code != 0 or errors:
        raise Broken(f"{' '.join(map(str, command))} {source}: status {code}\n{errors}")


def compare(psicc, source, folder, flags, expected, ways):
    """The failure of psicc on a program."""
    wrong = []
    for way in ways:
        target = folder / f"{source.stem}-{way}"
        command = [psicc, *WAYS[way], *flags]
        if way == "profile":
            profile = folder / f"{source.stem}-measured"
            shutil.rmtree(profile, ignore_errors=True)
            compile_with([*command, f"-fpsi-profile-generate={profile}"], source, target)
            wrong += differences(target, expected, f"{source}, measuring")
            command.append(f"-fpsi-profile-use={profile}")
        compile_with(command, source, target)
        wrong += differences(target, expected, f"{source}, {way}")
    return wrong


def differences(program, expected, what):
    result = behaviour(program)
    return [f"{what}: {result} instead of {expected}"] if result != expected else []


def check_program(psicc, source, scratch):
    reference = scratch / source.stem
    compile_with(["clang-19", "-O1"], source, reference)
    return compare(psicc, source, scratch, [], behaviour(reference), WAYS)


def check_kernel(psicc, source, scratch):
    program = scratch / f"kernel_{source.stem}.c"
    program.write_text(f'#include <stdio.h>\n#include "{source}"\nint main(void) {{\n'
                       '  for (unsigned seed = 1; seed < 40; seed++) printf("%u\\n", drive(seed));\n}\n')
    reference = scratch / program.stem
    compile_with(["clang-19", "-O1"], program, reference)
    return compare(psicc, program, scratch, [], behaviour(reference), FEWER)


def check_random(psicc, seed, scratch):
    """Nothing if the program is left out."""
    folder = scratch / f"csmith-{seed}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    program = folder / "program.c"
    csmith.make_program(seed, program)
    tally = csmith.Tally()
    expected = csmith.native_behaviour(program, folder, tally)
    wrong = None if tally.skipped else compare(psicc, program, folder, csmith.FLAGS, expected, FEWER)
    if not wrong:
        shutil.rmtree(folder)
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--psicc", type=pathlib.Path, required=True)
    parser.add_argument("--scratch", type=pathlib.Path, required=True)
    parser.add_argument("--seed", type=int, default=1, help="of the first random program")
    parser.add_argument("--count", type=int, default=0, help="how many random programs")
    parser.add_argument("-j", type=int, default=1, help="how many at a time")
    parser.add_argument("programs", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.scratch.mkdir(parents=True, exist_ok=True)
    programs = arguments.programs or sorted((ROOT / "tests/llvm/programs").glob("*.c"))
    seeds = list(range(arguments.seed, arguments.seed + arguments.count))
    kernels = [] if arguments.programs else sorted((ROOT / "examples/kernels").glob("*.c"))
    work = [*((check_program, program) for program in programs), *((check_kernel, kernel) for kernel in kernels),
            *((check_random, seed) for seed in seeds)]

    def attempt(item):
        check, what = item
        try:
            return check(arguments.psicc.resolve(), what, arguments.scratch.resolve())
        except (Broken, subprocess.TimeoutExpired) as broken:
            return [f"{what}: {broken}"]

    failures = left_out = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.j) as pool:
        for wrong in pool.map(attempt, work):
            left_out += wrong is None
            failures += len(wrong or [])
            for line in wrong or []:
                print(line, flush=True)
    print(f"{len(work)} programs, {left_out} left out, {failures} failures")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
