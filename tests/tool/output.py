#!/usr/bin/env python3
"""What psic writes arrives, or psic says that it did not; what ends psic leaves nothing behind.

    tests/tool/output.py --psic PSIC --scratch FOLDER

Every command writes to a full device, to a closed stream, and its messages to a full device. Long commands are
interrupted: they say how far they came, end by the signal, and leave no temporary files.
"""

import argparse
import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parent.parent / "examples"
SECONDS = 30

GCD = str(EXAMPLES / "gcd.psi")
CLAMP = str(EXAMPLES / "clamp.psi")

# Commands that write to standard output.
WRITERS = [
    ["--help"], ["--version"], ["opt", "--help"], ["check", "--stats", GCD], ["print", GCD], ["print", "--cfg", GCD],
    ["phis", GCD], ["predicates", CLAMP, "--func", "clamp_ssa"], ["liveness", GCD], ["predicated-ssa", GCD],
    ["opt", "-O2", GCD], ["run", GCD, "12", "18"], ["gen", "--size=20"], ["fuzz", "--count=2"],
    ["reduce", GCD, "--test=grep -q urem"], ["grade", "--no-optimum", GCD], ["passes"], ["passes", "--json"], ["targets"],
    ["targets", "st200"], ["completion", "bash"],
]
# Commands that write to files.
FILE_WRITERS = [
    ["print", GCD, "-o"], ["phis", GCD, "-o"], ["predicates", GCD, "-o"], ["liveness", GCD, "-o"], ["gen", "-o"],
    ["predicated-ssa", str(EXAMPLES / "join.psi"), "-o"], ["opt", "-O2", GCD, "-o"], ["grade", "--no-optimum", GCD, "-o"],
    ["run", GCD, "12", "18", "--profile-out"], ["reduce", GCD, "--test=grep -q urem", "-o"],
]
# And to standard error.
TALKERS = [
    ["opt", "--passes=construct,gvn", "--stats", "-o", "out.psi", GCD],
    ["opt", "--passes=construct,gvn", "--time", "-o", "out.psi", GCD],
    ["run", "--stats", GCD, "12", "18"],
]
ENDLESS = "func $f() {\n@a:\n  br @b\n@b:\n  br @b\n}\n"


