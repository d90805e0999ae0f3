"""The driver: every kind of command line that a build may have, and psicc's own options.

    driver.py --psicc PSICC --scratch FOLDER [TEST...]
"""

import os
import pathlib
import re
import sys

sys.dont_write_bytecode = True

from tools import CLANG, Test, branches, main, options  # noqa: E402


ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


class AsClang(Test):
    """What clang can do, psicc can."""

    def test_object(self):
        self.psicc("-O2", "-c", "kernel.c", "-o", "psicc.o")
        self.clang("-O2", "-c", "kernel.c", "-o", "clang.o")
        self.assertOtherFile("psicc.o", "clang.o")

    def test_default_output(self):
        self.psicc("-O2", "-c", "kernel.c")
        self.assertTrue((self.folder / "kernel.o").is_file())

    def test_off(self):
        self.psicc("-O2", "-fno-psi", "-c", "kernel.c", "-o", "psicc.o")
        self.clang("-O2", "-c", "kernel.c", "-o", "clang.o")
        self.assertSameFile("psicc.o", "clang.o")

    def test_last_of_on_and_off_counts(self):
        self.psicc("-O2", "-fno-psi", "-fpsi", "-c", "kernel.c", "-o", "on.o")
        self.psicc("-O2", "-c", "kernel.c", "-o", "psicc.o")
        self.assertSameFile("on.o", "psicc.o")

    def test_not_optimised(self):
        for level in ("-O0", "-g"):
            self.psicc(level, "-c", "kernel.c", "-o", "psicc.o")
            self.clang(level, "-c", "kernel.c", "-o", "clang.o")
            # -g names the producer, which is clang in both cases.
            self.assertSameFile("psicc.o", "clang.o")

    def test_levels(self):
        expected = None
        for level in ("-O0", "-O1", "-O2", "-O3", "-Os", "-Oz", "-Og", "-Ofast"):
            flags = [level, "-Wno-deprecated"]
            self.psicc(*flags, "kernel.c", "main.c", "-o", "program")
            output = self.must("./program")
            expected = expected or output
            self.assertEqual(output, expected, level)

    def test_several_inputs_and_link(self):
        self.psicc("-O2", "kernel.c", "main.c", "-o", "program")
        self.clang("-O0", "kernel.c", "main.c", "-o", "reference")
        self.assertEqual(self.must("./program"), self.must("./reference"))

    def test_link_alone(self):
        self.psicc("-O2", "-c", "kernel.c", "main.c")
        self.psicc("-O2", "-Wall", "-Werror", "kernel.o", "main.o", "-lm", "-o", "program")
        self.must("./program")

    def test_preprocessor(self):
        for flags in (["-E"], ["-M"], ["-MM"], ["-E", "-dM"], ["-fsyntax-only"]):
            self.assertEqual(self.psicc("-Werror", *flags, "main.c"), self.clang(*flags, "main.c"), flags)

    def test_dependencies(self):
        self.psicc("-O2", "-MMD", "-MF", "psicc.d", "-MT", "main.o", "-c", "main.c", "-o", "main.o")
        self.clang("-O2", "-MMD", "-MF", "clang.d", "-MT", "main.o", "-c", "main.c", "-o", "clang.o")
        self.assertSameFile("psicc.d", "clang.d")

    def test_assembly_input(self):
        self.psicc("-O2", "-S", "kernel.c", "-o", "kernel.s")
        self.write("more.S", "#define NAME more\n.globl NAME\nNAME: ret\n.section .note.GNU-stack\n")
        self.psicc("-O2", "-Werror", "-c", "kernel.s", "more.S")
        self.psicc("-O2", "-Werror", "kernel.s", "more.S", "main.c", "-o", "program")
        self.psicc("-O2", "-Werror", "-fpsi-mode=all", "-fpsi-unpredictable", "more.S", "kernel.c", "main.c",
                   "-o", "program")
        self.must("./program")

    def test_language_and_standard_input(self):
        text = (self.folder / "kernel.c").read_text()
        self.write("kernel.txt", text)
        self.psicc("-O2", "-x", "c", "-c", "kernel.txt", "-o", "psicc.o")
        self.must("sh", "-c", f"{options.psicc} -O2 -xc -c - -o pipe.o < kernel.c")
        for name in ("psicc.o", "pipe.o"):
            self.assertIn("cmov", self.must("objdump", "-d", name))

    def test_cplusplus(self):
        self.write("kernel.cpp", "struct T { int x; ~T(); }; int f(); int g(int a) "
                                 "{ T t{a}; if (a > f()) return f(); return a < 3 ? a : f(); }")
        self.psicc("-O2", "-fpsi-mode=all", "-std=c++20", "-c", "kernel.cpp")

    def test_llvm_input_and_output(self):
        self.psicc("-O2", "-S", "-emit-llvm", "kernel.c", "-o", "kernel.ll")
        self.assertIn("!unpredictable", self.read("kernel.ll").decode())
        self.clang("-O1", "-c", "-emit-llvm", "kernel.c", "-o", "kernel.bc")
        self.psicc("-O2", "-S", "kernel.bc", "-o", "kernel.s")
        self.assertIn("cmov", self.read("kernel.s").decode())

    def test_link_time_optimisation(self):
        self.psicc("-O2", "-flto", "-c", "kernel.c", "-o", "kernel.o")
        self.assertTrue(self.read("kernel.o").startswith(b"BC"))

    def test_response_file(self):
        self.write("inner.rsp", "-fpsi-mode=all -DWORDS='two words' ")
        self.write("outer.rsp", "-O2\n-DQUOTED=\"a \\\" b\" @inner.rsp -w -c kernel.c\n")
        self.psicc("@outer.rsp", "-o", "psicc.o")
        self.psicc("-O2", "-fpsi-mode=all", "-c", "kernel.c", "-o", "plain.o")
        self.assertSameFile("psicc.o", "plain.o")
        self.write("clang.rsp", "-O2 -c kernel.c")
        self.psicc("-fpsi-mode=all", "@clang.rsp", "-o", "psicc.o")
        self.assertSameFile("psicc.o", "plain.o")
        self.assertNotEqual(self.run_command(options.psicc, "@nowhere.rsp").returncode, 0)

    def test_values_are_no_options(self):
        """What follows an option that takes a value is none, whatever it looks like."""
        self.psicc("-O2", "-c", "kernel.c", "-o", "-fpsi-at=nonsense")
        self.assertTrue((self.folder / "-fpsi-at=nonsense").is_file())

    def test_errors_are_clangs(self):
        self.write("wrong.c", "int f(void) { return x; }")
        result = self.run_command(options.psicc, "-O2", "-c", "wrong.c")
        self.assertEqual(result.returncode, 1)
        self.assertIn("undeclared identifier 'x'", result.stderr)
        self.assertFalse((self.folder / "wrong.o").exists())

    def test_version_and_help(self):
        version = self.psicc("--version")
        self.assertIn("psicc ", version)
        self.assertIn("clang version 19", version)
        text = self.psicc("--help")
        self.assertIn("-fpsi-passes=LIST", text)
        self.assertIn("-fsyntax-only", text)
        self.assertEqual(self.psicc("-dumpmachine"), self.clang("-dumpmachine"))

    def test_installed(self):
        """psicc finds its plugin where both are installed, also through a link."""
        (self.folder / "bin").mkdir()
        (self.folder / "lib/psic").mkdir(parents=True)
        os.link(options.psicc, self.folder / "bin/psicc")
        result = self.run_command("bin/psicc", "-O2", "-c", "kernel.c")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("there is no psic_plugin.so", result.stderr)
        os.link(options.plugin, self.folder / "lib/psic/psic_plugin.so")
        os.symlink("bin/psicc", self.folder / "cc")
        self.must("./cc", "-O2", "-c", "kernel.c", "-o", "link.o")
        self.psicc("-O2", "-c", "kernel.c", "-o", "psicc.o")
        self.assertSameFile("link.o", "psicc.o")

    def test_without_clang(self):
        result = self.run_command(options.psicc, "-c", "kernel.c", PATH="/nowhere")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("cannot run clang-19", result.stderr)


