"""Compiles the C programs in programs/ with clang, and through psic in several ways, and compares what they do.

    run_programs.py --psic PSIC --scratch FOLDER

Each program is run: as clang compiles it; imported and written back as it is; with its variables as registers; with
these taken into SSA form; and by the interpreter, in the same three forms. Output and exit status must be the same.
"""

import argparse
import pathlib
import subprocess
import sys

FORMS = {"ssa": ["--import=ssa"], "plain": ["--import=plain"], "construct": ["--import=plain", "--passes=construct"]}


def run(command):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)
    return result.returncode, result.stdout, result.stderr


def must(command):
    code, output, errors = run(command)
    if code != 0 or "remark" in errors:
        raise SystemExit(f"{' '.join(command)}: status {code}\n{output}{errors}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--psic", required=True)
    parser.add_argument("--scratch", required=True)
    arguments = parser.parse_args()
    scratch = pathlib.Path(arguments.scratch)
    scratch.mkdir(parents=True, exist_ok=True)
    failures = runs = 0
    for program in sorted((pathlib.Path(__file__).parent / "programs").glob("*.c")):
        native = scratch / program.stem
        must(["clang-19", "-w", "-O0", str(program), "-o", str(native)])
        expected = run([str(native)])[:2]
        for form, options in FORMS.items():
            bitcode, text = f"{native}-{form}.bc", f"{native}-{form}.psi"
            must([arguments.psic, "opt", str(program), *options, "--export-all", "-o", bitcode])
            must(["clang-19", "-w", "-O1", bitcode, "-o", f"{native}-{form}"])
            must([arguments.psic, "opt", str(program), *options, "-o", text])
            # The interpreter prints what main returns as a last line.
            code, output, errors = run([arguments.psic, "run", text])
            interpreted = (int(output.splitlines()[-1]), output[: output.rstrip("\n").rfind("\n") + 1]) if code == 0 else errors
            for how, result in (("compiled", run([f"{native}-{form}"])[:2]), ("interpreted", interpreted)):
                runs += 1
                if result != expected:
                    failures += 1
                    print(f"{program.name}, {form}, {how}: {result} instead of {expected}")
    print(f"{runs} runs, {failures} failures")
    sys.exit(failures > 0)


main()
