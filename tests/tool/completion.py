#!/usr/bin/env python3
"""Completion of psic's and psicc's command lines, in the shells themselves.

    tests/tool/completion.py --psic PSIC --scratch FOLDER [--psicc]

bash, with and without the package bash-completion, and zsh run on a terminal: a line is typed, then the tab key, and
the line is read back. fish is asked for its candidates. A shell that is not installed is left out, but for bash.
"""

import argparse
import os
import pathlib
import pty
import select
import shutil
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
COMPLETIONS = ROOT / "completions"
PACKAGE = pathlib.Path("/usr/share/bash-completion/bash_completion")
SECONDS = 20

# What is typed, and what the line is after the tab key, in bash and zsh. A space at the end: the word is whole.
LINES = [
    # Commands and their options
    ("psic che", "psic check"),  # and check-target
    ("psic pri", "psic print "),
    ("psic targ", "psic targets "),
    ("psic --vers", "psic --version "),
    ("psic opt --pas", "psic opt --passes="),
    ("psic opt --verif", "psic opt --verify-each "),
    ("psic run --undef", "psic run --undef-stores "),
    ("psic simulate --by", "psic simulate --by-function "),
    ("psic liveness --interf", "psic liveness --interference "),
    ("psic opt --print-a", "psic opt --print-after="),
    ("psic opt --targ", "psic opt --target="),
    # An option that is there is not offered again, nor is what excludes it.
    ("psic gen --seed=3 --se", "psic gen --seed=3 --se"),
    ("psic opt -O2 --pas", "psic opt -O2 --pas"),
    # Values
    ("psic phis --place=dj", "psic phis --place=dj-graph "),
    ("psic phis --place dj", "psic phis --place dj-graph "),
    ("psic phis --place=cytron-", "psic phis --place=cytron-ferrante "),
    ("psic gen --shape=irr", "psic gen --shape=irreducible "),
    ("psic opt --stats=functions-", "psic opt --stats=functions-json "),
    ("psic liveness --problem=up", "psic liveness --problem=up-exposed "),
    ("psic completion f", "psic completion fish "),
    ("psic compile --target=aar", "psic compile --target=aarch64 "),
    # Targets
    ("psic targets playd", "psic targets playdoh "),
    ("psic passes psi-nor", "psic passes psi-normalize "),
    ("psic passes gvn codeg", "psic passes gvn codegen "),
    ("psic passes --ord", "psic passes --order "),
    ("psic opt --passes='psicc(unm", "psic opt --passes='psicc(unmeasured="),
    ("psic opt --passes='psicc(last=on,targ", "psic opt --passes='psicc(last=on,target="),
    ("psic check --target=hex", "psic check --target=hexagon "),
    ("psic opt --target pla", "psic opt --target playdoh "),
    ("psic opt --target=mi", "psic opt --target=mine.target "),
    # Lists of passes
    ("psic opt --passes=if-co", "psic opt --passes=if-convert"),
    ("psic opt --passes=construct,if-co", "psic opt --passes=construct,if-convert"),
    ("psic opt --passes construct,scra", "psic opt --passes construct,scramble"),
    ("psic opt '--passes=construct,if-co", "psic opt '--passes=construct,if-convert"),
    ('psic opt "--passes=construct,if-co', 'psic opt "--passes=construct,if-convert'),
    ("psic opt --passes='construct,if-co", "psic opt --passes='construct,if-convert"),
    ("psic opt --passes='construct(fla", "psic opt --passes='construct(flavour="),
    ("psic opt --passes='construct(flavour=pr", "psic opt --passes='construct(flavour=pruned"),
    ("psic opt --passes='construct(flavour=pruned,pla", "psic opt --passes='construct(flavour=pruned,place="),
    ("psic opt --passes='construct(flavour=pruned,place=dj", "psic opt --passes='construct(flavour=pruned,place=dj-graph"),
    ("psic opt --passes='construct(flavour=pruned),if-co", "psic opt --passes='construct(flavour=pruned),if-convert"),
    ("psic opt --passes='construct,if-convert(target=play", "psic opt --passes='construct,if-convert(target=playdoh"),
    ("psic opt --passes='construct,fixpoint(if-co", "psic opt --passes='construct,fixpoint(if-convert"),
    ("psic opt --passes='construct,fixpoi", "psic opt --passes='construct,fixpoint("),
    ("psic fuzz --passes=reverse-if", "psic fuzz --passes=reverse-if-convert"),
    ("psic opt --print-after=if-co", "psic opt --print-after=if-convert "),
    ("psic opt --print-after=construct,if-co", "psic opt --print-after=construct,if-convert "),
    # Functions, registers and blocks of the file
    ("psic run two.psi --func=se", "psic run two.psi --func=second "),
    ("psic run two.psi --func se", "psic run two.psi --func second "),
    ("psic run two.psi --stats-of=fi", "psic run two.psi --stats-of=first "),
    ("psic phis two.psi --func=second --variable=cou", "psic phis two.psi --func=second --variable=counter "),
    ("psic liveness two.psi --block=ent", "psic liveness two.psi --block=entrance "),
    ("psic run 'a file.psi' --func=al", "psic run 'a file.psi' --func=alone "),
    # Files
    ("psic check tw", "psic check two.psi "),
    ("psic check fold", "psic check folder/"),
    ("psic check folder/in", "psic check folder/inner.psi "),
    ("psic targets mi", "psic targets mine.target "),
    ("psic opt -o READ", "psic opt -o README "),
    ("psic run -- tw", "psic run -- two.psi "),
]
# The same, where what bash does with characters that it would have to quote, or between streams, is not zsh's.
BASH_LINES = [
    ("psic opt --passes=construct\\(fla", "psic opt --passes=construct\\(flavour="),
    ("psic run two.psi > READ", "psic run two.psi > README "),
    ("psic gen 2> READ", "psic gen 2> README "),
    ("psic check two.psi; psic targ", "psic check two.psi; psic targets "),
    ("FOO=1 psic targ", "FOO=1 psic targets "),
]
PSICC_LINES = [
    ("psicc -fpsi-mo", "psicc -fpsi-mode="),
    ("psicc -fpsi-mode=al", "psicc -fpsi-mode=all "),
    ("psicc -fpsi-at=ea", "psicc -fpsi-at=early "),
    ("psicc -fpsi-target=play", "psicc -fpsi-target=playdoh "),
    ("psicc -O2 -fpsi-passes=construct,if-co", "psicc -O2 -fpsi-passes=construct,if-convert"),
    ("psicc -fpsi-passes='construct(fla", "psicc -fpsi-passes='construct(flavour="),
    ("psicc -fpsi-unp", "psicc -fpsi-unpredictable "),
    ("psicc -fno-psi-unp", "psicc -fno-psi-unpredictable "),
    ("psicc -fpsi-profile-use=two.pr", "psicc -fpsi-profile-use=two.profdata "),
    ("psicc -c kern", "psicc -c kernel.c "),
    # clang's own
    ("psicc -fvecto", "psicc -fvectorize "),
    ("psicc -std=c9", "psicc -std=c9"),
]

