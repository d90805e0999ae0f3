#!/usr/bin/env python3
"""Syntax colours for Vim, Emacs and VS Code: they are what scripts/editors makes now, and colour programs rightly.

    tests/tool/editors.py --psic PSIC --scratch FOLDER

What each word of a program is follows from where it stands, whatever its name: so a word that psic prints and the
colours do not know is found. Vim and Emacs colour the programs themselves; one that is not installed is left out. For
VS Code the grammar is applied as VS Code does.
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
EDITORS = ROOT / "editors"

SAMPLE = '''\
# A comment with %names, @names, "strings" and add.i32
const $text align 8 { "a # b \\" c", i8 0, zero 3, ptr $"a name"+4 }
extern func $"a name"(ptr, ...) -> i32 readonly nounwind

func $add(%if: i32, %i32: ptr, %add.i32: i1, %x: f64) -> i32 {
@ret: count 12
  %"mov x" = mov.i32 -5   # not the string's "end
  %add.i32 ? %"mov x" = add.i32 %if, 0x7f
  %y = fadd.fast.f64 %x, 1.5e-3
  %z = fmul.f64 %y, nan
  %n = fadd.f64 %z, bits(0x7ff8000000000001)
  %p, %q = cmpp.un.uc.ult.i32 %if, 12 if %add.i32
  %b = cmp.olt.f64 %n, inf
  %c = zext.i1.i32 %b
  %v = load.volatile.i32 %i32, align 4
  %s = select %p, %c, undef
  store.i32 %s, %i32
  br %q, @ret.1, @"if", counts 3 4, mispredicted 50
@ret.1:
  %r = call.i32 $add(%v, null, true, 0.5)
  ret %r
@"if":
  unreachable
}
'''

TOKEN = re.compile(r'''(?P<comment>\#.*)|(?P<named>[%@$](?:[\w.]+|"(?:[^"\\]|\\.)*"))|(?P<string>"(?:[^"\\]|\\.)*")'''
                   r'''|(?P<number>\d(?:[\w.]|(?<=[eE])[-+])*)|(?P<word>[A-Za-z_][\w.]*)|(?P<other>\S)''')
NAMED = {"%": "register", "@": "block", "$": "symbol"}


def expected(text):
    """(line, column, length, classes): the classes that a piece of the text may have, by its place."""
    for number, line in enumerate(text.splitlines()):
        before = ""
        declares = not line.startswith((" ", "@"))
        for token in TOKEN.finditer(line):
            kind, word, start = token.lastgroup, token.group(), token.start()
            if kind == "named":
                yield number, start, 1 if '"' in word else len(word), {NAMED[word[0]]}
            elif kind in ("comment", "string"):
                yield number, start, len(word), {kind}
            elif kind == "number":
                yield number, start, len(word), {kind}
            elif kind == "word" and not declares and before in ("", "=", "?"):
                head, *suffixes = word.split(".")
                yield number, start, len(head), {"opcode", "control"}
                at = start + len(head)
                for suffix in suffixes:
                    yield number, at + 1, len(suffix), {"type", "condition", "flag"}
                    at += 1 + len(suffix)
            elif kind == "word":
                yield number, start, len(word), {"type"} if declares and before in (":", "->") else {"type", "form", "keyword", "literal"}
            if kind == "other" and before == "-" and word == ">":
                before = "->"
            else:
                before = word


def vscode_scopes(grammar, line):
    """A scope for each character, as the patterns of a grammar without ranges give it."""
    scopes = [""] * len(line)

    def apply(patterns, begin, end):
        compiled = [(re.compile(pattern["match"]), pattern) for pattern in patterns]
        at = begin
        while at < end:
            found = [(match.start(), index, match, pattern) for index, (regex, pattern) in enumerate(compiled)
                     if (match := regex.search(line, at, end)) and match.end() > match.start()]
            if not found:
                return
            _, _, match, pattern = min(found, key=lambda one: one[:2])
            if "name" in pattern:
                scopes[match.start():match.end()] = [pattern["name"]] * (match.end() - match.start())
            for group, capture in pattern.get("captures", {}).items():
                first, last = match.span(int(group))
                if "name" in capture:
                    scopes[first:last] = [capture["name"]] * (last - first)
                apply(capture.get("patterns", []), first, last)
            at = match.end()

    apply(grammar["patterns"], 0, len(line))
    return scopes


VSCODE = {"comment.line": "comment", "variable.other.register": "register", "entity.name.label": "block",
          "entity.name.function": "symbol", "string.quoted": "string", "constant.numeric": "number",
          "support.function": "opcode", "keyword.control": "control", "storage.type": "type",
          "keyword.operator.condition": "condition", "storage.modifier": "flag", "keyword.other": "keyword",
          "constant.language": "literal"}
EMACS = {"comment": {"comment"}, "comment-delimiter": {"comment"}, "variable-name": {"register"}, "string": {"string"},
         "constant": {"block", "literal"}, "function-name": {"symbol"}, "builtin": {"opcode"},
         "keyword": {"control", "keyword", "form"}, "type": {"type"}, "preprocessor": {"condition", "flag"}}
# Emacs leaves numbers as they are.
EMACS_PLAIN = {"number"}

VIM_DUMP = """\
set runtimepath^={editors}/vim
filetype plugin on
syntax on
edit {file}
let s:out = [&filetype . ' ' . &commentstring]
for s:line in range(1, line('$'))
  call add(s:out, join(map(range(1, len(getline(s:line))), "synIDattr(synID(s:line, v:val, 1), 'name')"), ','))