class OwnOptions(Test):
    def assembly(self, *flags, source="kernel.c"):
        return self.psicc("-S", source, "-o", "-", *flags)

    def test_conversion(self):
        clang = self.clang("-O2", "-S", "kernel.c", "-o", "-")
        for flags in ([], ["-fpsi-mode=cost"], ["-fpsi-mode=all"], ["-fpsi-at=late"], ["-fpsi-at=early"]):
            self.assertLess(branches(self.assembly("-O2", *flags), "steps"), branches(clang, "steps"), flags)

    def test_selects_stay(self):
        """A select that clang makes and then undoes in its code generator."""
        clang = self.clang("-O2", "-S", "kernel.c", "-o", "-")
        self.assertLess(branches(self.assembly("-O2", "-fpsi-unpredictable"), "search"), branches(clang, "search"))

    def test_aarch64(self):
        clang = self.clang("-O2", "--target=aarch64-linux-gnu", "-S", "kernel.c", "-o", "-")
        psicc = self.assembly("-O2", "--target=aarch64-linux-gnu")
        self.assertRegex(psicc, r"\bcs(el|inc|inv|neg)\b")
        self.assertLess(branches(psicc, "steps"), branches(clang, "steps"))

    def test_other_targets(self):
        """Machines that psic does not know, or whose code it cannot import."""
        for triple in ("riscv64-linux-gnu", "i386-linux-gnu", "s390x-linux-gnu", "armv7-linux-gnueabihf"):
            if self.run_command(CLANG, f"--target={triple}", "-S", "kernel.c", "-o", "-").returncode == 0:
                self.assembly("-O2", "-fpsi-mode=all", f"--target={triple}")

    def test_passes(self):
        self.assertIn("cmov", self.assembly("-O2", "-fpsi-passes=if-convert(target=x86-64,mode=all),destruct"))
        self.assertNotIn("cmov", self.assembly("-O2", "-fpsi-target=none"))

    def test_wrong_values(self):
        for option, message in {
            "-fpsi-at=never": "'-fpsi-at' must be late or early, not 'never'",
            "-fpsi-at": "'-fpsi-at' needs a value",
            "-fpsi-mode=": "'-fpsi-mode' needs a value",
            "-fpsi-mode=some": "'-fpsi-mode' must be cost or all, not 'some'",
            "-fpsi-unpredictable=yes": "'-fpsi-unpredictable' takes no value",
            "-fpsi-profile-use=nowhere": "there is no profile 'nowhere'",
            "-fpsi-profile-use=.": "no profile in the folder '.'",
            "-fpsi-frobnicate=1": "unknown option '-fpsi-frobnicate'",
            "-fpsi-remark": "unknown option '-fpsi-remark' (did you mean '-fpsi-remarks'?)",
            "-fno-psi-unpredicatble": "unknown option '-fno-psi-unpredicatble' (did you mean '-fno-psi-unpredictable'?)",
            "-fpsi-at=later": "'-fpsi-at' must be late or early, not 'later' (did you mean 'late'?)",
            "-fpsi-passes=construct,nonsense": "nonsense",
            "-fpsi-target=pdp11": "psi: there is no target 'pdp11'; 'psic targets' lists them",
            "-fpsi-target=playdo": "psi: there is no target 'playdo' (did you mean 'playdoh'?)",
        }.items():
            result = self.run_command(options.psicc, "-O2", "-c", "kernel.c", option)
            self.assertEqual(result.returncode, 1, option)
            self.assertIn(message, result.stderr)
            self.assertEqual(len(re.findall("error: ", result.stderr)), 1, result.stderr)
            self.assertFalse((self.folder / "kernel.o").exists(), option)

    def test_remarks(self):
        result = self.run_command(options.psicc, "-O2", "-fpsi-remarks", "-c", "kernel.c")
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stderr, r"kernel\.c:6:\d+: remark: if-convert: .* blocks from .* converted for x86-64")
        self.assertRegex(result.stderr, r"remark: if-convert: br: branch of \S+ kept: ")

    def test_remarks_in_a_file(self):
        self.psicc("-O2", "-fpsi-remarks=remarks.txt", "-c", "kernel.c", "main.c")
        remarks = self.read("remarks.txt").decode()
        self.assertRegex(remarks, r"(?m)^kernel\.c:6:\d+: steps: if-convert: .* blocks from .* converted for x86-64")
        self.assertRegex(remarks, r"(?m)^main\.c:\d+:\d+: main: ")
        result = self.run_command(options.psicc, "-O2", "-fpsi-remarks=/dev/full", "-c", "kernel.c")
        self.assertEqual((result.returncode, result.stderr),
                         (1, "error: psi: cannot write '/dev/full': No space left on device\n1 error generated.\n"))
        for option in "--help", "--version":
            result = self.run_command("bash", "-c", f"{options.psicc} {option} > /dev/full")
            self.assertEqual((result.returncode, result.stderr),
                             (1, "psicc: error: cannot write to standard output: No space left on device\n"))
        result = self.run_command(options.psicc, "-O2", "-fpsi-remarks=no/such/folder", "-c", "kernel.c")
        self.assertEqual(result.returncode, 1)
        self.assertIn("cannot write 'no/such/folder'", result.stderr)

    def test_remarks_change_nothing(self):
        self.psicc("-O2", "-c", "kernel.c", "-o", "without.o")
        self.psicc("-O2", "-fpsi-remarks=remarks.txt", "-c", "kernel.c", "-o", "with.o")
        self.assertSameFile("with.o", "without.o")

    def test_debug_information(self):
        self.psicc("-O2", "-g", "-c", "kernel.c", "-o", "psicc.o")
        self.must("llvm-dwarfdump-19", "--verify", "--quiet", "psicc.o")
        lines = self.must("llvm-dwarfdump-19", "--debug-line", "psicc.o")
        for line in (5, 6, 7, 9, 11):
            self.assertRegex(lines, rf"(?m)^0x\w+ +{line} ", f"line {line}")
        self.assertIn('DW_AT_name	("steps")', self.must("llvm-dwarfdump-19", "psicc.o"))


