"""From tarballs to bitcode: one module for each C file and level, and one for each package."""

import dataclasses
import hashlib
import json
import os
import pathlib
import re
import shutil

from corpus.obtain import unpack
from corpus.recipe import Skip
from corpus.tools import CLANG, LINK, OPT, CommandFailed, is_current, parallel, replacing, run, write_stamp

LEVELS = {
    "O0": ["-O0", "-Xclang", "-disable-O0-optnone"],
    "O1": ["-O1", "-fno-vectorize", "-fno-slp-vectorize"],
    "O2": ["-O2", "-fno-vectorize", "-fno-slp-vectorize"],
}
# -x c, since some libraries are single headers; SOURCE_DATE_EPOCH, so that __DATE__ stays the same.
FLAGS = ["-x", "c", "-c", "-emit-llvm", "-w", "-fno-strict-aliasing"]
ENVIRONMENT = {**os.environ, "CC": CLANG, "LC_ALL": "C", "SOURCE_DATE_EPOCH": "0"}


@dataclasses.dataclass(frozen=True)
class Unit:
    """A C file; `program` is the one that it alone belongs to, or empty for a file of the library."""
    source: str
    program: str = ""


@dataclasses.dataclass(eq=False)
class Package:
    recipe: object
    into: pathlib.Path
    key: str
    uses: list

    @property
    def name(self):
        return self.recipe.name

    @property
    def folder(self):
        return self.into / "src" / self.name

    def module(self, level):
        return self.into / level / f"{self.name}.bc"

    def bitcode(self, level, unit):
        return self.into / level / self.name / f"{unit.source}.bc"

    def measured_bitcode(self, level, unit):
        """For the common module, where the mains of several programs must have different names."""
        path = self.bitcode(level, unit)
        return path.with_suffix(".main.bc") if unit.program else path

    def units(self):
        programs = [Unit(source, name) for name, files in self.recipe.programs.items() for source in files]
        left_out = {unit.source for unit in programs}
        left_out |= {source for pattern in self.recipe.exclude for source in self.matches(pattern)}
        found = {source: None for pattern in self.recipe.sources for source in self.matches(pattern)}
        return [*(Unit(source) for source in found if source not in left_out), *programs]

    def matches(self, pattern):
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.glob(pattern))

    def include_flags(self):
        """Our own headers come first. The package's folders are relative: no path of a machine gets in."""
        folders = []
        for package in (self, *self.uses):
            folders += [package.recipe.headers] if package.recipe.headers.is_dir() else []
            folders += [f"../{package.name}/{folder}" for folder in package.recipe.include]
        return [f"-I{folder}" for folder in folders]

    def flags(self):
        return [*FLAGS, *self.recipe.flags, *self.include_flags()]

    def counts(self, level):
        """The result of a level, or nothing if it is missing or out of date."""
        path = self.into / level / f"{self.name}.json"
        counts = json.loads(path.read_text()) if path.is_file() else {}
        return counts if counts.get("key") == self.level_key(level) else None

    def compiled(self, level):
        skipped = self.counts(level)["skipped"]
        return [unit for unit in self.units() if unit.source not in skipped]

    def level_key(self, level):
        return digest(self.key, LEVELS[level], FLAGS)


def digest(*parts):
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def prepare(recipe, tarball, uses, into):
    """Unpacks and configures, unless that was done before with the same recipe, tarball and compiler."""
    contents = hashlib.sha256(tarball.read_bytes()).hexdigest()
    compiler, _ = run([CLANG, "--version"])
    package = Package(recipe, into, digest(recipe.digest(), contents, compiler, [p.key for p in uses]), uses)
    stamp = into / "src" / f"{recipe.name}.stamp"
    if is_current(stamp, package.key):
        return package
    stamp.unlink(missing_ok=True)
    shutil.rmtree(package.folder, ignore_errors=True)
    package.folder.parent.mkdir(parents=True, exist_ok=True)
    unpack(tarball, package.folder)
    for command in recipe.prepare:
        try:
            run(["sh", "-c", command], cwd=package.folder, env=ENVIRONMENT)
        except CommandFailed as error:
            raise Skip(f"`{command}` fails: {error}{hint(recipe)}") from None
    write_stamp(stamp, package.key)
    return package


def hint(recipe):
    return f" (needs the Debian packages {', '.join(recipe.needs)})" if recipe.needs else ""


def build(packages, levels, jobs, progress):
    """Compiles missing files. A file that does not compile is left out and reported."""
    missing = [(package, level) for package in packages for level in levels if not package.counts(level)]
    work = [(package, level, unit) for package, level in missing for unit in package.units()]
    work.sort(key=lambda item: -size(item[0].folder / item[2].source))  # the longest first
    progress.start(len(work) + len(missing))

    def compile_one(item):
        package, level, unit = item
        try:
            compile_unit(package, level, unit)
            return None
        except CommandFailed as error:
            return str(error)
        finally:
            progress.step(f"{level} {package.name} {unit.source}")

    failures = dict(zip(work, parallel(jobs, compile_one, work))) if work else {}

    def merge_one(item):
        package, level = item
        skipped = {unit.source: failures[package, level, unit] for unit in package.units()}
        try:
            merge(package, level, {source: reason for source, reason in skipped.items() if reason})
        except CommandFailed as error:
            progress.say(f"skipped: {package.name} {level}: {error}")
        progress.milestone(f"{level} {package.name}")

    parallel(jobs, merge_one, missing)


def size(path):
    return path.stat().st_size if path.is_file() else 0


def compile_unit(package, level, unit):
    command = [CLANG, *package.flags(), *LEVELS[level], unit.source, "-o"]
    outputs = {package.bitcode(level, unit): []}
    if unit.program:
        outputs[package.measured_bitcode(level, unit)] = [f"-Dmain={main_of(unit.program)}"]
    for path, flags in outputs.items():
        path.unlink(missing_ok=True)
        with replacing(path) as partial:
            run([*command, str(partial), *flags], cwd=package.folder, env=ENVIRONMENT)


def main_of(program):
    return "main_" + re.sub(r"[^A-Za-z0-9]", "_", program)


def merge(package, level, skipped):
    """Links all files into one module. Programs may define the same names: only their mains stay visible."""
    units = [unit for unit in package.units() if unit.source not in skipped]
    parts = [package.bitcode(level, unit) for unit in units if not unit.program]
    for program in package.recipe.programs:
        own = [package.measured_bitcode(level, unit) for unit in units if unit.program == program]
        if own:
            parts.append(package.into / level / package.name / f"{program}.program.bc")
            link(own, parts[-1], ["-passes=internalize", f"-internalize-public-api-list={main_of(program)}"])
    if not parts:
        raise CommandFailed("none of its files compiles")
    link(parts, package.module(level), [])
    counts = {"key": package.level_key(level), "files": len(units), "skipped": skipped,
              **count(package.module(level))}
    with replacing(package.into / level / f"{package.name}.json") as partial:
        partial.write_text(json.dumps(counts, indent=1) + "\n")


def link(parts, output, passes):
    with replacing(output) as partial:
        run([LINK, *map(str, parts), "-o", str(partial)])
        if passes:
            run([OPT, *passes, str(partial), "-o", str(partial)])


def count(module):
    _, properties = run([OPT, "-passes=print<func-properties>", "-disable-output", str(module)])
    sizes = [int(size) for size in re.findall(r"^TotalInstructionCount: (\d+)$", properties, re.MULTILINE)]
    return {"functions": len(sizes), "instructions": sum(sizes)}
