#!/usr/bin/env python3
"""The Debian package that `cpack` makes of what is built.

    tests/tool/package.py --build FOLDER --cpack CPACK --cmake CMAKE --scratch FOLDER [--psicc]

It must have what people look for where they look for it, depend on what it is linked with and calls, name nothing of
the machine that built it, and run when it is unpacked elsewhere: the tool, psicc, and a program that embeds the
library.
"""

import argparse
import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


class Test:
    def __init__(self, options):
        self.options = options
        self.scratch = options.scratch.resolve()
        self.root = self.scratch / "root"
        self.usr = self.root / "usr"
        self.failures = self.count = 0

    def expect(self, condition, what):
        self.count += 1
        if not condition:
            self.failures += 1
            print(f"failed: {what}")

    def must(self, *command, **settings):
        run = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=600, check=False,
                             **{"cwd": self.scratch, **settings})
        if run.returncode != 0:
            raise SystemExit(f"{' '.join(map(str, command))} failed:\n{run.stdout}{run.stderr}")
        return run.stdout

    def make(self):
        """The package; compressed in haste."""
        shutil.rmtree(self.scratch, ignore_errors=True)
        self.scratch.mkdir(parents=True)
        self.must(self.options.cpack, "--config", self.options.build.resolve() / "CPackConfig.cmake",
                  "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip", "-B", self.scratch / "made")
        packages = list((self.scratch / "made").glob("*.deb"))
        self.expect(len(packages) == 1, f"packages: {packages}")
        return packages[0]

    def control(self, package):
        fields = dict(re.findall(r"(?m)^(\S+): (.*)$", self.must("dpkg-deb", "--field", package)))
        version = self.must(self.options.build.resolve() / "bin" / "psic", "--version").split()[1]
        self.expect(fields["Package"] == "psic" and fields["Version"] == f"{version}-1", f"it is {fields}")
        self.expect(fields["Section"] == "devel" and fields["Maintainer"], f"it is {fields}")
        depends = {name.split()[0] for name in fields["Depends"].split(",")}
        wanted = {"libc6", "libstdc++6", "libtbb12"} | ({"clang-19", "libllvm19"} if self.options.psicc else set())
        self.expect(wanted <= depends, f"it depends on {depends}")
        recommended = {name.strip() for name in fields["Recommends"].split(",")}
        self.expect({"g++", "libfmt-dev", "libtbb-dev"} <= recommended, f"it recommends {recommended}")
        for name in depends | recommended:
            self.must("apt-cache", "show", name)

    def owners(self, package):
        for line in self.must("dpkg-deb", "--contents", package).splitlines():
            mode, owner = line.split()[:2]
            self.expect(owner == "root/root" and mode[5] == mode[8] == "-", f"owner or mode: {line}")

    def files(self):
        has_psicc = self.options.psicc
        commands = [path.name for path in (self.options.build / "man").iterdir() if has_psicc or path.name != "psicc.1"]
        self.expect(len(commands) > 15, f"pages: {commands}")
        wanted = ["bin/psic", "lib/libpsi.a", "lib/cmake/psi/psi-config.cmake", "lib/pkgconfig/psi.pc",
                  "include/psi/psi.h", "include/psi/ir/opcodes.def",
                  *(f"share/man/man1/{page}.gz" for page in commands),
                  "share/bash-completion/completions/psic", "share/fish/vendor_completions.d/psic.fish",
                  "share/zsh/vendor-completions/_psic", "share/doc/psic/copyright", "share/doc/psic/changelog.gz",
                  "share/doc/psic/changelog.Debian.gz", "share/emacs/site-lisp/psi-mode.el",
                  "share/vim/vimfiles/syntax/psi.vim", "share/vim/vimfiles/ftdetect/psi.vim",
                  "share/psic/vscode/package.json"]
        if has_psicc:
            wanted += ["bin/psicc", "lib/libpsi_llvm.a", "lib/psic/psic_plugin.so", "lib/psic/psic_llvm.so",
                       "share/bash-completion/completions/psicc", "share/fish/vendor_completions.d/psicc.fish"]
        documents = [ROOT / "README.md", *(path for folder in ("docs", "examples") for path in (ROOT / folder).rglob("*.*"))]
        self.expect(len(documents) > 50, f"documents and examples: {documents}")
        wanted += [f"share/doc/psic/{path.relative_to(ROOT)}" for path in documents]
        for path in wanted:
            self.expect((self.usr / path).is_file(), f"there is no /usr/{path}")
        self.expect(os.access(self.usr / "share/doc/psic/examples/tutorial/compare", os.X_OK), "a script that cannot run")
        page = gzip.decompress((self.usr / "share/man/man1/psic-opt.1.gz").read_bytes())
        self.expect(page == (self.options.build / "man" / "psic-opt.1").read_bytes(), "psic-opt.1 is another")

    def places(self):
        """No file names where it was built, but for assertions and debugging information."""
        for path in self.usr.rglob("*"):
            if not path.is_file() or path.suffix == ".a" or path.read_bytes().startswith(b"\x7fELF"):
                continue
            for folder in (ROOT, self.options.build.resolve(), self.scratch):
                found = f"{folder}/".encode() in path.read_bytes()
                self.expect(not found, f"{path.relative_to(self.root)} names {folder}")

    def links(self):
        documents = self.usr / "share/doc/psic"
        for path in [documents / "README.md", *(documents / "docs").glob("*.md")]:
            for target in re.findall(r"\]\((?![a-z]+:)([^)#\s]+)", path.read_text()):
                there = path.parent / target
                self.expect(there.exists() or target == "LICENSE", f"{path.name}: the link '{target}' leads nowhere")

    def run(self):
        examples = self.usr / "share/doc/psic/examples"
        psic = self.usr / "bin/psic"
        self.expect(self.must(psic, "run", examples / "gcd.psi", "12", "18") == "6\n", "gcd of 12 and 18")
        first = re.search(r"The documents begin at (\S+)\.\n", self.must(psic, "--help")).group(1)
        self.expect(first == str(self.usr / "share/doc/psic/docs/README.md"), f"the documents begin at {first}")
        self.must(psic, "opt", "-O2", "--target", examples / "mine.target", examples / "gcd.psi")
        answer = self.must(psic, "complete", "bash", "psic", "9", "psic opt --passes=gvn,if-co", "gvn,if-co")
        self.expect("if-convert" in answer, f"completion answers {answer}")
        self.must("bash", "-c", f"source {self.usr}/share/bash-completion/completions/psic; complete -p psic psicc")
        if self.options.psicc:
            kernel = examples / "tutorial/kernels.c"
            for command in ([self.usr / "bin/psicc"], [psic, "compile"]):
                self.must(*command, "-O2", kernel, "-c" if len(command) == 1 else "-S", "-o", self.scratch / "kernel.out")
            self.must(self.usr / "bin/psicc", "-O2", "-fpsi-remarks=remarks", "-c", kernel, "-o", "kernel.o")
            self.expect("converted" in (self.scratch / "remarks").read_text(), "psicc converts nothing")
            self.must("clang-19", "-O2", f"-fpass-plugin={self.usr}/lib/psic/psic_plugin.so", "-c", kernel, "-o", "kernel.o")
            self.expect(self.must(psic, "check", kernel) == "", "a C file")
            self.must(psic, "print", "--cfg", kernel)

    def embed(self):
        example = self.usr / "share/doc/psic/examples/embed"
        build = self.scratch / "embed"
        self.must(self.options.cmake, "-S", example, "-B", build, "-D", f"CMAKE_PREFIX_PATH={self.usr}",
                  "-D", f"CMAKE_CXX_COMPILER={self.options.cxx}")
        self.must(self.options.cmake, "--build", build)
        printed = self.must(build / "embed")
        self.expect(printed and printed in (example / "README.md").read_text(), f"embed prints {printed}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--scratch", required=True, type=pathlib.Path)
    parser.add_argument("--cpack", default="cpack")
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("--cxx", default="g++")
    parser.add_argument("--psicc", action="store_true", help="psicc is built, too")
    test = Test(parser.parse_args())
    package = test.make()
    test.must("dpkg-deb", "--extract", package, test.root)
    test.control(package)
    test.owners(package)
    test.files()
    test.places()
    test.links()
    test.run()
    test.embed()
    print(f"{test.count} checks, {test.failures} failures")
    return 1 if test.failures else 0


if __name__ == "__main__":
    sys.exit(main())
