"""Checks the documents themselves; tests/documentation.py runs their examples.

    documents.py

- Every link leads to a file, and to a heading in it where it names one.
- Every file or folder of the source tree that a document names in backticks exists; in a row of a table, the
  functions named beside a file occur in it.
- Lines wrap at 100 columns, tables, headings and examples aside.
- docs/README.md lists every document.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WIDTH = 100
NAME = re.compile(r"`((?:src|include|tools|tests|fuzz|bench|docs|examples|corpus|scripts|cmake|editors|completions)/[\w./-]+)`")
FUNCTION = re.compile(r"`(?:\w+::)*(\w+)\(\)`")


def documents():
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]


def text_lines(path):
    """The numbered lines outside of fenced blocks."""
    is_fenced = False
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("```"):
            is_fenced = not is_fenced
        elif not is_fenced:
            yield number, line


def anchors(path):
    """The anchors of the headings, as GitHub makes them."""
    found = set()
    for _, line in text_lines(path):
        if line.startswith("#"):
            heading = re.sub(r"[`*]", "", line.lstrip("#").strip().lower())
            found.add(re.sub(r"[^\w\- ]", "", heading).replace(" ", "-"))
    return found


class Checker:
    def __init__(self):
        self.failures = 0

    def fail(self, path, line, message):
        self.failures += 1
        print(f"{path.relative_to(ROOT)}:{line}: {message}", file=sys.stderr)

    def check_links(self, path):
        text = re.sub(r"^```.*?^```", lambda m: "\n" * m.group().count("\n"), path.read_text(), flags=re.S | re.M)
        for link in re.finditer(r"\]\(([^)\s]+)\)", text):
            target, _, anchor = link.group(1).partition("#")
            if ":" in target:
                continue
            line = text.count("\n", 0, link.start()) + 1
            file = (path.parent / target).resolve() if target else path
            if not file.exists():
                self.fail(path, line, f"the link '{link.group(1)}' leads to no file")
            elif anchor and anchor not in anchors(file):
                self.fail(path, line, f"the link '{link.group(1)}' leads to no heading")

    def check_names(self, path):
        for line, text in text_lines(path):
            names = [name for name in NAME.findall(text) if not re.search(r"\b(?:[A-Z]{3,}|build|packages)\b", name)]
            for name in names:
                if not (ROOT / name).exists():
                    self.fail(path, line, f"there is no '{name}'")
            files = [ROOT / name for name in names if (ROOT / name).is_file()]
            if not text.startswith("|") or not files:
                continue
            code = "".join(file.read_text() for file in files)
            for function in FUNCTION.findall(text):
                if not re.search(rf"\b{function}\(", code):
                    self.fail(path, line, f"{function}() is in none of the files of its row")

    def check_width(self, path):
        for line, text in text_lines(path):
            if len(text) > WIDTH and not text.startswith(("|", "#")) and " " in text.strip()[:WIDTH]:
                self.fail(path, line, f"the line is wider than {WIDTH} columns")

    def check_list(self):
        path = ROOT / "docs/README.md"
        listed = set(re.findall(r"\]\((\w[\w-]*\.md)\)", path.read_text()))
        for document in sorted((ROOT / "docs").glob("*.md")):
            if document != path and document.name not in listed:
                self.fail(path, 1, f"{document.name} is not listed")


def main():
    checker = Checker()
    for path in documents():
        checker.check_links(path)
        checker.check_names(path)
        checker.check_width(path)
    checker.check_list()
    print(f"{len(documents())} documents, {checker.failures} failures")
    return 1 if checker.failures else 0


if __name__ == "__main__":
    sys.exit(main())
