"""A package built through ccache, and through distcc with two daemons on this machine, must have the same objects,
byte for byte, as one built without.

    scale_out.py --psicc PSICC --scratch FOLDER [TEST...]

The package is made of the C files of tests/llvm/programs and examples/kernels.
"""

import contextlib
import hashlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True

from tools import CLANG, Test, main, options  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MAKEFILE = """
objects := $(patsubst %.c,%.o,$(wildcard *.c))
all: $(objects)
%.o: %.c
\t$(CC) $(CFLAGS) -w -c $< -o $@
"""
SECONDS = 300


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class ScaleOut(Test):
    def setUp(self):
        super().setUp()
        # Where a daemon of another user can read and write, too.
        self.shared = pathlib.Path(tempfile.mkdtemp(prefix="psicc-test-"))
        self.addCleanup(shutil.rmtree, self.shared, ignore_errors=True)
        self.shared.chmod(0o755)
        for path in (options.psicc, options.plugin):
            shutil.copy2(path, self.shared / path.name)
        self.compiler = self.shared / "psicc"

    def make(self, name, command, flags="-O2", **environment):
        """The objects of the package, by name."""
        folder = self.folder / name
        folder.mkdir()
        for source in [*(ROOT / "tests/llvm/programs").glob("*.c"), *(ROOT / "examples/kernels").glob("*.c")]:
            shutil.copy(source, folder / source.name)
        (folder / "Makefile").write_text(MAKEFILE)
        result = subprocess.run(["make", "-k", "-j2", f"CC={command}", f"CFLAGS={flags}"], cwd=folder, check=False,
                                env={**os.environ, **environment}, capture_output=True, text=True, timeout=SECONDS)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        objects = {path.name: path.read_bytes() for path in folder.glob("*.o")}
        self.assertGreater(len(objects), 50)
        return objects

    def assertSameObjects(self, objects, expected):
        self.assertEqual(objects.keys(), expected.keys())
        self.assertEqual([name for name in expected if objects[name] != expected[name]], [])


@unittest.skipUnless(shutil.which("ccache"), "ccache is not installed")
class Ccache(ScaleOut):
    def setUp(self):
        super().setUp()
        self.settings = {"CCACHE_DIR": str(self.folder / "cache"), "CCACHE_NODISABLE": "1", "CCACHE_CONFIGPATH": "",
                         "CCACHE_BASEDIR": str(self.folder), "CCACHE_NOHASHDIR": "1"}

    def statistics(self):
        text = self.run_command("ccache", "--print-stats", **{**os.environ, **self.settings}).stdout
        return {key: int(value) for key, _, value in (line.partition("\t") for line in text.splitlines())}

    def hits(self):
        now = self.statistics()
        return now["direct_cache_hit"] + now["preprocessed_cache_hit"]

    def test_objects(self):
        plain = self.make("plain", self.compiler)
        clang = self.make("clang", CLANG)
        self.assertTrue(any(plain[name] != clang[name] for name in plain))
        cached = f"ccache {self.compiler}"
        self.assertSameObjects(self.make("first", cached, **self.settings), plain)
        before = self.hits()
        self.assertSameObjects(self.make("second", cached, **self.settings), plain)
        self.assertEqual(self.hits() - before, len(plain))
        # With other options nothing is found.
        before = self.hits()
        everywhere = self.make("all", cached, "-O2 -fpsi-mode=all", **self.settings)
        self.assertEqual(self.hits(), before)
        self.assertSameObjects(everywhere, self.make("plain-all", self.compiler, "-O2 -fpsi-mode=all"))

    def test_another_plugin_is_another_compiler(self):
        """ccache knows a compiler by its file, so psicc must change with its plugin."""
        digest = hashlib.sha256(options.plugin.read_bytes()).hexdigest()[:16]
        self.assertIn(digest.encode(), options.psicc.read_bytes())
        self.assertIn(f"plugin {digest}", self.psicc("--version"))


@unittest.skipUnless(shutil.which("distcc") and shutil.which("distccd"), "distcc is not installed")
class Distcc(ScaleOut):
    @contextlib.contextmanager
    def daemons(self, count):
        """What distcc needs to know of them; they end with the block."""
        commands = self.shared / "commands"
        commands.write_text(f"{self.compiler}\n")
        scratch = self.shared / "tmp"
        scratch.mkdir()
        scratch.chmod(0o1777)
        # A daemon does not work for root.
        user = ["--user", "nobody"] if os.getuid() == 0 else []
        environment = {**os.environ, "DISTCC_CMDLIST": str(commands), "TMPDIR": str(scratch)}
        with contextlib.ExitStack() as stack:
            hosts = []
            for number in range(count):
                port = free_port()
                log = stack.enter_context((self.folder / f"daemon{number}.log").open("w"))
                process = subprocess.Popen(
                    ["distccd", "--daemon", "--no-detach", *user, "--listen", "127.0.0.1", "--port", str(port),
                     "--allow", "127.0.0.1", "--jobs", "2", "--log-stderr", "--log-level", "info"],
                    env=environment, stderr=log, start_new_session=True)
                stack.callback(process.wait)
                stack.callback(os.killpg, process.pid, signal.SIGTERM)
                self.await_port(port, process)
                hosts.append(f"127.0.0.1:{port}/2")
            client = self.folder / "distcc"
            client.mkdir()
            yield {"DISTCC_HOSTS": "--randomize " + " ".join(hosts), "DISTCC_DIR": str(client), "DISTCC_FALLBACK": "0"}

    def await_port(self, port, process):
        for _ in range(100):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                return
            self.assertIsNone(process.poll(), "distccd ends at once")
            time.sleep(0.1)
        self.fail("distccd does not answer")

    def jobs(self, number):
        return (self.folder / f"daemon{number}.log").read_text().count("COMPILE_OK")

    def test_objects(self):
        plain = self.make("plain", self.compiler)
        with self.daemons(2) as settings:
            objects = self.make("distributed", f"distcc {self.compiler}", **settings)
        self.assertSameObjects(objects, plain)
        self.assertEqual(self.jobs(0) + self.jobs(1), len(plain))
        for number in (0, 1):
            self.assertGreater(self.jobs(number), 0, f"daemon {number}")


if __name__ == "__main__":
    main()