class RoundTrip(Test):
    def test_nothing_is_lost(self):
        """Functions that go through psic and are not changed compile to the same code."""
        self.psicc("-O2", "-fpsi-target=none", "-Xclang", "-mllvm", "-Xclang", "-psi-export-all", "-c", "kernel.c",
                   "main.c")
        self.clang("-O2", "-c", "kernel.c", "-o", "clang.o")
        self.assertSameFile("kernel.o", "clang.o")


class Documents(Test):
    """docs/psicc.md names what there is; tests/tool/manuals.py looks at the man pages."""

    def test_options(self):
        own = re.findall(r"(?m)^  (-f[a-z-]+)", self.psicc("--help").split("All other options")[0])
        self.assertGreater(len(own), 8)
        for option in own:
            self.assertIn(option, (ROOT / "docs/psicc.md").read_text())


class Fallback(Test):
    def test_crash(self):
        self.clang("-O2", "kernel.c", "main.c", "-o", "reference")
        # Without psic's work on `steps` there is nothing left of it in the object.
        self.clang("-O2", "-c", "kernel.c", "-o", "clang.o")
        for step in ("import", "passes", "export"):
            result = self.run_command(options.psicc, "-O2", "-Werror", f"-fpsi-crash-in=steps:{step}", "-c",
                                      "kernel.c", "-o", "psicc.o")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertRegex(result.stderr, r"^kernel\.c: warning: psic could not transform 'steps' .*\n$")
            self.assertSameFile("psicc.o", "clang.o")

    def test_crash_of_the_compiler(self):
        """Where psic is not guarded by itself, clang runs again without it."""
        self.clang("-O2", "-c", "kernel.c", "-o", "clang.o")
        self.write("input.rsp", "-xc -")
        for source in "kernel.c", "-xc - < kernel.c", "-xc - < <(cat kernel.c)", "@input.rsp < <(cat kernel.c)":
            result = self.run_command("bash", "-c", f"{options.psicc} -O2 -fno-crash-diagnostics -o psicc.o "
                                                    f"-fpsi-crash-in=steps:tuning -c {source}")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("psicc: warning: clang crashed with psic in it; again without\n", result.stderr)
            self.assertEqual(self.must("objdump", "-d", "psicc.o").split("\n", 2)[2],
                             self.must("objdump", "-d", "clang.o").split("\n", 2)[2])

    def test_input_is_not_read_for_output(self):
        """Neither is input that belongs to others, nor does psicc wait for it."""
        command = f"echo left alone | {{ {options.psicc} -O2 -S kernel.c -o - > kernel.s; cat; }}"
        self.assertEqual(self.must("bash", "-c", command), "left alone\n")

    def test_others_are_not_affected(self):
        self.write("two.c", "\n".join(
            f"int {name}(int a, int b) {{ int r = a; if (a > b) {{ r = b * 3; r = r * a + 7; r = r * r ^ b; }} return r; }}"
            for name in ("before", "hit", "after")))
        for how in ("import", "passes", "export", "import:overflow", "passes:overflow", "export:overflow"):
            # Where the stack of a process is not limited none overflows.
            result = self.run_command("bash", "-c", 'ulimit -Ss 8192; exec "$@"', "bash", options.psicc, "-O2", "-g",
                                      "-fpsi-mode=all", f"-fpsi-crash-in=hit:{how}", "-S", "two.c", "-o", "two.s")
            self.assertEqual(result.returncode, 0, result.stderr)
            signal = 11 if "overflow" in how else 6
            self.assertRegex(result.stderr, rf"^two\.c: warning: psic could not transform 'hit' .*signal {signal}\).*\n$")
            assembly = self.read("two.s").decode()
            self.assertGreater(branches(assembly, "hit"), 0)
            self.assertEqual(branches(assembly, "before"), 0)
            self.assertEqual(branches(assembly, "after"), 0)

    def test_unsupported(self):
        """Functions that psic cannot import stay clang's, without a word unless one asks."""
        self.write("odd.c", """
            typedef int vector __attribute__((vector_size(16)));
            void call(void);
            vector f(vector a, int b) { if (b) { call(); a += b * 3; } return a; }
            int g(int n) { static void *to[] = {&&a, &&b}; goto *to[n & 1]; a: return n; b: return n * 3; }
            _Float16 h(_Float16 a, int b) { return b ? a + 1 : a * a; }
            """)
        self.psicc("-O2", "-fpsi-mode=all", "-c", "odd.c", "-o", "psicc.o")
        result = self.run_command(options.psicc, "-O2", "-fpsi-mode=all", "-fpsi-remarks", "-c", "odd.c")
        self.assertIn("left as it is: uses a vector", result.stderr)

    def test_setjmp(self):
        self.write("jump.c", """
            #include <setjmp.h>
            jmp_buf buffer; void call(int *);
            int f(int a) { int r = 1; if (setjmp(buffer) == 0) { call(&r); r = a * 2; } else if (a > 3) r = 7; return r; }
            """)
        self.psicc("-O2", "-fpsi-mode=all", "-c", "jump.c", "-o", "psicc.o")
        self.clang("-O2", "-c", "jump.c", "-o", "clang.o")
        self.assertSameFile("psicc.o", "clang.o")

    def test_sanitizers(self):
        self.psicc("-O2", "-fpsi-mode=all", "-fsanitize=address", "-c", "kernel.c", "-o", "psicc.o")
        self.clang("-O2", "-fsanitize=address", "-c", "kernel.c", "-o", "clang.o")
        self.assertSameFile("psicc.o", "clang.o")


