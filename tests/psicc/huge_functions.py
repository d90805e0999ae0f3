"""Functions far larger than people write them, of which LLVM's code generator would take quadratic time if all of their
branches went: psicc's bounds hold, and the code is right.

    huge_functions.py --psicc PSICC --scratch FOLDER [--times] [TEST...]

--times prints the processor time of clang and psicc for each, as it is and at a larger size.
"""

import re
import resource
import subprocess
import sys

sys.dont_write_bytecode = True

from tools import CLANG, Test, main, options  # noqa: E402

# What the pipeline for compilers (src/pipeline/pipelines.cpp) asks for.
BLOCK_SIZE = 1000
REGIONS = 1000


def lines(n, text):
    return "\n".join(text(i) for i in range(n))


def in_a_row(n):
    return lines(n, lambda i: f"if (a[{i % 64}] > s) {{ s = s * 3 + {i}; r ^= s; }} else r += a[{i % 64}] * s;")


def stores(n):
    return lines(n, lambda i: f"if (a[{i % 64}] * {i + 1} > s) b[{i % 64}] = s ^ {i};")


def else_if(n):
    return " else ".join(f"if (a[0] * {i + 3} > s) s = s * {i % 17 + 2} ^ {i};\n" for i in range(n))


def nested(n):
    return (lines(n, lambda i: f"if (a[{i % 64}] * {i + 1} > s) {{ s += {i} ^ s * 3;")
            + lines(n, lambda i: f"}} else s -= {i} * s;"))


def ands(n):
    return "if (" + " &&\n".join(f"a[{i % 64}] * {i + 1} != s" for i in range(n)) + ") s *= 3;"


def ors(n):
    return "if (" + " ||\n".join(f"a[{i % 64}] * {i + 7} == s * {i}" for i in range(n)) + ") s *= 3;"


def early_exits(n):
    return lines(n, lambda i: f"if (a[{i % 64}] * {i % 5 + 2} == s + {i}) {{ r = s * {i % 9 + 2}; goto out; }}"
                              f" s ^= a[{i % 64}];") + "out: s ^= r;"


def switch(n):
    return ("for (int i = 0; i < 64; i++) switch (a[i] & 8191) {\n"
            + lines(n, lambda i: f"case {i}: s = s * {i % 13 + 3} + {i}; break;") + "default: s -= 1; }")


def long_side(n):
    return "if (s > 3) {" + lines(n, lambda i: f"r = r * {i % 5 + 3} + a[{i % 64}]; s ^= r;") + "}"


def calls(n):
    return lines(n, lambda i: f"if (a[{i % 64}] < s) s += g(s + {i});")


def loops(n):
    return lines(n, lambda i: f"for (int i = 0; i < 64; i++) if (a[i] > s) s = s * {i % 7 + 3} + a[i]; else s ^= {i};")


def many_merges(n):
    return (lines(n, lambda i: f"int v{i} = a[{i % 64}];") + "if (s > 3) {" + lines(n, lambda i: f"v{i} = v{i} * 3 ^ s;")
            + "} else {" + lines(n, lambda i: f"v{i} += {i};") + "}"
            + lines(n, lambda i: f"r = r * 5 ^ v{i};"))


# In the test, and with --times.
SIZES = {in_a_row: (1100, 8000), stores: (600, 8000), else_if: (300, 2000), nested: (150, 240), ands: (500, 5000),
         ors: (500, 5000), early_exits: (400, 4000), switch: (500, 3000), long_side: (600, 6000), calls: (500, 5000),
         loops: (60, 1000), many_merges: (300, 2000)}

MAIN = """
#include <stdio.h>
int f(const unsigned *a, unsigned *b, unsigned s);
unsigned g(unsigned x) { return x * x + 1; }
int main(void) {
  unsigned a[64], b[64] = {0}, x = 7;
  for (unsigned s = 0; s < 20; s++) {
    for (int i = 0; i < 64; i++) a[i] = ((x = x * 1103515245u + 12345u) >> 16) % (s < 10 ? 1000 : 4000000000u);
    printf("%d\\n", f(a, b, s * s * s));
  }
  for (int i = 0; i < 64; i++) printf("%u\\n", b[i]);
  return 0;
}
"""


def program(make, n):
    return (f"unsigned g(unsigned);\nint f(const unsigned *a, unsigned *b, unsigned s) {{\nunsigned r = 0;\n{make(n)}\n"
            "return s ^ r;\n}\n")


def block_sizes(text):
    """Instructions of each block of `f` in LLVM IR."""
    body = re.search(r"(?ms)^define [^\n]*@f\(.*?^}", text).group(0)
    return [sum(1 for line in block.splitlines()[1:] if line.startswith("  ")) for block in body.split("\n\n")]


class HugeFunctions(Test):
    def check(self, make):
        self.write("main.c", MAIN)
        self.write("f.c", program(make, SIZES[make][0]))
        flags = ["-fbracket-depth=10000", "main.c", "f.c", "-o"]
        self.clang("-O1", *flags, "reference")
        for mode in ("cost", "all"):
            self.psicc("-O2", f"-fpsi-mode={mode}", *flags, mode)
            self.assertEqual(self.must(f"./{mode}"), self.must("./reference"), mode)

    def ir(self, *flags):
        return self.psicc("-O2", "-fbracket-depth=10000", "-S", "-emit-llvm", "f.c", "-o", "-", *flags)

    def test_blocks_are_bounded(self):
        for make in in_a_row, stores, early_exits:
            self.write("f.c", program(make, SIZES[make][0]))
            sizes = block_sizes(self.ir("-fpsi-mode=all"))
            # A store takes a select as well, and a merged value one.
            self.assertLess(max(sizes), 3 * BLOCK_SIZE, make.__name__)
            self.assertGreater(max(sizes), BLOCK_SIZE / 2, make.__name__)

    def test_regions_are_bounded(self):
        self.write("f.c", program(in_a_row, SIZES[in_a_row][0]))
        self.ir("-fpsi-remarks=remarks.txt")
        remarks = self.read("remarks.txt").decode()
        self.assertEqual(len(re.findall("blocks from .* converted for x86-64", remarks)), REGIONS)
        self.assertTrue(f"no more regions than {REGIONS} may be converted" in remarks)


for make in SIZES:
    setattr(HugeFunctions, f"test_{make.__name__}", lambda self, make=make: self.check(make))


def processor_time(*command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def times():
    print(f"{'':<14} {'n':>6} {'clang s':>8} {'psicc s':>8} {'ratio':>6} {'all s':>8} {'ratio':>6}")
    options.scratch.mkdir(parents=True, exist_ok=True)
    source = options.scratch / "times.c"
    for make, sizes in SIZES.items():
        for n in sizes:
            source.write_text(program(make, n))
            flags = ["-O2", "-w", "-fbracket-depth=10000", "-c", source, "-o", source.with_suffix(".o")]
            clang, cost, everywhere = (processor_time(*compiler, *flags) for compiler in
                                       ([CLANG], [options.psicc], [options.psicc, "-fpsi-mode=all"]))
            print(f"{make.__name__:<14} {n:6} {clang:8.2f} {cost:8.2f} {cost / clang:6.2f} {everywhere:8.2f} "
                  f"{everywhere / clang:6.2f}", flush=True)


if __name__ == "__main__":
    if "--times" in sys.argv:
        sys.argv.remove("--times")
        main(instead=times)
    else:
        main()