# What is typed, and some candidates for it, in fish; after the bar, what must not be among them.
CANDIDATES = [
    ("psic ", "check print opt run targets completion | complete --passes="),
    ("psic opt -", "--passes= --func= -O --stats --stats= | --no-memory"),
    ("psic opt --passes=", "--passes=construct --passes=gvn --passes=O2 --passes=fixpoint( | construct"),
    ("psic opt --passes=gvn", "--passes=gvn --passes=gvn, | --passes=gvn="),
    ("psic opt --passes=construct", "--passes=construct --passes=construct( --passes=construct, |"),
    ("psic opt '--passes=construct(", "--passes=construct(flavour= --passes=construct(place= |"),
    ("psic opt '--passes=construct(flavour=", "--passes=construct(flavour=pruned --passes=construct(flavour=minimal |"),
    ("psic opt '--passes=construct(place=auto)", "--passes=construct(place=auto), | --passes=construct(place=auto))"),
    ("psic opt '--passes=fixpoint(gvn", "--passes=fixpoint(gvn) --passes=fixpoint(gvn, | --passes=fixpoint(gvn"),
    ("psic opt '--passes=fixpoint(construct(place=auto)", "--passes=fixpoint(construct(place=auto)) |"),
    ("psic run two.psi --func=", "--func=first --func=second | --func=outside"),
    ("psic targets ", "generic playdoh st200 x86-64 | two.psi"),
    ("psic compile -O", "-O0 -O3 -Oz |"),
    ("psic grade --passes=", "--passes=construct |"),
    ("psic gen ", "--seed= --size= --shape= | two.psi"),
    ("psic check t", "two.psi |"),
    ("psic check --target=pl", "--target=playdoh | --target=st200"),
    ("psic nothing --", "| --help"),
    ("psic opt --passes=construct)", "| --passes=construct),"),
]
PSICC_CANDIDATES = [
    ("psicc -fpsi-", "-fpsi-at= -fpsi-mode= -fpsi-passes= -fpsi-target= -fpsi-remarks -fpsi-remarks= -fpsi-profile-use= |"),
    ("psicc -fpsi-at=", "-fpsi-at=late -fpsi-at=early |"),
    ("psicc -std=c9", "-std=c90 -std=c99 | -std=c11"),
    ("psicc -fno-", "-fno-psi -fno-vectorize |"),
    ("psicc k", "kernel.c |"),
]