class Profiles(Test):
    """The same branch, taken rarely and half of the time."""
    PROGRAM = """
        #include <stdio.h>
        #include <stdlib.h>
        __attribute__((noinline)) int even(const int *a, int n) {
          int s = 0;
          for (int i = 0; i < n; i++) if (a[i] & 1) s = s * 5 + a[i]; else s = (s ^ a[i]) - 7;
          return s;
        }
        __attribute__((noinline)) int rare(const int *a, int n) {
          int s = 0;
          for (int i = 0; i < n; i++) if (a[i] == 77777) s = s * 5 + a[i]; else s = (s ^ a[i]) - 7;
          return s;
        }
        int main(void) {
          static int a[5000];
          unsigned r = 1;
          for (int i = 0; i < 5000; i++) a[i] = (r = r * 1103515245u + 12345u) >> 16;
          printf("%d %d\\n", even(a, 5000), rare(a, 5000));
        }
        """

    def measure(self):
        self.write("program.c", self.PROGRAM)
        self.psicc("-O2", "-fpsi-profile-generate=profile", "program.c", "-o", "measuring")
        self.must("./measuring")

    def check(self, path):
        self.psicc("-O2", f"-fpsi-profile-use={path}", "-S", "program.c", "-o", "program.s")
        assembly = self.read("program.s").decode()
        self.assertGreater(branches(assembly, "rare"), branches(assembly, "even"))

    def test_profile(self):
        self.measure()
        self.check("profile")
        self.assertTrue((self.folder / "profile/default.profdata").is_file())
        raw = next((self.folder / "profile").glob("*.profraw"))
        os.rename(raw, self.folder / "one.profraw")
        self.check("one.profraw")
        self.check("one.profdata")
        self.clang("-O2", "program.c", "-o", "reference")
        self.psicc("-O2", "-fpsi-profile-use=one.profdata", "program.c", "-o", "program")
        self.assertEqual(self.must("./program"), self.must("./reference"))

    def test_broken_profile(self):
        self.write("wrong.profraw", "this is none")
        result = self.run_command(options.psicc, "-O2", "-fpsi-profile-use=wrong.profraw", "-c", "kernel.c")
        self.assertEqual(result.returncode, 1)
        self.assertIn("psicc: error: llvm-profdata-19 could not merge the raw profiles", result.stderr)


