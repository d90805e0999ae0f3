#!/usr/bin/env python3
"""Wrong command lines and broken files: what psic says, how it ends, what it leaves behind.

    tests/tool/contact.py --psic PSIC --scratch FOLDER

Command lines come from command_lines.txt beside this file, broken files from the table below. Each runs in an empty
folder with a time limit. It must end with the status that the table says, say what the table says, be no bug of
psic's, print no control characters, and leave the folder as it was.

Who meets psic for the first time relies on more, which other tests hold:

    what is written arrives, or psic says so; signals leave no files     output.py
    numbers are in a range; words are guessed at; files may be broken    contact.py (this one), psicc/driver.py
    --help explains, with examples; a man page says the same             manuals.py, golden/tool/help.test
    the shell completes                                                  completion.py
    options mean the same in every command; counters of passes, JSON     golden/tool/{functions,json,grade}.test
    code for a target is code that it can execute                        legal.py, golden/target/legal.psi
    drawings can be read                                                 drawings.py
    progress has a rate and the remaining time                           output.py
    a package installs and runs; editors colour programs                 package.py, editors.py
"""

import argparse
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parent.parent / "examples"
SECONDS = 20

GOOD = b"func $f(%a: i32) -> i32 {\n@entry:\n  %x = add.i32 %a, 1\n  ret %x\n}\n"


def body(text, head=b"func $f(%a: i32) -> i32 {"):
    """A function around some lines."""
    return head + b"\n" + text + b"\n}\n"