class Test:
    def __init__(self, psic, scratch):
        self.psic = str(psic)
        self.scratch = scratch
        self.failures = 0

    def expect(self, condition, what):
        if not condition:
            self.failures += 1
            print(f"failed: {what}")

    def empty(self):
        shutil.rmtree(self.scratch, ignore_errors=True)
        self.scratch.mkdir(parents=True)

    def run(self, arguments, **streams):
        return subprocess.run([self.psic, *arguments], cwd=self.scratch, stdin=subprocess.DEVNULL, timeout=SECONDS,
                              check=False, **streams)

    def lost_output(self):
        for arguments in WRITERS:
            name = " ".join(arguments)
            with open("/dev/full", "wb") as full:
                run = self.run(arguments, stdout=full, stderr=subprocess.PIPE)
            self.expect(run.returncode == 1, f"{name} > /dev/full: exit status {run.returncode}, not 1")
            self.expect(b"cannot write to standard output: No space left on device" in run.stderr,
                        f"{name} > /dev/full says {run.stderr!r}")
            run = subprocess.run(["bash", "-c", '"$@" >&-', "bash", self.psic, *arguments], cwd=self.scratch,
                                 stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=SECONDS, check=False)
            self.expect(run.returncode == 1 and b"cannot write to standard output" in run.stderr,
                        f"{name} >&-: exit status {run.returncode}, {run.stderr!r}")
        for arguments in FILE_WRITERS:
            run = self.run([*arguments, "/dev/full"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            self.expect(run.returncode == 1 and b"cannot write '/dev/full': No space left on device" in run.stderr,
                        f"{' '.join(arguments)} /dev/full: exit status {run.returncode}, {run.stderr!r}")
        for arguments in TALKERS:
            with open("/dev/full", "wb") as full:
                run = self.run(arguments, stdout=subprocess.DEVNULL, stderr=full)
            self.expect(run.returncode == 1, f"{' '.join(arguments)} 2> /dev/full: exit status {run.returncode}")

    def endless_output(self):
        """A program that prints for ever ends when nobody can take what it prints."""
        text = ('const $s = "x\\00"\nextern func $puts(ptr) -> i32\n'
                "func $f() {\n@a:\n  br @b\n@b:\n  %x = call.i32 $puts($s)\n  br @b\n}\n")
        (self.scratch / "prints.psi").write_text(text)
        with open("/dev/full", "wb") as full:
            run = self.run(["run", "prints.psi"], stdout=full, stderr=subprocess.PIPE)
        self.expect(run.returncode == 1, f"endless output > /dev/full: exit status {run.returncode}, {run.stderr!r}")

    def interrupted(self, arguments, how, ready=None, files=None):
        """Sends a signal after a second, or as soon as `ready()`; the exit status and what was said."""
        self.empty()
        for name, contents in (files or {}).items():
            (self.scratch / name).write_text(contents)
        environment = {**os.environ, "TMPDIR": str(self.scratch)}
        process = subprocess.Popen([self.psic, *arguments], cwd=self.scratch, stdin=subprocess.DEVNULL, env=environment,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + (10 if ready else 1)
        while time.monotonic() < deadline and process.poll() is None and not (ready and ready()):
            time.sleep(0.001)
        process.send_signal(how)
        try:
            out, said = process.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            self.expect(False, f"{' '.join(arguments)} does not end by {how.name}")
            return None, "", ""
        return process.returncode, out, said

    def left(self):
        return sorted(path.name for path in self.scratch.iterdir())

    def signals(self):
        for how in (signal.SIGINT, signal.SIGTERM):
            word = "interrupted" if how == signal.SIGINT else "terminated"
            status, out, said = self.interrupted(["fuzz", "--count=1000000000", "--passes=construct,gvn"], how)
            self.expect(status == -how, f"fuzz ends with {status} by {how.name}")
            self.expect(" programs, " in out and " 0 failures" in out, f"fuzz by {how.name} prints {out!r}")
            self.expect(word in said, f"fuzz by {how.name} says {said!r}")

            status, out, said = self.interrupted(["run", "--fuel=9000000000000", "endless.psi"], how,
                                                 files={"endless.psi": ENDLESS})
            self.expect(status == -how, f"run ends with {status} by {how.name}")
            self.expect(f"{word} after " in said, f"run by {how.name} says {said!r}")

            program = pathlib.Path(GCD).read_text()
            status, out, said = self.interrupted(["reduce", "gcd.psi", "--test=sleep 0.4; grep -q urem", "-o", "small.psi"], how,
                                                 files={"gcd.psi": program})
            self.expect(status == -how, f"reduce ends with {status} by {how.name}")
            self.expect(f"({word})" in said, f"reduce by {how.name} says {said!r}")
            self.expect(self.left() == ["gcd.psi", "small.psi"], f"reduce by {how.name} leaves {self.left()}")

            # Caught in the middle of writing, or just before or after it.
            self.interrupted(["gen", "--size=500000", "-o", "big.psi"], how, ready=lambda: any(self.scratch.iterdir()))
            self.expect(self.left() in ([], ["big.psi"]), f"gen by {how.name} leaves {self.left()}")

    def on_terminal(self, *arguments):
        """What psic shows on a terminal, line by line; what it prints elsewhere."""
        self.empty()
        ours, theirs = pty.openpty()
        process = subprocess.Popen([self.psic, *arguments], cwd=self.scratch, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=theirs, text=True)
        os.close(theirs)
        shown = b""
        while True:
            try:
                part = os.read(ours, 1 << 16)
            except OSError:
                break
            if not part:
                break
            shown += part
        os.close(ours)
        printed, _ = process.communicate(timeout=SECONDS)
        self.expect(process.returncode == 0, f"{' '.join(arguments)} on a terminal ends with {process.returncode}")
        lines = shown.decode().split("\r\x1b[K")
        self.expect(max(map(len, lines)) < 80, "a bar longer than the line")
        return lines, printed

    def progress(self):
        """On a terminal the bar has a rate and the remaining time, and fits the line."""
        lines, _ = self.on_terminal("fuzz", "--count=1000000", "--passes=construct,destruct", "--seconds=2")
        left = [re.search(r"/1000000 programs, \d+/s, (\d) s left", line) for line in lines]
        self.expect(any(left), f"fuzz on a terminal shows {lines[-3:]}")
        self.expect(all(int(match.group(1)) < 3 for match in left if match), f"not the time that is left: {lines}")
        # Time alone: as many programs as it allows.
        lines, printed = self.on_terminal("fuzz", "--size=5", "--seconds=2")
        self.expect(any(re.search(r"#+\.*\] \d+ programs, \d+/s, [12] s left", line) for line in lines),
                    f"fuzz on a terminal shows {lines[-3:]}")
        self.expect(int(printed.split()[0]) > 1000, f"in two seconds: {printed}")

    def compilation(self):
        """The compiler waits for its input; neither it nor its output stays."""
        if not (pathlib.Path(self.psic).parent / "psicc").exists():
            return  # built with sanitizers, psic compiles no C
        self.empty()
        (self.scratch / "kernel.c").write_text("int f(int a) { return a > 0 ? a : 3; }\n")
        environment = {**os.environ, "TMPDIR": str(self.scratch)}
        with open("/dev/full", "wb") as full:
            run = self.run(["compile", "kernel.c", "-S", "-o", "-"], stdout=full, stderr=subprocess.PIPE, env=environment)
        self.expect(run.returncode == 1 and run.stderr == b"psic: error: cannot write to standard output: "
                    b"No space left on device\n", f"compile > /dev/full: exit status {run.returncode}, {run.stderr!r}")
        run = self.run(["compile", "kernel.c", "-S", "-o", "-"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
        self.expect(run.returncode == 0 and b"cmov" in run.stdout and not run.stderr, f"compile -o - prints {run.stdout!r}")
        self.expect(self.left() == ["kernel.c"], f"compile leaves {self.left()}")
        # A pipe, like a device, stays one.
        os.mkfifo(self.scratch / "pipe")
        reader = subprocess.Popen(["cat", "pipe"], cwd=self.scratch, stdout=subprocess.PIPE)
        run = self.run(["compile", "kernel.c", "-S", "-o", "pipe"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
        is_pipe = (self.scratch / "pipe").is_fifo()
        if not is_pipe:
            reader.kill()
        self.expect(run.returncode == 0 and is_pipe and b"cmov" in reader.communicate()[0], "compile replaces a pipe")
        self.expect(self.left() == ["kernel.c", "pipe"], f"compile leaves {self.left()}")
        self.empty()
        os.mkfifo(self.scratch / "kernel.c")
        process = subprocess.Popen([self.psic, "compile", "kernel.c"], cwd=self.scratch, stdin=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        time.sleep(1)
        process.send_signal(signal.SIGTERM)
        self.expect(process.wait(10) == -signal.SIGTERM, f"compile ends with {process.returncode}")
        self.expect(self.left() == ["kernel.c"], f"compile leaves {self.left()}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--psic", required=True, type=pathlib.Path)
    parser.add_argument("--scratch", required=True, type=pathlib.Path)
    parser.add_argument("--llvm", action="store_true", help="psic has psicc beside it")
    options = parser.parse_args()
    test = Test(options.psic.resolve(), options.scratch.resolve())
    test.empty()
    test.lost_output()
    test.endless_output()
    test.signals()
    test.progress()
    if options.llvm:
        test.compilation()
    print(f"{test.failures} failures")
    return 1 if test.failures else 0


if __name__ == "__main__":
    sys.exit(main())