def unquoted(line):
    """Only to compare: without characters that quote."""
    return line.translate(str.maketrans("", "", "'\"\\")).rstrip()


class Terminal:
    """A shell on a terminal. Ctrl-X p writes the line that is being edited to a file."""

    def __init__(self, command, environment, folder, setup):
        self.line_file = folder.parent / "line"
        self.process, self.end = None, None
        self.end, theirs = pty.openpty()
        self.process = subprocess.Popen(command, cwd=folder, env=environment, stdin=theirs, stdout=theirs, stderr=theirs,
                                        start_new_session=True)
        os.close(theirs)
        self.shown = b""
        threading.Thread(target=self.swallow, daemon=True).start()
        ready = folder.parent / "ready"
        ready.unlink(missing_ok=True)
        self.send(setup + f"\n: > {ready}\n")
        self.wait_for(ready)

    def swallow(self):
        try:
            while part := os.read(self.end, 1 << 16):
                self.shown += part
        except OSError:
            pass

    def send(self, text):
        data = text.encode()
        while data:
            select.select([], [self.end], [], SECONDS)
            data = data[os.write(self.end, data[:512]):]

    def wait_for(self, path):
        deadline = time.monotonic() + SECONDS
        while not path.exists():
            if time.monotonic() > deadline:
                raise SystemExit(f"the shell does not answer; it shows {self.shown[-2000:]!r}")
            time.sleep(0.002)

    def complete(self, typed):
        self.line_file.unlink(missing_ok=True)
        self.send("\x15" + typed + "\t" + "\x18p")
        self.wait_for(self.line_file)
        return self.line_file.read_text()

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.end)


