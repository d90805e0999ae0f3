"""What the tests of psicc share: commands, a scratch folder for each test, and C files to compile."""

import argparse
import pathlib
import shutil
import subprocess
import sys
import unittest

CLANG = "clang-19"
SECONDS = 120

# A loop with branches that clang keeps, and one with a select that its code generator makes a branch of.
KERNEL = """
int steps(const int *a, int n, int low, int high) {
  int s = 0;
  for (int i = 0; i < n; i++) {
    int v = a[i];
    if (v < low)
      s = s + 1;
    else if (v > high)
      s = s - v;
    else
      s = s ^ 3;
  }
  return s;
}

int search(const int *a, int n, int x) {
  int at = 0;
  while (n > 1) {
    int half = n / 2;
    if (a[at + half] <= x) at += half;
    n -= half;
  }
  return at;
}
"""

MAIN = """
#include <stdio.h>
int steps(const int *a, int n, int low, int high);
int search(const int *a, int n, int x);
int main(void) {
  int a[200];
  unsigned r = 7;
  for (int i = 0; i < 200; i++) a[i] = (int)((r = r * 1103515245u + 12345u) >> 16) % 1000;
  printf("%d %d\\n", steps(a, 200, 250, 700), search(a, 200, 500));
  return 0;
}
"""


class Test(unittest.TestCase):
    """Each test works in an empty folder of its own, which is `self.folder`."""

    def setUp(self):
        self.folder = options.scratch / self.id().rpartition(".")[2]
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.write("kernel.c", KERNEL)
        self.write("main.c", MAIN)

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def read(self, name):
        return (self.folder / name).read_bytes()

    def run_command(self, *command, **environment):
        command = [str(word) for word in command]
        settings = {"env": environment} if environment else {}
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=SECONDS,
                              errors="replace", check=False, **settings)

    def must(self, *command, **environment):
        """Standard output of a command that must succeed, and say nothing on standard error."""
        result = self.run_command(*command, **environment)
        self.assertEqual((result.returncode, result.stderr), (0, ""), f"{command}")
        return result.stdout

    def psicc(self, *arguments):
        return self.must(options.psicc, *arguments)

    def clang(self, *arguments):
        return self.must(CLANG, *arguments)

    def assertSameFile(self, one, other):
        self.assertTrue(self.read(one) == self.read(other), f"{one} and {other} differ")

    def assertOtherFile(self, one, other):
        self.assertFalse(self.read(one) == self.read(other), f"{one} and {other} are the same")


def branches(assembly, function, mnemonics=("j", "b.", "cb", "tb")):
    """Conditional branches in a function of an assembly file."""
    body = assembly.split(f"\n{function}:", 1)[1].split(".size", 1)[0]
    words = [line.split()[0] for line in body.splitlines() if line.startswith("\t") and line.split()]
    return sum(1 for word in words if word.startswith(mnemonics) and word != "jmp")


options = argparse.Namespace()


def main(instead=None):
    """Runs the tests, or `instead`, with the options of the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--psicc", type=pathlib.Path, required=True)
    parser.add_argument("--scratch", type=pathlib.Path, required=True)
    parser.add_argument("tests", nargs="*")
    parser.parse_args(namespace=options)
    options.psicc = options.psicc.resolve()
    options.scratch = options.scratch.resolve()
    options.psic = options.psicc.with_name("psic")
    options.plugin = options.psicc.with_name("psic_plugin.so")
    if instead:
        return instead()
    return unittest.main(module="__main__", argv=[sys.argv[0], *options.tests])