class Predictability(Test):
    """The same branch, which goes both ways as often: in turns, and at random."""
    PROGRAM = """
        #include <stdio.h>
        #define PICK(name) \\
          __attribute__((noinline)) int name(const int *a, int n, int *out) { \\
            int k = 0; \\
            for (int i = 0; i < n; i++) if (a[i] & 1) { out[k] = a[i] * 3 + k; k += 2; } \\
            return k; \\
          }
        PICK(predicted)
        PICK(hard)
        int main(void) {
          static int a[5000], b[5000], out[20000];
          unsigned r = 1;
          for (int i = 0; i < 5000; i++) a[i] = (r = r * 1103515245u + 12345u) >> 16, b[i] = i;
          printf("%d %d\\n", hard(a, 5000, out), predicted(b, 5000, out));
        }
        """

    def setUp(self):
        super().setUp()
        self.write("program.c", self.PROGRAM)
        self.clang("-O2", "program.c", "-o", "reference")
        self.expected = self.must("./reference")

    def measure(self, *flags):
        self.psicc("-O2", *flags, "program.c", "-o", "measuring")
        self.assertEqual(self.must("./measuring"), self.expected)

    def remarks(self, use):
        self.psicc("-O2", use, "-fpsi-remarks=remarks.txt", "program.c", "-o", "program")
        self.assertEqual(self.must("./program"), self.expected)
        return self.read("remarks.txt").decode()

    def test_what_is_predicted_stays(self):
        self.measure("-fpsi-profile-generate=profile")
        remarks = self.remarks("-fpsi-profile-use=profile")
        self.assertRegex(remarks, r"predicted: .* kept: .*; mispredicted 0 % of the time")
        self.assertNotRegex(remarks, r"predicted: .* converted .*; mispredicted")
        self.assertRegex(remarks, r"hard: .* converted .*; mispredicted (4\d|50) % of the time")

    def test_block_layout_is_on_the_command_line(self):
        self.measure("-fpsi-profile-generate=profile")
        use = ["-O2", "-fpsi-profile-use=profile", "-c", "program.c", "-o", "program.o"]
        layout = "-enable-ext-tsp-block-placement="

        def shown(*more):
            return self.run_command(options.psicc, *use, *more, "-###").stderr

        self.assertIn(f"{layout}true", shown())
        self.assertNotIn(layout, shown("-fno-psi"))
        self.assertNotIn(f"{layout}true", shown("-mllvm", f"{layout}false"))
        self.psicc(*use, "-mllvm", f"{layout}false")

    def test_clangs_option(self):
        self.measure("-fpsi-profile-generate=profile")
        self.psicc("-O2", "-fpsi-profile-use=profile", "-c", "program.c", "-o", "psicc.o")
        for path in ("profile", "profile/default.profdata"):
            self.psicc("-O2", f"-fprofile-use={path}", "-c", "program.c", "-o", "clang.o")
            self.assertSameFile("psicc.o", "clang.o")

    def test_same_run_same_profile(self):
        profiles = []
        for _ in range(2):
            self.measure("-fpsi-profile-generate=profile")
            raw = next((self.folder / "profile").glob("*.profraw"))
            profiles.append(self.must("llvm-profdata-19", "show", "--all-functions", "--counts", raw))
            raw.unlink()
        self.assertIn("psi.predict.hard", profiles[0])
        self.assertEqual(*profiles)

    def test_profiles_without_it(self):
        """Those that clang makes: the counts alone tell."""
        for flags in ["-fprofile-generate=profile"], ["-fno-psi", "-fpsi-profile-generate=profile"]:
            self.measure(*flags)
            remarks = self.remarks("-fpsi-profile-use=profile")
            self.assertNotIn("mispredicted", remarks)
            for function in ("predicted", "hard"):
                self.assertRegex(remarks, rf"{function}: .* converted")
            for path in (self.folder / "profile").iterdir():
                path.unlink()
            (self.folder / "remarks.txt").unlink()

    def test_calls_through_pointers(self):
        """clang's own profile of their targets is in the same functions."""
        self.write("call.c", """
            #include <stdio.h>
            int one(int x) { return x + 1; }
            int two(int x) { return x * 2; }
            __attribute__((noinline)) int call(int (*f)(int), int n) { int r = f(n); if (n & 1) r = f(r) - n; return r; }
            int main(void) { int s = 0; for (int i = 0; i < 999; i++) s += call(i % 7 ? one : two, i); printf("%d\\n", s); }
            """)
        self.psicc("-O2", "-fpsi-profile-generate=profile", "call.c", "-o", "measuring")
        expected = self.must("./measuring")
        self.psicc("-O2", "-fpsi-profile-use=profile", "call.c", "-o", "program")
        self.assertEqual(self.must("./program"), expected)

    def test_several_files(self):
        """They share the predictor, and one of them may have changed since."""
        self.psicc("-O2", "-fpsi-profile-generate=profile", "kernel.c", "main.c", "-o", "measuring")
        expected = self.must("./measuring")
        self.write("kernel.c", self.read("kernel.c").decode().replace("int s = 0;", "int s = 0; if (n == 17) return 5;"))
        result = self.run_command(options.psicc, "-O2", "-fpsi-profile-use=profile", "kernel.c", "main.c", "-o", "program")
        self.assertEqual(result.returncode, 0)
        self.assertEqual(self.must("./program"), expected)


