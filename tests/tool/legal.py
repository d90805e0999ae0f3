#!/usr/bin/env python3
"""Code for each target: what destruct leaves of an if-converted kernel, `psic check --target` accepts.

    tests/tool/legal.py --psic PSIC --scratch FOLDER [KERNEL...]

The kernels of examples/kernels (all, if none is named) are if-converted without regard to cost, for the target that
they are compiled for and for one that guards everything. psic must find something to complain of in most of them before
they are lowered for the target, and nothing afterwards, and the program must compute the same.
"""

import argparse
import pathlib
import shutil
import subprocess
import sys

KERNELS = pathlib.Path(__file__).resolve().parent.parent.parent / "examples" / "kernels"


class Test:
    def __init__(self, psic, scratch):
        self.psic, self.scratch = psic, scratch
        self.failures = self.programs = self.illegal = 0

    def run(self, *arguments):
        return subprocess.run([self.psic, *map(str, arguments)], capture_output=True, text=True, timeout=300, check=False)

    def checksum(self, program):
        return self.run("run", program, "--func", "drive", "--", "1").stdout

    def fail(self, what):
        self.failures += 1
        print(f"failed: {what}")

    def try_on(self, kernel, printed, target, converted_for):
        convert = f"construct,O2,if-convert(target={converted_for},mode=all,regions=hyperblocks),O1"
        before, after = self.scratch / "before.psi", self.scratch / "after.psi"
        for passes, file in ((f"{convert},destruct", before), (f"{convert},destruct(target={target})", after)):
            made = self.run("opt", f"--passes={passes}", kernel, "-o", file)
            if made.returncode != 0:
                return self.fail(f"{passes} on {kernel.name}: {made.stderr}")
        self.programs += 1
        self.illegal += self.run("check", f"--target={target}", before).returncode == 1
        checked = self.run("check", f"--target={target}", after)
        if checked.returncode != 0:
            self.fail(f"{kernel.name}, converted for {converted_for}: {target} cannot execute it:\n{checked.stderr[:500]}")
        if self.checksum(after) != printed:
            self.fail(f"{kernel.name}, converted for {converted_for}, computes something else on {target}")
        return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--psic", required=True, type=pathlib.Path)
    parser.add_argument("--scratch", required=True, type=pathlib.Path)
    parser.add_argument("kernels", nargs="*")
    options = parser.parse_args()
    test = Test(options.psic.resolve(), options.scratch.resolve())
    shutil.rmtree(test.scratch, ignore_errors=True)
    test.scratch.mkdir(parents=True)
    targets = [line.split()[0] for line in test.run("targets").stdout.splitlines()]
    for kernel in [KERNELS / f"{name}.psi" for name in options.kernels] or sorted(KERNELS.glob("*.psi")):
        printed = test.checksum(kernel)
        if not printed:
            test.fail(f"{kernel.name} does not run")
        for target in targets:
            test.try_on(kernel, printed, target, target)
            test.try_on(kernel, printed, target, "playdoh")
    if test.illegal < test.programs // 2:
        test.fail(f"only {test.illegal} of {test.programs} were illegal before")
    print(f"{test.programs} programs, {test.illegal} of them illegal before, {test.failures} failures")
    return 1 if test.failures else 0


if __name__ == "__main__":
    sys.exit(main())
