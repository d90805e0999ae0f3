"""Programs that went through psic must behave as those that clang alone compiles.

Each C file's bitcode goes through a pipeline, then through clang -O1, and the objects are linked. A script,
programs/PACKAGE/test.sh, runs the programs in an empty folder; what it prints, its status and the files that
it leaves there must be the same, byte for byte, as with programs made from the bitcode as it was.
"""

import dataclasses
import filecmp
import hashlib
import os
import shutil
import subprocess

from corpus import build, inputs
from corpus.recipe import PROGRAMS
from corpus.tools import AR, CLANG, CommandFailed, finish, parallel, reason, replacing, run

REFERENCE = "clang"
METHODS = ["naive", "sreedhar2", "sreedhar3", "briggs", "boissinot", "unified"]
TEST_SECONDS = 300


def pipelines(level, methods):
    """psic's arguments; a line here is one more tested pipeline."""
    plain, ssa = ["--import=plain", "--export-all"], ["--import=ssa", "--export-all"]
    ways = {"ssa": ssa, "construct": [*plain, "--passes=construct"], "O1": [*plain, "-O1"], "O2": [*plain, "-O2"],
            "O2-destruct": [*plain, "--passes=construct,O2,destruct"]}
    for method in methods:
        destruct = f"destruct(method={method})"
        # Unoptimized code has hardly a phi, unless psic makes them.
        ways[f"destruct-{method}"] = ([*plain, f"--passes=construct,{destruct}"] if level == "O0"
                                      else [*ssa, f"--passes={destruct}"])
    return ways


@dataclasses.dataclass(frozen=True)
class Part:
    """A C file of a package, or of one that it uses, or a program of ours that calls its functions."""
    package: build.Package
    unit: build.Unit
    level: str

    @staticmethod
    def units(package, level):
        """The tested files of a package."""
        return package.compiled(level)

    @property
    def folder(self):
        return self.package.into / "test" / self.package.name / self.level

    def object(self, pipeline):
        return self.folder / pipeline / f"{self.unit.source}.o"

    def bitcode(self, pipeline):
        path = PROGRAMS / self.package.name / self.unit.source
        if not path.is_file():
            return self.package.bitcode(self.level, self.unit)
        driver = self.folder / pipeline / f"{self.unit.source}.driver.bc"
        flags = [*self.package.flags(), *build.LEVELS[self.level]]
        with replacing(driver) as partial:
            run([CLANG, *flags, str(path), "-o", str(partial)], cwd=self.package.folder)
        return driver

    def compile(self, pipeline, arguments, psic, made):
        """Makes the object, unless it would be as before, or the same as that of another pipeline: `made` has
        these, by their bitcode. Returns how many functions psic left alone."""
        path = self.object(pipeline)
        bitcode, fresh = path.with_suffix(".bc"), path.with_suffix(".new.bc")
        fresh.parent.mkdir(parents=True, exist_ok=True)
        left = transform(self.bitcode(pipeline), arguments, fresh, psic)
        same = made.setdefault(hashlib.sha256(fresh.read_bytes()).digest(), path)
        if path.is_file() and bitcode.is_file() and filecmp.cmp(fresh, bitcode, shallow=False):
            fresh.unlink()
            return left
        path.unlink(missing_ok=True)
        os.replace(fresh, bitcode)
        if same.is_file():
            os.link(same, path)
            return left
        with replacing(path) as partial:
            run([CLANG, "-O1", "-c", str(bitcode), "-o", str(partial)])
        return left


def transform(bitcode, arguments, output, psic):
    if arguments is None:
        shutil.copyfile(bitcode, output)
        return 0
    _, remarks = run([str(psic), "opt", str(bitcode), *arguments, "-o", str(output)])
    return remarks.count(" is left as it is: ")


class Subject:
    """The programs of a package at a level."""

    def __init__(self, package, level, part=Part):
        self.package, self.level = package, level
        drivers = [build.Unit(path.name, path.stem) for path in sorted((PROGRAMS / package.name).glob("*.c"))]
        self.parts = [part(package, unit, level) for unit in [*part.units(package, level), *drivers]]
        for other in package.uses:
            self.parts += [part(other, unit, level) for unit in part.units(other, level) if not unit.program]
        self.folder = self.parts[0].folder

    def compare(self, reference, pipeline):
        """The failure of a pipeline, or nothing."""
        what = difference(reference, self.run(pipeline, pipeline, self.parts))
        return f"{what} differs, because of {self.culprit(reference, pipeline)}" if what else ""

    def run(self, name, pipeline, chosen):
        """Links the chosen parts as the pipeline made them with the others as clang did; runs the test."""
        return outcome(self.package, self.link(name, pipeline, chosen))

    def link(self, name, pipeline, chosen, linker=(CLANG,)):
        """The folder with the programs in `bin`."""
        folder = self.folder / name
        chosen = set(chosen)
        objects = {part: str(part.object(pipeline if part in chosen else REFERENCE)) for part in self.parts}
        for inner in ("bin", "run"):
            shutil.rmtree(folder / inner, ignore_errors=True)
            (folder / inner).mkdir(parents=True)
        library = folder / "library.a"
        library.unlink(missing_ok=True)
        run([AR, "rcsD", str(library), *(path for part, path in objects.items() if not part.unit.program)])
        for program in {part.unit.program: None for part in self.parts if part.unit.program}:
            own = [path for part, path in objects.items() if part.unit.program == program]
            run([*linker, *own, str(library), *self.package.recipe.link, "-o", str(folder / "bin" / program)])
        return folder

    def culprit(self, reference, pipeline):
        """The file that makes the difference if all others come from clang alone, found by bisection."""
        suspects = self.parts
        while len(suspects) > 1:
            middle = len(suspects) // 2
            for half in (suspects[:middle], suspects[middle:]):
                if difference(reference, self.run("bisect", pipeline, half)):
                    suspects = half
                    break
            else:
                return f"{len(suspects)} files together"
        return f"{suspects[0].package.name} {suspects[0].unit.source}"


