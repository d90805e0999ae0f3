#!/usr/bin/env python3
"""No source counts the positions of operands: psi/ir/views.h names them.

Only `ir` and `text` know what stands where in an operand list, since they define and write it; the live ranges
of `live` and `destruct` are numbered by positions. Elsewhere this looks for what code does that counts for
itself: steps over pairs, "more than three operands", the parity of a position.
"""
import re
import sys
from pathlib import Path

RULES = [
    (re.compile(r"\bfor\s*\([^;]*;[^;]*;[^;)]*\+=\s*2\s*\)"),
     "steps over operands by two: use phi_entries, psi_arguments or as_switch"),
    (re.compile(r"\b(?:inst|cmpp)\w*(?:\([^()]*\))?\.count\s*(?:>|<=)\s*3\b"),
     "asks for old values by a count: use Inst::has_old_values"),
    (re.compile(r"Opcode::Br\b[^;{]*(?:\.count|operands\w*\.size\(\))\s*(?:==|!=|>|>=|<)\s*[123]\b"),
     "tells a branch from a jump by a count: use Inst::is_branch or Inst::is_jump"),
    (re.compile(r"\boperand\s*%\s*2\b"),
     "tells a guard from a value by its position: use is_psi_guard or pair_operand"),
    (re.compile(r"operands\([^()]*\)\[[^\]]*\.operand\s*-\s*1\]"),
     "finds a phi's block by a position: use incoming_block"),
    (re.compile(r"\binfo\([^()]*\)\.effect\b"),
     "asks the table for an effect: use Inst::effect, is_pure, may_trap or writes_memory"),
]
FREE = ("src/ir/", "src/text/", "src/live/", "src/destruct/")


def faults(name, text):
    """(line, message) for each place of a source that counts positions."""
    code = re.sub(r"//[^\n]*", "", text)
    for pattern, message in RULES:
        for match in pattern.finditer(code):
            yield code.count("\n", 0, match.start()) + 1, message


def main():
    root = Path(sys.argv[1])
    count = 0
    for folder in ("src",):
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix not in (".cpp", ".h") or name.startswith(FREE):
                continue
            for line, message in faults(name, path.read_text()):
                print(f"{name}:{line}: error: {message} (psi/ir/views.h)")
                count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
