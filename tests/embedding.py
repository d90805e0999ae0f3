"""Keeps docs/embedding.md true: it describes every public header and no other, psi/psi.h includes all but those of
components, and the C++ that it shows is in the examples, which are compiled and run (tests/embed.cmake).

    embedding.py
"""

import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "embedding.md"


def public_headers():
    include = ROOT / "include"
    return {path.relative_to(include).as_posix() for path in include.rglob("*.h")}


def described_headers(text):
    """The headers named in the first cell of a row of a table."""
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("|")]
    return [header for row in rows for header in re.findall(r"`(psi/[\w/]+\.h)`", row)]


def headers_of_components(text):
    rows = [line for line in text.splitlines() if line.startswith("|") and "(component `" in line]
    return {header for row in rows for header in re.findall(r"`(psi/[\w/]+\.h)`", row.split("|")[1])}


def code_blocks(text):
    return re.findall(r"^```cpp\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def lines_of(code):
    return textwrap.dedent(code).strip("\n").splitlines()


def is_part(block, source):
    """Does the source hold these lines, one after the other, indented alike?"""
    for start in range(len(source) - len(block) + 1):
        if lines_of("\n".join(source[start : start + len(block)])) == block:
            return True
    return False


def main():
    text = DOCUMENT.read_text()
    headers, described = public_headers(), described_headers(text)
    mistakes = [f"{header} is not described" for header in sorted(headers - set(described))]
    mistakes += [f"{header} is described, but does not exist" for header in sorted(set(described) - headers)]
    mistakes += [f"{header} is described twice" for header in sorted(set(described)) if described.count(header) > 1]

    umbrella = set(re.findall(r'#include "(psi/[^"]+)"', (ROOT / "include/psi/psi.h").read_text()))
    wanted = headers - headers_of_components(text) - {"psi/psi.h"}
    mistakes += [f"psi/psi.h does not include {header}" for header in sorted(wanted - umbrella)]
    mistakes += [f"psi/psi.h includes {header}" for header in sorted(umbrella - wanted)]

    sources = [path.read_text().splitlines() for path in sorted((ROOT / "examples").glob("embed*/*.cpp"))]
    for block in code_blocks(text):
        lines = lines_of(block)
        if not any(is_part(lines, source) for source in sources):
            mistakes.append("code that is in no example:\n" + textwrap.indent(block, "    "))

    for mistake in mistakes:
        print(f"docs/embedding.md: {mistake}")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