endfor
call writefile(s:out, '{out}')
qall!
"""
EMACS_DUMP = """\
(require 'psi-mode)
(find-file "{file}")
(font-lock-mode 1)
(font-lock-ensure)
(let ((out (list (symbol-name major-mode))))
  (goto-char (point-min))
  (while (not (eobp))
    (push (mapconcat (lambda (at) (let ((face (get-text-property at 'face))) (format "%s" (or (car-safe face) face ""))))
                     (number-sequence (point) (1- (line-end-position))) ",") out)
    (forward-line 1))
  (with-temp-file "{out}" (insert (mapconcat #'identity (reverse out) "\\n"))))
"""


class Test:
    def __init__(self, psic, scratch):
        self.psic, self.scratch = psic, scratch
        self.failures = self.count = 0

    def expect(self, condition, what):
        self.count += 1
        if not condition:
            self.failures += 1
            if self.failures < 40:
                print(f"failed: {what}")

    def generated(self):
        made = self.scratch / "made"
        subprocess.run([sys.executable, ROOT / "scripts/editors", made], check=True)
        names = {str(path.relative_to(made)) for path in made.rglob("*") if path.is_file()}
        there = {str(path.relative_to(EDITORS)) for path in EDITORS.rglob("*") if path.is_file()}
        self.expect(names == there, f"files in editors: {names ^ there}")
        for name in sorted(names & there):
            self.expect((made / name).read_text() == (EDITORS / name).read_text(),
                        f"editors/{name} is not what scripts/editors makes")

    def programs(self):
        """Files to colour: psic reads each."""
        folder = self.scratch / "programs"
        folder.mkdir()
        (folder / "sample.psi").write_text(SAMPLE)
        for seed in range(3):
            subprocess.run([self.psic, "gen", f"--seed={seed}", "--size=150", "-o", folder / f"random{seed}.psi"], check=True)
            subprocess.run([self.psic, "opt", "--passes=construct,if-convert(target=playdoh,mode=all)",
                            folder / f"random{seed}.psi", "-o", folder / f"converted{seed}.psi"], check=True)
        for file in ("clamp", "join", "sieve"):
            shutil.copy(ROOT / "examples" / f"{file}.psi", folder)
        files = sorted(folder.iterdir())
        for file in files:
            run = subprocess.run([self.psic, "check", file], capture_output=True, text=True, check=False)
            self.expect(run.returncode == 0, f"psic reads {file.name}: {run.stderr}")
        return files

    def compare(self, editor, file, class_at):
        lines = file.read_text().splitlines()
        for line, column, length, classes in expected(file.read_text()):
            for at in (column, column + length - 1):
                found = class_at(line, at)
                self.expect(found & classes, f"{editor}: {file.name}:{line + 1}:{at + 1}: '{lines[line][column:column + length]}'"
                                             f" is {sorted(found)}, not one of {sorted(classes)}")

    def vscode(self, files):
        package = json.loads((EDITORS / "vscode/package.json").read_text())
        version = subprocess.run([self.psic, "--version"], check=True, capture_output=True, text=True).stdout.split()[1]
        self.expect(package["version"] == version, f"the extension is of version {package['version']}")
        for language in package["contributes"]["languages"]:
            self.expect((EDITORS / "vscode" / language["configuration"]).is_file(), language["configuration"])
        grammars = {one["language"]: json.loads((EDITORS / "vscode" / one["path"]).read_text())
                    for one in package["contributes"]["grammars"]}
        for file in files:
            scopes = [vscode_scopes(grammars["psi"], line) for line in file.read_text().splitlines()]

            def class_at(line, at):
                return {kind for scope, kind in VSCODE.items() if scopes[line][at].startswith(scope + ".")} | \
                    ({"form"} if scopes[line][at].startswith("storage.modifier.") else set())

            self.compare("VS Code", file, class_at)
        self.target("VS Code", lambda line: vscode_scopes(grammars["psi-target"], line),
                    {"#": "comment", "[": "keyword", "k": "variable", "9": "constant.numeric"})

    def target(self, editor, colours, names):
        """A section's name, keys, numbers and comments of a description."""
        for line in (ROOT / "examples/mine.target").read_text().splitlines():
            shown = colours(line)
            self.expect("#" not in line or names["#"] in shown[line.index("#")], f"{editor}: {line}: {shown}")
            if section := re.match(r"\[(\w+)\]", line):
                self.expect(names["["] in shown[1] and names["["] in shown[section.end(1) - 1], f"{editor}: {line}: {shown}")
            elif key := re.match(r"[\w-]+", line):
                self.expect(names["k"] in shown[0] and names["k"] in shown[key.end() - 1], f"{editor}: {line}: {shown}")
                if number := re.match(r"[\w-]+ +(\d+)(?= |$)", line):
                    self.expect(names["9"] in shown[number.start(1)], f"{editor}: {line}: {shown}")

    def dump(self, command, script, script_name, file):
        out, source = self.scratch / "out", self.scratch / script_name
        out.unlink(missing_ok=True)
        source.write_text(script.format(editors=EDITORS, file=file, out=out))
        run = subprocess.run([*command, source], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
                             check=False, env={"HOME": str(self.scratch), "TERM": "dumb", "PATH": "/usr/bin:/bin"})
        if not out.exists():
            raise SystemExit(f"{command[0]} on {file} says:\n{run.stdout}{run.stderr}")
        first, *lines = out.read_text().split("\n")
        return first, [line.split(",") for line in lines]

    def vim(self, files):
        command = ["vim", "-es", "-N", "-u", "NONE", "-i", "NONE", "-S"]
        for file in files:
            kind, colours = self.dump(command, VIM_DUMP, "dump.vim", file)
            self.expect(kind == "psi # %s", f"vim takes {file.name} for {kind}")

            def class_at(line, at):
                return {colours[line][at].removeprefix("psi").removeprefix("Suffix").lower()}

            self.compare("vim", file, class_at)
        mine = ROOT / "examples/mine.target"
        kind, colours = self.dump(command, VIM_DUMP, "dump.vim", mine)
        self.expect(kind == "psitarget # %s", f"vim takes {mine.name} for {kind}")
        by_line = dict(zip(mine.read_text().splitlines(), colours))
        self.target("vim", by_line.get, {"#": "Comment", "[": "Section", "k": "Key", "9": "Number"})
        unit = self.scratch / "other.target"
        unit.write_text("[Unit]\nDescription=other\n")
        kind, _ = self.dump(command, VIM_DUMP, "dump.vim", unit)
        self.expect("psi" not in kind, f"vim takes {unit.name} for {kind}")

    def emacs(self, files):
        command = ["emacs", "-Q", "--batch", "-L", EDITORS / "emacs", "-l"]
        for file in files:
            mode, faces = self.dump(command, EMACS_DUMP, "dump.el", file)
            self.expect(mode == "psi-mode", f"emacs takes {file.name} for {mode}")

            def class_at(line, at):
                face = re.sub(r"^font-lock-|-face$", "", faces[line][at])
                return EMACS.get(face, EMACS_PLAIN if not face else {face})

            self.compare("emacs", file, class_at)
        mine = ROOT / "examples/mine.target"
        mode, _ = self.dump(command, EMACS_DUMP, "dump.el", mine)
        self.expect(mode == "psi-target-mode", f"emacs takes {mine.name} for {mode}")
        compiled = self.scratch / "psi-mode.el"
        shutil.copy(EDITORS / "emacs/psi-mode.el", compiled)
        run = subprocess.run(["emacs", "-Q", "--batch", "--eval", "(setq byte-compile-error-on-warn t)", "-f",
                              "batch-byte-compile", compiled], capture_output=True, text=True, timeout=60, check=False)
        self.expect(run.returncode == 0, f"emacs compiles psi-mode: {run.stderr}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--psic", required=True, type=pathlib.Path)
    parser.add_argument("--scratch", required=True, type=pathlib.Path)
    options = parser.parse_args()
    scratch = options.scratch.resolve()
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    test = Test(options.psic.resolve(), scratch)
    test.generated()
    files = test.programs()
    test.vscode(files)
    for editor in ("vim", "emacs"):
        if shutil.which(editor):
            getattr(test, editor)(files)
    print(f"{test.count} checks, {test.failures} failures")
    return 1 if test.failures else 0


if __name__ == "__main__":
    sys.exit(main())