# Name, contents (None: there is no such file), the command but for the file, exit status, what standard error must hold.
FILES = [
    # Bytes
    ("empty.psi", b"", "check", 0, ""),
    ("mark.psi", b"\xef\xbb\xbf" + GOOD, "check", 0, ""),
    ("mark.psi", b"\xef\xbb\xbf" + GOOD, "run --func f FILE 1", 0, ""),
    ("mark-and-error.psi", b"\xef\xbb\xbffunk $f", "check", 1,
     "mark-and-error.psi:1:1: error: expected 'func', 'global', 'const' or 'extern', found 'funk'\n  funk $f\n  ^~~~"),
    ("utf16.psi", "func $f()".encode("utf-16"), "check", 1, "found the byte 0xff"),
    ("zeros.psi", b"\0" * 100, "check", 1, "found the byte 0x00"),
    ("binary.psi", bytes(range(256)), "check", 1, "binary.psi:1:1: error:"),
    ("high.psi", b"\x80\xff\xfe", "check", 1, "found the byte 0x80"),
    ("escape.psi", b'func $f() {\n@e:\n  \x1b[31mret\n}\n', "check", 1, "escape.psi:3:3: error:"),
    ("escape-in-name.psi", b'func $f() {\n@e:\n  ret %"\x1b[2J"\n}\n', "check", 1, "error:"),
    ("carriage.psi", GOOD.replace(b"\n", b"\r\n"), "check", 0, ""),
    ("carriage-and-error.psi", GOOD.replace(b"add", b"ad").replace(b"\n", b"\r\n"), "check", 1,
     "carriage-and-error.psi:3:8: error: unknown opcode 'ad' (did you mean 'add'?)\n    %x = ad.i32 %a, 1\n         ^~~~~~\n"),
    ("half-mark.psi", b"\xef\xbb", "check", 1,
     "half-mark.psi:1:1: error: expected 'func', 'global', 'const' or 'extern', found the byte 0xef"),
    ("form-feed.psi", b"func $f() {\n@e:\n  \x0cret\n}\n", "check", 1,
     "form-feed.psi:3:3: error: expected an instruction"),
    ("random.psi", bytes((i * 7919 + i * i) % 251 for i in range(4096)), "check", 1, "random.psi:1:1: error:"),
    ("no-line-end.psi", GOOD[:-1], "check", 0, ""),
    ("long-line.psi", b"func $f() {\n@e:\n  " + b"x" * 100000 + b"\n}\n", "check", 1, "long-line.psi:3:3: error:"),
    ("deep.psi", b"(" * 100000, "check", 1, "deep.psi:1:1: error:"),
    # Text
    ("half.psi", GOOD[:-2], "check", 1, "expected '}' at the end of $f"),
    ("header.psi", b"func $f(", "check", 1, "header.psi:1:"),
    ("two.psi", GOOD + GOOD, "check", 1, "two.psi:6:6: error:"),
    ("no-block.psi", b"func $f() {\n}\n", "check", 1, "expected a block"),
    ("no-label.psi", b"func $f() {\n  ret\n}\n", "check", 1, "no-label.psi:2:3: error:"),
    ("twice.psi", body(b"@a:\n  ret %a\n@a:\n  ret %a"), "check", 1, "block @a is defined twice"),
    ("nowhere.psi", body(b"@a:\n  br @b"), "check", 1, "block @b is never defined"),
    ("undefined.psi", body(b"@a:\n  ret %y"), "check", 1, "register %y is never defined"),
    ("opcode.psi", body(b"@a:\n  %x = ad.i32 %a, 1\n  ret %x"), "check", 1, "did you mean 'add'?"),
    ("type.psi", body(b"@a:\n  %x = add.i33 %a, 1\n  ret %x"), "check", 1, "type.psi:3:8: error: 'i33' is not a type"),
    ("literal.psi", body(b"@a:\n  %x = add.i32 %a, 99999999999\n  ret %x"), "check", 1, "does not fit i32"),
    ("number.psi", body(b"@a:\n  %x = add.i32 %a, 99999999999999999999999\n  ret %x"), "check", 1,
     "number.psi:3:20: error:"),
    ("string.psi", b'const $s = "abc\n', "check", 1, "string.psi:1:"),
    ("operands.psi", body(b"@a:\n  %x = add.i32 %a\n  ret %x"), "check", 1, "operands.psi:3:18: error: expected ','"),
    ("signature.psi", b"func $f(%a: i32, %a: i32) { \n@e:\n ret\n}\n", "check", 1, "signature.psi:1:"),
    ("many.psi", body(b"@a:\n" + b"  bad\n" * 1000 + b"  ret %a"), "check", 1, "many.psi: and 980 more errors"),
    ("many-verify.psi", body(b"@a:\n" + b"".join(b"  %%x%d = add.i64 %%a, 1\n" % i for i in range(1000)) + b"  ret %a"),
     "check", 1, "many-verify.psi: and 980 more errors"),
    ("tab.psi", body(b"@a:\n\t\tbad\n\tret %a"), "check", 1,
     "tab.psi:3:3: error: unknown opcode 'bad'\n  \t\tbad\n  \t\t^~~"),
    ("quote.psi", body(b'@a:\n  ret %"abc'), "check", 1,
     "quote.psi:3:7: error: expected a value, found a string without an end"),
    ("guard.psi", body(b"@a:\n  %a ?\n  ret %a"), "check", 1, "guard.psi:3:"),
    ("colon.psi", body(b"@a\n  ret %a"), "check", 1, "colon.psi:2:3: error: expected ':' after the label"),
    ("nested.psi", body(b"func $g() {\n@a:\n  ret\n}"), "check", 1,
     "nested.psi:2:1: error: expected '}' at the end of $f"),
    ("parentheses.psi", body(b"@a:\n  %x = call.i32 $f((((((%a))))))\n  ret %x"), "check", 1,
     "parentheses.psi:3:20: error: expected a value"),
    ("unknown-call.psi", body(b"@a:\n  %x = call.i32 $nobody(%a)\n  ret %x"), "check", 1, "$nobody is not declared"),
    ("relation.psi", body(b"@a:\n  %p = cmp.less.i32 %a, 1\n  ret %a"), "check", 1,
     "relation.psi:3:8: error: 'less' is not a condition on i32"),
    ("float.psi", body(b"@a:\n  %x = add.i32 %a, 1.5\n  ret %a"), "check", 1,
     "float.psi:3:20: error: '1.5' is not a value of type i32"),
    ("form.psi", body(b"@a:\n  ret %a", b"func $f(%a: i32) -> i32 sssa {"), "check", 1,
     "form.psi:1:25: error: 'sssa' is neither a form"),
    ("arrow.psi", body(b"@a:\n  ret %a", b"func $f(%a: i32) > i32 {"), "check", 1, "arrow.psi:1:18: error:"),
    ("brace.psi", b"}\n", "check", 1,
     "brace.psi:1:1: error: expected 'func', 'global', 'const' or 'extern', found '}'"),
    ("global.psi", b"global $g 12\n", "check", 1, "global.psi:1:11: error: expected '{'"),
    ("counts.psi", body(b"@a: count -1\n  ret %a"), "check", 1, "counts.psi:2:11: error: expected an execution count"),
    # Rules
    ("terminator.psi", body(b"@begin:\n  br @next\n@next:\n  %x = add.i32 %a, 1"), "check", 1,
     "terminator.psi:4:1: error: block @next does not end in a terminator"),
    ("guarded-end.psi", body(b"@begin:\n  ret %a", b"func $f(%a: i1) -> i1 {").replace(b"  ret", b"  %a ? ret"),
     "check", 1, "guarded-end.psi:2:1: error: block @begin ends in a terminator with a guard"),
    ("ssa.psi", body(b"@a:\n  %x = mov.i32 1\n  %x = mov.i32 2\n  ret %x", b"func $f(%a: i32) -> i32 ssa {"), "check", 1,
     "%x has another definition already"),
    ("phi.psi", body(b"@a:\n  %x = phi.i32 [@a: 1]\n  ret %x", b"func $f(%a: i32) -> i32 ssa {"), "check", 1,
     "phi.psi:3:3: error:"),
    ("return.psi", body(b"@a:\n  ret"), "check", 1, "return.psi:3:3: error:"),
    ("mixed.psi", body(b"@a:\n  %x = add.i64 %a, 1\n  ret %a"), "check", 1,
     "operand 1 of add is %a of type i32, not i64"),
    ("guard-type.psi", body(b"@a:\n  %a ? %a = add.i32 %a, 1\n  ret %a"), "check", 1,
     "guard-type.psi:3:3: error: the guard %a has type i32, not i1"),
    ("arguments.psi", body(b"@a:\n  %x = call.i32 $f(%a, %a)\n  ret %x"), "check", 1,
     "call of $f with 2 arguments, which takes 1"),
    ("condition.psi", body(b"@a:\n  br %a, @b, @b\n@b:\n  ret %a"), "check", 1,
     "operand 1 of br is %a of type i32, not i1"),
    ("after-end.psi", body(b"@a:\n  ret %a\n  %x = add.i32 %a, 1"), "check", 1,
     "after-end.psi:4:3: error: add follows a terminator"),
    ("case.psi", body(b"@a:\n  switch.i32 %a, @b, [1: @b], [1: @b]\n@b:\n  ret %a"), "check", 1,
     "switch has two cases for 1"),
    ("phi-plain.psi", body(b"@a:\n  %x = phi.i32 [@a: %a]\n  ret %x"), "check", 1,
     "phi-plain.psi:3:3: error: phi in a function that is plain"),
    ("dominance.psi", body(b"@a:\n  %y = add.i32 %x, 1\n  %x = add.i32 %a, 1\n  ret %y", b"func $f(%a: i32) -> i32 ssa {"), "check", 1,
     "%x is used where its definition does not dominate"),
    # Runs
    ("slot.psi", body(b"@a:\n  %p = slot 18446744073709551615\n  ret %a"), "run FILE 1", 1,
     "slot of 18446744073709551615 (-1) bytes"),
    ("negative-slot.psi", body(b"@a:\n  %p = slot -1\n  ret %a"), "run FILE 1", 1, "(-1)"),
    ("division.psi", body(b"@a:\n  %x = sdiv.i32 1, %a\n  ret %x"), "run FILE 0", 1,
     "undefined behaviour: division by zero"),
    ("endless.psi", body(b"@a:\n  br @b\n@b:\n  br @b"), "run --fuel=1000 FILE 1", 1,
     "out of fuel, of which there was 1000"),
    ("recursion.psi", body(b"@a:\n  %x = call.i32 $f(%a)\n  ret %x"), "run FILE 1", 1, "call"),
    ("external.psi", b"extern func $g() -> i32\nfunc $f() -> i32 {\n@a:\n  %x = call.i32 $g()\n  ret %x\n}\n", "run FILE", 1,
     "$g"),
    ("declared.psi", b"extern func $g() -> i32\n", "run FILE", 1, "has no function to run"),
    ("declared.psi", b"extern func $g() -> i32\n", "run --func g FILE", 1, "$g is only declared"),
    ("unreachable.psi", body(b"@a:\n  unreachable"), "run FILE 1", 1, "undefined behaviour"),
    ("null.psi", body(b"@a:\n  %x = load.i32 null\n  ret %x"), "run FILE 1", 1,
     "null.psi:3:3: error: undefined behaviour: load of 4 bytes through a null pointer"),
    ("bounds.psi", body(b"@a:\n  %p = slot 4\n  %q = ptradd %p, 8\n  store.i32 1, %q\n  ret %a"), "run FILE 1", 1,
     "bounds.psi:5:3: error: undefined behaviour: store"),
    # Other commands on broken files
    ("half.psi", GOOD[:-2], "opt -O2 -o out.psi", 1, "expected '}' at the end of $f"),
    ("half.psi", GOOD[:-2], "print", 1, "expected '}' at the end of $f"),
    ("half.psi", GOOD[:-2], "phis", 1, "expected '}' at the end of $f"),
    ("half.psi", GOOD[:-2], "grade", 1, "expected '}' at the end of $f"),
    ("half.psi", GOOD[:-2], "reduce --test=true", 1, "expected '}' at the end of $f"),
    ("half.psi", GOOD[:-2], "liveness", 1, "expected '}' at the end of $f"),
    ("half.psi", GOOD[:-2], "predicates", 1, "expected '}' at the end of $f"),
    ("half.psi", GOOD[:-2], "predicated-ssa", 1, "expected '}' at the end of $f"),
    ("ssa-form.psi", GOOD.replace(b"i32 {", b"i32 ssa {"), "phis", 1,
     "$f is in ssa form, and phis are placed in plain form"),
    ("nothing.psi", b"# nothing\n", "run", 1, "has no function to run"),
    ("nothing.psi", b"# nothing\n", "liveness", 1, "has no function to look at"),
    # Machines
    ("empty.target", b"", "targets", 1, "empty.target"),
    ("binary.target", bytes(range(256)), "targets", 1, "binary.target:"),
    ("key.target", b"machine m\nsummary s\n[isue]\n", "targets", 1, "did you mean 'issue'?"),
    ("section.target", b"machine m\nsummary s\n[isue\n", "targets", 1, "section.target:3:1: error: expected a section"),
    ("mark.target", b"\xef\xbb\xbfmachine m\nsummary s\n[isue]\n", "targets", 1, "mark.target:3:1: error:"),
]

