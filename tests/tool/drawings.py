#!/usr/bin/env python3
"""Every kind of drawing of every example, as Graphviz renders it.

    tests/tool/drawings.py --psic PSIC --dot DOT --scratch FOLDER

Graphviz must take each without a word, and draw as many boxes and arrows as the text has. A drawing of control flow
must show each instruction as the program has it, whatever characters are in its names.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parent.parent / "examples"
HOSTILE = HERE.parent / "golden" / "tool" / "print-views" / "drawing-names.psi"
VIEWS = ["cfg", "dom", "postdom", "loops", "frontiers", "dj", "adt", "control", "frequencies", "liveness", "webs"]
SVG = "{http://www.w3.org/2000/svg}"
WIDTH = 80  # longer instructions are broken into lines


class Test:
    def __init__(self, psic, dot):
        self.psic, self.dot = psic, dot
        self.failures = self.drawings = 0

    def expect(self, condition, what):
        if not condition:
            self.failures += 1
            print(f"failed: {what}")

    def psic_says(self, *arguments):
        return subprocess.run([self.psic, *arguments], check=True, capture_output=True, text=True, timeout=120).stdout

    def render(self, name, text):
        """The drawings, as SVG."""
        run = subprocess.run([self.dot, "-Tsvg"], input=text, capture_output=True, text=True, timeout=300, check=False)
        self.expect(run.returncode == 0 and not run.stderr, f"dot on {name}: {run.returncode} {run.stderr[:200]}")
        images = [ET.fromstring(image) for image in re.findall(r"<svg.*?</svg>", run.stdout, re.DOTALL)]
        titles = re.findall(r"^(?:di)?graph ", text, re.MULTILINE)
        self.expect(len(images) == len(titles), f"{name}: {len(images)} images of {len(titles)} graphs")
        for kind, pattern in (("node", r"^ *n\d+ \[label="), ("edge", r"^ *n\d+ (?:->|--) n\d+")):
            drawn = sum(len(image.findall(f".//{SVG}g[@class='{kind}']")) for image in images)
            wanted = len(re.findall(pattern, text, re.MULTILINE))
            self.expect(drawn == wanted, f"{name}: {drawn} of {wanted} {kind}s")
        self.drawings += len(images)
        return images

    def shows_instructions(self, file, images):
        def plain(line):  # A type that operands tell may be left out.
            return re.sub(r"\b(mov|phi|psi|select)\.\w+", r"\1", line.replace("\xa0", " ").strip())

        shown = {plain(text.text or "") for image in images for text in image.iter(f"{SVG}text")}
        for line in self.psic_says("print", str(file)).splitlines():
            if line.startswith("  ") and len(line.strip()) <= WIDTH:
                self.expect(plain(line) in shown, f"the drawing of {file.name} does not show: {line.strip()}")

    def file(self, file):
        images = self.render(f"cfg of {file.name}", self.psic_says("print", "--cfg", "--dot", str(file)))
        self.shows_instructions(file, images)
        others = [f"--{view}" for view in VIEWS if view != "cfg"]
        self.render(f"views of {file.name}", self.psic_says("print", "--dot", *others, str(file)))
        for what in ("interference", "dependences"):
            self.render(f"{what} of {file.name}", self.psic_says("liveness", f"--{what}", "--dot", str(file)))
        self.render(f"predicates of {file.name}", self.psic_says("predicates", "--dot", str(file)))

    def nested_loops(self):
        """Blocks are below those that lead to them, but for the back edges of loops."""
        text = self.psic_says("print", "--cfg", "--dot", str(EXAMPLES / "sieve.psi"))
        image, = self.render("nested loops", text)
        top = {}
        for node in image.iterfind(f".//{SVG}g[@class='node']"):
            corners = node.find(f"{SVG}polygon").get("points").split()
            top[node.find(f"{SVG}title").text] = min(float(corner.split(",")[1]) for corner in corners)
        for source, target in re.findall(r"^ *(n\d+) -> (n\d+)(?!.* back )", text, re.MULTILINE):
            self.expect(top[source] < top[target], f"nested loops: {target} is not below {source}")

    def dense_interference(self, scratch):
        """Thousands of pairs take seconds, not minutes."""
        definitions = "".join(f"  %x{i} = add.i32 %a, {i}\n" for i in range(100))
        uses = "".join(f"  %a = add.i32 %a, %x{i}\n" for i in range(100))
        file = scratch / "dense.psi"
        file.write_text(f"func $f(%a: i32) -> i32 {{\n@e:\n{definitions}{uses}  ret %a\n}}\n")
        self.render("dense interference", self.psic_says("liveness", "--interference", "--dot", str(file)))

    def all(self, scratch):
        scratch.mkdir(parents=True, exist_ok=True)
        files = [*sorted(EXAMPLES.glob("*.psi")), *sorted((EXAMPLES / "kernels").glob("*.psi"))[:3], HOSTILE]
        for file in files:
            self.file(file)
            # In SSA form and predicated, with a profile where it can be run.
            for passes in ("construct", "construct,O2,if-convert(mode=all)"):
                converted = scratch / f"{file.stem}-{len(passes)}.psi"
                plain = "ssa" not in self.psic_says("print", str(file)).split()
                if plain:
                    self.psic_says("opt", f"--passes={passes}", str(file), "-o", str(converted))
                    self.file(converted)
        self.nested_loops()
        self.dense_interference(scratch)
        # A long block, of which a part is drawn, and an empty file, of which nothing is.
        long = scratch / "long.psi"
        long.write_text("func $f(%a: i32) -> i32 {\n@e:\n" + "  %a = add.i32 %a, 1\n" * 500 + "  ret %a\n}\n")
        text = self.psic_says("print", "--cfg", "--dot", str(long))
        self.expect("... 411 more instructions ..." in text, "a long block is not shortened")
        self.render("a long block", text)
        self.expect(self.psic_says("print", "--cfg", "--dot", "/dev/null") == "", "a drawing of nothing")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--psic", required=True, type=pathlib.Path)
    parser.add_argument("--dot", required=True)
    parser.add_argument("--scratch", required=True, type=pathlib.Path)
    options = parser.parse_args()
    test = Test(str(options.psic.resolve()), options.dot)
    test.all(options.scratch.resolve())
    print(f"{test.drawings} drawings, {test.failures} failures")
    return 1 if test.failures else 0


if __name__ == "__main__":
    sys.exit(main())
