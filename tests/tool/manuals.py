#!/usr/bin/env python3
"""The man pages of psic, of each of its commands, and of psicc.

    tests/tool/manuals.py --psic PSIC --scratch FOLDER [--psicc PSICC]

psic writes them from what its command line knows. Each must format without a warning at any width, have a name that
`apropos` finds, and say what --help says: every argument, option and example, word for word.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

WIDTHS = (60, 80, 132)
WIDE = 2000  # no line is broken


class Test:
    def __init__(self, psic, psicc, folder):
        self.psic, self.psicc, self.folder = psic, psicc, folder
        self.failures = self.entries = 0

    def expect(self, condition, what):
        if not condition:
            self.failures += 1
            print(f"failed: {what}")

    def says(self, *command):
        run = subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True, timeout=60)
        self.expect(not run.stderr, f"{command} says {run.stderr}")
        return run.stdout

    def formatted(self, page, width):
        run = subprocess.run(["man", "--warnings=w", "--local-file", "--encoding=UTF-8", page], capture_output=True,
                             text=True, timeout=60, check=False,
                             env={**os.environ, "MANWIDTH": str(width), "LC_ALL": "C.UTF-8", "MANPAGER": "cat"})
        self.expect(run.returncode == 0 and not run.stderr, f"{page.name} at {width} columns: {run.stderr}")
        return " ".join(run.stdout.split())

    @staticmethod
    def entries_of(text):
        """What --help lists: lines that begin a little in, each with those that go on far in."""
        return [" ".join(entry.split()) for entry in re.findall(r"(?m)^  (?! ).*(?:\n {6,}.*)*", text)]

    def compare(self, page, text):
        shown = self.formatted(page, WIDE)
        entries = self.entries_of(text)
        self.expect(entries, f"{page.name}: nothing to compare in --help")
        for entry in entries:
            self.entries += 1
            self.expect(entry in shown, f"{page.name} does not say: {entry}")

    def run(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.says(self.psic, "manual", self.folder)
        overview = self.says(self.psic, "--help").split("To start with:")[0]
        commands = re.findall(r"(?m)^  ([a-z-]+)  +(\S.*)$", overview)
        self.expect(len(commands) > 15, f"only {len(commands)} commands")
        written = {path.name for path in self.folder.iterdir()}
        wanted = {"psic.1", "psicc.1"} | {f"psic-{name}.1" for name, _ in commands}
        self.expect(written == wanted, f"pages, and none of: {written ^ wanted}")

        psic_page = self.formatted(self.folder / "psic.1", WIDE)
        for name, about in commands:
            self.expect(f"psic-{name}(1) {about}" in psic_page, f"psic.1 does not say: {name} {about}")
            self.compare(self.folder / f"psic-{name}.1", self.says(self.psic, name, "--help"))
        if self.psicc:
            self.compare(self.folder / "psicc.1", self.says(self.psicc, "--help").split("All other options")[0])

        for page in sorted(self.folder.iterdir()):
            for width in WIDTHS:
                self.formatted(page, width)
            title = page.name.removesuffix(".1")
            self.expect(f'"{title} - ' in self.says("lexgrog", page), f"{page.name} has no name")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--psic", required=True, type=pathlib.Path)
    parser.add_argument("--psicc", type=pathlib.Path)
    parser.add_argument("--scratch", required=True, type=pathlib.Path)
    options = parser.parse_args()
    test = Test(options.psic.resolve(), options.psicc and options.psicc.resolve(), options.scratch.resolve())
    test.run()
    print(f"{test.entries} entries, {test.failures} failures")
    return 1 if test.failures else 0


if __name__ == "__main__":
    sys.exit(main())