# That nobody shortens these tables unawares: of files, different ones.
MIN_COMMAND_LINES, MIN_FILES = 100, 60

# The same for a psic with its bridge to LLVM.
LLVM_FILES = [
    ("empty.bc", b"", "check", 1, "empty.bc: error: the file is empty"),
    ("empty.ll", b"", "check", 1, "empty.ll: error: the file is empty"),
    ("text.bc", b"define i32 @f() { ret i32 1 }\n", "check", 1, "text.bc: error: not bitcode"),
    ("damaged.bc", b"BC\xc0\xde\x1b\x1b\x1b\x1b" + b"\x07" * 40, "check", 1,
     "damaged.bc: error: the bitcode is damaged:"),
    ("crashing.bc", (HERE / "Inputs" / "crashing.bc").read_bytes(), "check", 1,
     "crashing.bc: error: the bitcode is damaged:"),
    ("short.bc", b"BC\xc0\xde", "check", 1, "short.bc: error: the bitcode is damaged:"),
    ("damaged", b"BC\xc0\xde" + bytes(range(64)), "check", 1, "damaged: error: the bitcode is damaged:"),
    ("syntax.ll", b"define i32 @f() {\n  ret i33 1, \x1b[2J\n}\n", "check", 1, "syntax.ll:2:"),
    ("mark.ll", b"\xef\xbb\xbfdefine i32 @f() {\n  ret i32 1\n}\n", "run --func f", 0, ""),
    ("wrong.ll", b"define i32 @f(i32 %a) {\n  %b = add i32 %c, 1\n  %c = add i32 %b, 1\n  ret i32 %c\n}\n", "check", 1,
     "wrong.ll: error: LLVM IR that does not verify"),
    ("wrong.c", b"int f( { return 1; }\n", "check", 1, "wrong.c"),
    ("unreadable.c", None, "compile", 1, "psic: error: cannot read 'unreadable.c': No such file or directory\n"),
    ("good.psi", GOOD, "compile", 1, "psic: error: 'good.psi' is neither C nor LLVM IR by its name (.c, .ll, .bc)\n"),
    ("good.c", b"int f(void) { return 1; }\n", "compile -o no/such.o", 1,
     "psic: error: cannot write 'no/such.o': No such file or directory\n"),
    ("good.c", b"int f(void) { return 1; }\n", "compile --passes=gnv", 2, "did you mean 'gvn'?"),
]