class Plugin(Test):
    def test_clang(self):
        self.psicc("-O2", "-c", "kernel.c", "-o", "psicc.o")
        self.clang("-O2", f"-fpass-plugin={options.plugin}", "-c", "kernel.c", "-o", "plugin.o")
        self.assertSameFile("psicc.o", "plugin.o")

    def test_clang_options(self):
        self.psicc("-O2", "-fpsi-mode=all", "-fpsi-at=early", "-c", "kernel.c", "-o", "psicc.o")
        self.clang("-O2", f"-fplugin={options.plugin}", f"-fpass-plugin={options.plugin}", "-mllvm", "-psi-mode=all",
                   "-mllvm", "-psi-at=early", "-c", "kernel.c", "-o", "plugin.o")
        self.assertSameFile("psicc.o", "plugin.o")

    def test_clang_remarks(self):
        result = self.run_command(CLANG, "-O2", f"-fpass-plugin={options.plugin}", "-Rpass=psi", "-c", "kernel.c")
        self.assertRegex(result.stderr, r"kernel\.c:6:\d+: remark: .*\[-Rpass=psi\]")

    def test_opt(self):
        self.clang("-O1", "-S", "-emit-llvm", "kernel.c", "-o", "kernel.ll")
        load = ["opt-19", f"-load-pass-plugin={options.plugin}", "-S", "kernel.ll", "-o", "-"]
        before = self.must("opt-19", "-S", "kernel.ll", "-o", "-")
        for flags in (["-passes=psi"], ["-passes=psi<cost>"], ["-passes=psi<all>"], ["-passes=psi", "-psi-mode=all"],
                      ["-passes=psi", "-psi-passes=if-convert(target=x86-64,mode=all)"]):
            after = self.must(*load, *flags)
            self.assertLess(after.count("br i1"), before.count("br i1"), flags)
            self.assertIn("!unpredictable", after)
        self.assertNotEqual(self.run_command(*load, "-passes=psi<some>").returncode, 0)


