"""Runs the examples in README.md, docs/ and the examples' own READMEs, so that they stay true.

    documentation.py --psic PSIC --scratch FOLDER [--psicc PSICC] [--update] [DOCUMENT...]

Fenced blocks are known by their first line:

    ```psi                   a whole program, which `psic check` must accept
    ```psi file=NAME         the same, kept under that name for the commands that follow in this document
    ```psi wrong             a whole program, which `psic check` must reject
    ```psi body SIGNATURE    instructions: the entry block of `func $example SIGNATURE`, where SIGNATURE is,
                             for instance, `(%a: i32) -> i32 ssa`; a missing `ret` is added
    ```console               commands `$ ...`, each followed by all that it prints; a line `...` stands for
                             any lines. They run in a folder that holds a copy of examples/
    ```console WORD...       the same, with words that say more: `psicc`, it needs psicc and is skipped without; `times`,
                             numbers with a decimal point are measured and not compared; `in=FOLDER`, it runs there

A comment `# run: ARGUMENTS => RESULT` in a program says what `psic run FILE ARGUMENTS` prints: RESULT is a
line of its output, or part of a line of its errors. --update rewrites the output in the console blocks,
but for those with a line `...`.
"""

import argparse
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TIMEOUT_SECONDS = 300
TERMINATOR = re.compile(r"^\s*([^#]*\?\s*)?(br|switch\.\w+|ret|unreachable)\b")


@dataclasses.dataclass
class Block:
    document: pathlib.Path
    line: int  # of the opening fence, from 0
    info: str
    lines: list


def documents():
    found = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "examples").rglob("*.md"))]
    return [path for path in found if path.exists()]


def blocks_of(path):
    block = None
    for number, line in enumerate(path.read_text().splitlines()):
        fence = re.match(r"^```(.*)$", line)
        if block is None and fence:
            block = Block(path, number, fence.group(1).strip(), [])
        elif fence and line.strip() == "```":
            yield block
            block = None
        elif block is not None:
            block.lines.append(line)
    if block is not None:
        raise SystemExit(f"{path}:{block.line + 1}: the block is never closed")


def matches(expected, actual):
    """Are the lines equal, where an expected `...` stands for any lines?"""
    if "..." not in expected:
        return expected == actual
    pattern = "".join("(?:.*\n)*?" if line == "..." else re.escape(line + "\n") for line in expected)
    return re.fullmatch(pattern, "".join(line + "\n" for line in actual)) is not None


def without_times(lines):
    """With one mark for each number that has a decimal point, and for the spaces before it."""
    return [re.sub(r" *\d+\.\d+", " #.#", line) for line in lines]