def command_lines():
    for number, line in enumerate((HERE / "command_lines.txt").read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        status, words, message = (part.strip() for part in line.split("|", 2))
        # A bar between alternatives of one option is part of no command line.
        yield f"command_lines.txt:{number}", shlex.split(words.replace("{examples}", str(EXAMPLES))), int(status), message


class Contact:
    def __init__(self, psic, scratch):
        self.psic = psic
        self.scratch = scratch
        self.failures = 0
        self.count = 0

    def check(self, name, arguments, status, message, files=None):
        """Runs psic in an empty folder that holds these files only."""
        self.count += 1
        shutil.rmtree(self.scratch, ignore_errors=True)
        self.scratch.mkdir(parents=True)
        for file, contents in (files or {}).items():
            (self.scratch / file).write_bytes(contents)
        complaints = []
        try:
            run = subprocess.run([self.psic, *arguments], cwd=self.scratch, stdin=subprocess.DEVNULL,
                                 capture_output=True, timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return self.fail(name, arguments, [f"no end within {SECONDS} s"], "")
        said = run.stderr.decode(errors="replace")
        if run.returncode != status:
            complaints.append(f"exit status {run.returncode}, not {status}")
        if message not in said:
            complaints.append(f"does not say: {message}")
        if status != 0 and not said:
            complaints.append("says nothing")
        if "internal error" in said or "terminate called" in said:
            complaints.append("a bug in psic")
        if re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", run.stderr):
            complaints.append("control characters")
        left = sorted({path.name for path in self.scratch.iterdir()} - set(files or {}))
        if left:
            complaints.append(f"left behind: {' '.join(left)}")
        if complaints:
            self.fail(name, arguments, complaints, said)
        return None

    def fail(self, name, arguments, complaints, said):
        self.failures += 1
        print(f"{name}: psic {shlex.join(arguments)}")
        for complaint in complaints:
            print(f"    {complaint}")
        for line in said.splitlines()[:6]:
            print(f"    | {line}")


def with_file(command, file):
    words = shlex.split(command)
    return [file if word == "FILE" else word for word in words] if "FILE" in words else [*words, file]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--psic", required=True, type=pathlib.Path)
    parser.add_argument("--scratch", required=True, type=pathlib.Path)
    parser.add_argument("--llvm", action="store_true", help="psic has its bridge to LLVM")
    options = parser.parse_args()
    contact = Contact(options.psic.resolve(), options.scratch.resolve())
    for name, arguments, status, message in command_lines():
        contact.check(name, arguments, status, message)
    for file, contents, command, status, message in FILES + (LLVM_FILES if options.llvm else []):
        if file == "crashing.bc" and not (contact.psic.parent / "psicc").exists():
            continue  # psic is built with sanitizers, which take LLVM's crash for one of psic's
        if command.startswith("compile") and not (contact.psic.parent / "psicc").exists():
            continue  # it says that it has no psicc
        files = {} if contents is None else {file: contents}
        contact.check(file, with_file(command, file), status, message, files)
    num_wrong = sum(status != 0 for _, _, status, _ in command_lines())
    num_broken = len({(file, contents) for file, contents, _, status, _ in FILES if status != 0})
    if num_wrong < MIN_COMMAND_LINES or num_broken < MIN_FILES:
        contact.failures += 1
        print(f"only {num_wrong} wrong command lines and {num_broken} broken files")
    print(f"{contact.count} command lines, {contact.failures} failures")
    return 1 if contact.failures else 0


if __name__ == "__main__":
    sys.exit(main())