class Compile(Test):
    def test_objects(self):
        self.must(options.psic, "compile", "kernel.c", "-O2", "--target=x86-64", "-o", "x86.o")
        self.assertIn("elf64-x86-64", self.must("llvm-objdump-19", "-d", "x86.o").lower())
        self.must(options.psic, "compile", "kernel.c", "-O2", "--target=aarch64", "-o", "arm.o")
        self.assertIn("csel", self.must("llvm-objdump-19", "-d", "arm.o"))
        self.must(options.psic, "compile", "kernel.c")
        self.assertSameFile("kernel.o", "x86.o")
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()),
                         ["arm.o", "kernel.c", "kernel.o", "main.c", "x86.o"])

    def test_texts(self):
        self.assertIn("cmov", self.must(options.psic, "compile", "kernel.c", "-S", "-o", "-"))
        self.must(options.psic, "compile", "kernel.c", "-S", "--emit-llvm", "--mode=all")
        self.assertIn("select", self.read("kernel.ll").decode())
        self.must(options.psic, "compile", "kernel.c", "--emit-llvm", "--clang-flags=-g -DA=1")
        self.assertTrue(self.read("kernel.bc").startswith(b"BC"))

    def test_failures_leave_the_old_file(self):
        self.write("kernel.o", "old")
        self.write("wrong.c", "int f(void) { return x; }")
        result = self.run_command(options.psic, "compile", "wrong.c", "-o", "kernel.o")
        self.assertEqual(result.returncode, 1)
        self.assertEqual(self.read("kernel.o"), b"old")
        result = self.run_command(options.psic, "compile", "kernel.c", "--target=vax")
        self.assertEqual(result.returncode, 2)
        self.assertEqual(len(list(self.folder.iterdir())), 4)


if __name__ == "__main__":
    main()