class Runner:
    def __init__(self, psic, psicc, scratch, update):
        self.psic = psic
        self.psicc = psicc
        self.scratch = scratch
        self.update = update
        self.checked = 0
        self.failures = 0
        self.edits = {}  # document -> [(first line, last line + 1, new lines)]

    def fail(self, block, message):
        self.failures += 1
        print(f"{block.document.relative_to(ROOT)}:{block.line + 1}: {message}\n", file=sys.stderr)

    def run_document(self, path):
        self.folder = self.scratch / path.relative_to(ROOT).with_suffix("")
        self.folder.mkdir(parents=True)
        shutil.copytree(ROOT / "examples", self.folder / "examples")
        for block in blocks_of(path):
            if block.info.split(" ")[0] == "psi":
                self.run_program(block)
            elif block.info.split(" ")[0] == "console":
                self.run_console(block)

    def invoke(self, *arguments):
        return subprocess.run([self.psic, *arguments], cwd=self.folder, capture_output=True, text=True,
                              timeout=TIMEOUT_SECONDS)

    def run_program(self, block):
        self.checked += 1
        kind = block.info[len("psi"):].strip()
        name = f"line{block.line + 1}.psi"
        lines = block.lines
        run_first = []
        if kind.startswith("file="):
            name = kind[len("file="):]
        elif kind.startswith("body"):
            signature = kind[len("body"):].strip() or "()"
            ending = [] if any(TERMINATOR.match(line) for line in lines) else ["ret"]
            lines = [f"func $example{signature} {{", "@entry:", *lines, *ending, "}"]
            run_first = ["--func", "example"]
        elif kind not in ("", "wrong"):
            return self.fail(block, f"unknown kind of block: {block.info}")

        (self.folder / name).write_text("\n".join(lines) + "\n")
        check = self.invoke("check", name)
        if kind == "wrong":
            if check.returncode != 1:
                self.fail(block, f"the program should be rejected, but psic check ended with {check.returncode}")
            return
        if check.returncode != 0:
            return self.fail(block, f"psic check rejects the program:\n{check.stdout}{check.stderr}")
        for line in lines:
            expectation = re.match(r"^\s*#\s*run:(.*)=>(.*)$", line)
            if expectation:
                self.run_function(block, name, run_first + expectation.group(1).split(), expectation.group(2).strip())

    def run_function(self, block, name, arguments, expected):
        result = self.invoke("run", name, *arguments)
        said_so = expected in result.stdout.splitlines() or any(expected in line for line in result.stderr.splitlines())
        if not said_so:
            self.fail(block, f"psic run {name} {' '.join(arguments)} does not print {expected}, but:\n"
                             f"{result.stdout}{result.stderr}")

    def run_console(self, block):
        commands = [i for i, line in enumerate(block.lines) if line.startswith("$ ")]
        if not commands or commands[0] != 0:
            return self.fail(block, "a console block must start with a command: $ ...")
        words = block.info.split()[1:]
        folders = [word[len("in="):] for word in words if word.startswith("in=")]
        if set(words) - {"psicc", "times"} - {f"in={folder}" for folder in folders}:
            return self.fail(block, f"unknown kind of block: {block.info}")
        if "psicc" in words and not self.psicc:
            return
        tools = [str(pathlib.Path(tool).parent) for tool in (self.psic, self.psicc) if tool]
        environment = dict(os.environ, PATH=":".join([*tools, os.environ["PATH"]]))
        for first, after in zip(commands, [*commands[1:], len(block.lines)]):
            self.checked += 1
            command = block.lines[first][2:]
            expected = block.lines[first + 1:after]
            result = subprocess.run(["bash", "-c", command], cwd=self.folder.joinpath(*folders), env=environment, text=True,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT_SECONDS)
            actual = result.stdout.splitlines()
            is_timed = "times" in words and not self.update
            if matches(without_times(expected), without_times(actual)) if is_timed else matches(expected, actual):
                continue
            if self.update and "..." not in expected:
                start = block.line + 1 + first + 1
                self.edits.setdefault(block.document, []).append((start, start + len(expected), actual))
                continue
            self.fail(block, f"$ {command}\nprints\n{result.stdout}\ninstead of\n" + "\n".join(expected))

    def apply_edits(self):
        for document, edits in self.edits.items():
            lines = document.read_text().splitlines()
            for first, after, new in reversed(edits):
                lines[first:after] = new
            document.write_text("\n".join(lines) + "\n")
            print(f"rewrote {len(edits)} outputs in {document.relative_to(ROOT)}")


def check(paths, psic, psicc, scratch, update):
    """Runs the examples of documents; the exit status."""
    shutil.rmtree(scratch, ignore_errors=True)
    runner = Runner(psic, psicc, scratch, update)
    for path in paths:
        runner.run_document(path)
    runner.apply_edits()
    print(f"{runner.checked} examples, {runner.failures} failures")
    if runner.checked == 0:
        print("no examples found: something is wrong with the search", file=sys.stderr)
    return 1 if runner.failures or runner.checked == 0 else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--psic", required=True, type=os.path.abspath)
    parser.add_argument("--psicc", type=os.path.abspath)
    parser.add_argument("--scratch", required=True, type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("documents", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    paths = [path.resolve() for path in arguments.documents] or documents()
    return check(paths, arguments.psic, arguments.psicc, arguments.scratch, arguments.update)


if __name__ == "__main__":
    sys.exit(main())