def outcome(package, folder):
    """The observable results of a run of the test."""
    script = package.recipe.test
    scratch = folder / "run"
    environment = {"PATH": f"{folder / 'bin'}:/usr/bin:/bin", "HOME": str(scratch), "LC_ALL": "C",
                   "TZ": "UTC", "SOURCES": str(package.folder), "HERE": str(script.parent),
                   "INPUTS": str(package.into / "test" / "inputs")}
    try:
        result = finish(["sh", "-eu", str(script)], TEST_SECONDS, cwd=scratch, env=environment)
    except subprocess.TimeoutExpired:
        return {"exit status": f"none after {TEST_SECONDS} s"}
    seen = {"exit status": result.returncode, "standard output": result.stdout,
            "standard error": result.stderr}
    for path in sorted(scratch.rglob("*")):
        if path.is_file():
            seen[str(path.relative_to(scratch))] = hashlib.sha256(path.read_bytes()).hexdigest()
    return seen


def difference(one, other):
    """The first difference, or nothing."""
    return next((key for key in [*one, *other] if one.get(key) != other.get(key)), None)


def test_subject(subject, ways, failures):
    """For each pipeline its failure, or nothing."""
    reference = subject.run(REFERENCE, REFERENCE, subject.parts)
    if reference["exit status"] != 0:
        raise CommandFailed(f"the test fails without psic: exit status {reference['exit status']}: "
                            f"{reason(reference.get('standard error', b'').decode(errors='replace'))}")
    results = {}
    for pipeline in ways:
        failed = [failures[part, pipeline] for part in subject.parts if (part, pipeline) in failures]
        results[pipeline] = failed[0] if failed else subject.compare(reference, pipeline)
    return results


def test(packages, levels, options, progress):
    if not options.psic.is_file():
        raise CommandFailed(f"{options.psic} is not there; build it, or name another with --psic")
    inputs.write(options.into / "test" / "inputs")
    subjects = [Subject(package, level) for package in packages for level in levels if package.counts(level)]
    parts = dict.fromkeys(part for subject in subjects for part in subject.parts)
    ways = {level: pipelines(level, options.methods) for level in levels}
    progress.start(sum(1 + len(ways[part.level]) for part in parts) + len(subjects))
    failures, left = {}, {}

    def compile_one(part):
        made = {}
        for pipeline, arguments in {REFERENCE: None, **ways[part.level]}.items():
            try:
                left[part, pipeline] = part.compile(pipeline, arguments, options.psic, made)
            except CommandFailed as error:
                failures[part, pipeline] = f"{part.unit.source}: {error}"
            progress.step(f"{part.level} {pipeline} {part.package.name} {part.unit.source}")

    def test_one(subject):
        try:
            return test_subject(subject, ways[subject.level], failures)
        except CommandFailed as error:
            return {pipeline: str(error) for pipeline in ways[subject.level]}
        finally:
            progress.milestone(f"{subject.level} {subject.package.name} runs")

    parallel(options.jobs, compile_one, parts)
    results = parallel(options.jobs, test_one, subjects)
    progress.close()
    return report(subjects, results, left)


def report(subjects, results, left):
    """`left as is` counts the functions that psic IR cannot express and psic returns unchanged."""
    print(f"{'package':14}{'level':6}{'pipeline':20}{'files':>6}{'functions':>11}{'left as is':>12}  result")
    for subject, result in zip(subjects, results):
        name, level = subject.package.name, subject.level
        own = [part for part in subject.parts if part.package == subject.package]
        functions = subject.package.counts(level)["functions"]
        for pipeline, failure in result.items():
            remarks = sum(left.get((part, pipeline), 0) for part in own)
            print(f"{name:14}{level:6}{pipeline:20}{len(own):6}{functions:11}{remarks:12}  "
                  f"{failure or 'same'}")
    failed = sum(1 for result in results for failure in result.values() if failure)
    print(f"{failed} of {sum(map(len, results))} differ")
    return 1 if failed or not results else 0
