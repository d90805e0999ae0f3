"""C programs through psic: compiled and interpreted, in each of the forms."""

import subprocess

FORMS = {
    "ssa": ["--import=ssa"],
    "plain": ["--import=plain"],
    "construct": ["--import=plain", "--passes=construct"],
    "O2": ["-O2"],
}
# Without what psic IR cannot say: vectors, and tables of differences between addresses.
LEVELS = {
    "O0": ["-O0", "-Xclang", "-disable-O0-optnone"],
    "O2": ["-O2", "-fno-vectorize", "-fno-slp-vectorize", "-fno-pie", "-no-pie"],
}


class Broken(Exception):
    """A step on the way failed that must not."""


def run(command, seconds=120, folder=None):
    result = subprocess.run(command, capture_output=True, timeout=seconds, cwd=folder)
    return result.returncode, result.stdout.decode(errors="replace"), result.stderr.decode(errors="replace")


def must(command):
    command = [str(word) for word in command]
    code, output, errors = run(command)
    if code != 0:
        raise Broken(f"{' '.join(command)}: status {code}\n{output}{errors}")
    return errors


def build(source, target, flags):
    must(["clang-19", "-w", *flags, source, "-o", target, "-lm"])


def build_bitcode(source, target, flags):
    must(["clang-19", "-w", *flags, "-c", "-emit-llvm", source, "-o", target])


def behaviour(program, seconds=120):
    """Exit status and output; a negative status is the signal that ended the program."""
    return run([str(program)], seconds)[:2]


def build_by_way_of_psic(psic, source, form, stem):
    """What psic remarks: the functions that it leaves as they are."""
    remarks = must([psic, "opt", source, *FORMS[form], "--export-all", "-o", f"{stem}.bc"])
    build(f"{stem}.bc", stem, ["-O1"])
    return [line for line in remarks.splitlines() if "remark: " in line]


def interpret(psic, source, form, stem, fuel=1_000_000_000):
    """Exit status and output, or the reason why the interpreter stopped."""
    must([psic, "opt", source, *FORMS[form], "-o", f"{stem}.psi"])
    code, output, errors = run([psic, "run", f"{stem}.psi", "--zero-memory", f"--fuel={fuel}"])
    if code != 0:
        return errors.split("error: ", 1)[-1].splitlines()[0]
    exited = errors.rpartition("exited with status ")[2]
    if exited.strip():
        return int(exited) & 0xff, output
    # The last line is what main returns.
    lines = output.splitlines(keepends=True)
    return int(lines[-1]) & 0xff, "".join(lines[:-1])