class Test:
    def __init__(self, psic, scratch, has_psicc):
        self.scratch = scratch
        self.folder = scratch / "files"
        self.has_psicc = has_psicc
        self.failures = self.count = 0
        shutil.rmtree(scratch, ignore_errors=True)
        (self.folder / "folder").mkdir(parents=True)
        function = "func $%s(%%x: i32) -> i32 {\n@entrance:\n  %%counter = add.i32 %%x, 1\n  ret %%counter\n}\n"
        two = "extern func $outside(i32) -> i32\n" + function % "first" + function % "second"
        for name, text in {"two.psi": two, "a file.psi": function % "alone", "folder/inner.psi": two, "README": "",
                           "two.profdata": "", "two.txt": "", "kernel.c": "",
                           "mine.target": (ROOT / "examples" / "mine.target").read_text()}.items():
            (self.folder / name).write_text(text)
        self.environment = {"PATH": f"{psic.parent}:{os.environ['PATH']}", "HOME": str(scratch), "TERM": "dumb",
                            "LC_ALL": "C.UTF-8", "INPUTRC": "/dev/null", "XDG_CONFIG_HOME": str(scratch),
                            "XDG_DATA_HOME": str(scratch), "HISTFILE": "/dev/null"}

    def expect(self, condition, what):
        self.count += 1
        if not condition:
            self.failures += 1
            print(f"failed: {what}")

    def type_lines(self, shell, terminal, lines):
        for typed, expected in lines:
            line = terminal.complete(typed)
            # zsh quotes in its own way; readline closes quotes where nothing else can follow.
            same = line == expected
            if "'" in typed or '"' in typed:
                same = unquoted(line) == unquoted(expected) and (shell == "zsh" or line.startswith(typed))
            self.expect(same, f"{shell}: {typed!r} becomes {line!r}, not {expected!r}")
        terminal.close()

    def lines(self, own):
        return LINES + own + (PSICC_LINES if self.has_psicc else [])

    def bash(self, name, source, environment=None):
        command = ["bash", "--norc", "--noprofile", "-i"]
        line_file = self.scratch / "line"
        setup = ("bind 'set bell-style none'; bind 'set enable-bracketed-paste off'; bind 'set page-completions off';"
                 "bind 'set completion-query-items 0'; set +o history;"
                 f"show() {{ printf %s \"$READLINE_LINE\" > {line_file}.new; mv {line_file}.new {line_file}; }};"
                 f"bind -x '\"\\C-xp\": show'; {source}")
        terminal = Terminal(command, {**self.environment, **(environment or {})}, self.folder, setup)
        self.type_lines(name, terminal, self.lines(BASH_LINES))

    def zsh(self):
        line_file = self.scratch / "line"
        setup = ("unsetopt beep; LISTMAX=10000; "
                 f"fpath=({COMPLETIONS} $fpath); autoload -Uz compinit; compinit -u -d {self.scratch}/dump; "
                 f"show() {{ print -rn -- \"$BUFFER\" > {line_file}.new; mv {line_file}.new {line_file} }}; "
                 "zle -N show; bindkey -e; bindkey '^Xp' show")
        terminal = Terminal(["zsh", "-f", "-i"], self.environment, self.folder, setup)
        self.type_lines("zsh", terminal, self.lines([]))

    def fish(self):
        for typed, words in CANDIDATES + (PSICC_CANDIDATES if self.has_psicc else []):
            run = subprocess.run(["fish", "--no-config", "-c", f"source {COMPLETIONS}/psic.fish; complete -C \"$argv\"", typed],
                                 cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True,
                                 text=True, timeout=SECONDS, check=False)
            found = [line.split("\t")[0] for line in run.stdout.splitlines()]
            wanted, _, unwanted = words.partition("|")
            self.expect(set(wanted.split()) <= set(found), f"fish: {typed!r} has the candidates {found}, {run.stderr}")
            self.expect(not set(unwanted.split()) & set(found), f"fish: {typed!r} has the candidates {found}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--psic", required=True, type=pathlib.Path)
    parser.add_argument("--scratch", required=True, type=pathlib.Path)
    parser.add_argument("--psicc", action="store_true", help="psicc is beside psic")
    options = parser.parse_args()
    psic = options.psic.resolve()
    test = Test(psic, options.scratch.resolve(), options.psicc)
    test.bash("bash", f"source {COMPLETIONS}/psic.bash")
    test.bash("bash, from psic completion", "source <(psic completion bash)")
    if PACKAGE.exists():
        # It finds the files by the names of commands.
        folder = test.scratch / "package" / "completions"
        folder.mkdir(parents=True)
        for name in ("psic", "psicc"):
            shutil.copy(COMPLETIONS / "psic.bash", folder / name)
        test.bash("bash-completion", f"source {PACKAGE}", {"BASH_COMPLETION_USER_DIR": str(folder.parent)})
    if shutil.which("zsh"):
        test.zsh()
    if shutil.which("fish"):
        test.fish()
    print(f"{test.count} lines, {test.failures} failures")
    return 1 if test.failures else 0


if __name__ == "__main__":
    sys.exit(main())
