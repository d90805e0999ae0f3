"""Programs compiled by psicc must behave as those compiled by clang, and compiling must not take longer.

Every C file of a package is compiled by clang and by psicc in several ways, and the objects are linked. The test
scripts run the programs as in run.py, and what can be seen must be the same. A package with a test suite of its
own, `suite` in its recipe, is besides configured, built and tested in its own way with CC=psicc; if that leaves a
file suite.out, it must be the same as with clang.
"""

import dataclasses
import resource
import shutil
import subprocess

from corpus import build, inputs, run
from corpus.recipe import PROGRAMS
from corpus.tools import CLANG, CommandFailed, finish, parallel, reason, replacing

CONVERT = "if-convert(target=x86-64,mode=all)"
SUITE_SECONDS = 3600
PROFILE = "profile"
# For the times: how often each file is compiled; the quickest counts.
ROUNDS = 3


def ways(modes, methods):
    """psicc's options, besides the level."""
    known = {
        "cost": [],
        "all": ["-fpsi-mode=all"],
        "early": ["-fpsi-mode=all", "-fpsi-at=early"],
        "O2": [f"-fpsi-passes=O2,{CONVERT},O2"],
        PROFILE: [],  # of the test itself
        **{f"destruct-{method}": [f"-fpsi-passes={CONVERT},destruct(method={method})"] for method in methods},
    }
    return {name: flags for name, flags in known.items() if not modes or name in modes}


@dataclasses.dataclass(frozen=True)
class Part(run.Part):
    """A C file, compiled to an object by one compiler or the other."""

    @staticmethod
    def units(package, level):
        return package.units()

    @property
    def folder(self):
        return self.package.into / "psicc" / self.package.name / self.level

    @property
    def profile(self):
        return self.folder / "measured"

    def compile(self, way, command):
        """Returns the compiler's messages."""
        # A package that others use, and that has no test of its own, was not measured.
        if way == PROFILE and self.profile.is_dir():
            command = [*command, f"-fpsi-profile-use={self.profile}"]
        own = PROGRAMS / self.package.name / self.unit.source
        source = str(own) if own.is_file() else self.unit.source
        flags = [flag for flag in self.package.flags() if flag != "-emit-llvm"]
        with replacing(self.object(way)) as partial:
            result = finish([*command, *flags, f"-{self.level}", source, "-o", str(partial)],
                            cwd=self.package.folder, env=build.ENVIRONMENT)
            messages = result.stderr.decode(errors="replace")
            if result.returncode != 0:
                partial.touch()
                raise CommandFailed(f"{self.unit.source}: {reason(messages)}")
        return messages


class Subject(run.Subject):
    """The programs of a package at a level, from source."""

    def __init__(self, package, level):
        super().__init__(package, level, Part)

    def measure(self, psicc):
        """Runs the test with programs that write profiles. As far as it comes: bzip2recover takes it for an error
        of its own that clang's runtime found a folder there already."""
        profile = self.parts[0].profile
        shutil.rmtree(profile, ignore_errors=True)
        command = [str(psicc), f"-fpsi-profile-generate={profile}"]
        for part in self.parts:
            part.compile("measuring", command)
        run.outcome(self.package, self.link("measuring", "measuring", self.parts, command))


def test(packages, levels, options, progress):
    """Compares the behaviour of programs; then runs the packages' own suites, if requested."""
    psicc = options.psic.with_name("psicc")
    if not psicc.is_file():
        raise CommandFailed(f"{psicc} is not there; build it, or name a psic beside it with --psic")
    inputs.write(options.into / "test" / "inputs")
    chosen = ways(options.modes, options.methods)
    subjects = [Subject(package, level) for package in packages for level in levels if package.recipe.test.exists()]
    parts = dict.fromkeys(part for subject in subjects for part in subject.parts)
    commands = {run.REFERENCE: [CLANG], **{name: [str(psicc), *flags] for name, flags in chosen.items()}}
    measured = subjects if PROFILE in chosen else []
    progress.start(len(measured) + len(parts) * len(commands) + len(subjects))
    failures, warnings = {}, {}

    def measure_one(subject):
        try:
            subject.measure(psicc)
        except CommandFailed as error:
            failures[subject.parts[0], PROFILE] = str(error)
        progress.milestone(f"{subject.level} {subject.package.name} is measured")

    def compile_one(part):
        for way, command in commands.items():
            try:
                said = part.compile(way, command)
                warnings[part, way] = said.count("warning: psic could not transform")
            except CommandFailed as error:
                failures[part, way] = str(error)
            progress.step(f"{part.level} {way} {part.package.name} {part.unit.source}")

    def test_one(subject):
        try:
            return run.test_subject(subject, chosen, failures)
        except CommandFailed as error:
            return {way: str(error) for way in chosen}
        finally:
            progress.milestone(f"{subject.level} {subject.package.name} runs")

    # One after the other: packages that others use are compiled with them.
    for subject in measured:
        measure_one(subject)
    parallel(options.jobs, compile_one, parts)
    results = parallel(options.jobs, test_one, subjects)
    progress.close()
    return report(subjects, results, warnings)


def report(subjects, results, warnings):
    """`fell back` counts the functions that psic could not transform, and should have."""
    print(f"{'package':14}{'level':6}{'way':20}{'files':>6}{'fell back':>11}  result")
    for subject, result in zip(subjects, results):
        own = [part for part in subject.parts if part.package == subject.package]
        for way, failure in result.items():
            fallen = sum(warnings.get((part, way), 0) for part in own)
            print(f"{subject.package.name:14}{subject.level:6}{way:20}{len(own):6}{fallen:11}  "
                  f"{failure or 'same'}")
    failed = sum(1 for result in results for failure in result.values() if failure)
    print(f"{failed} of {sum(map(len, results))} differ")
    return 1 if failed else 0


def suites(packages, options, progress):
    """The packages' own test suites, with CC=psicc in each way, and with clang to know what to expect."""
    psicc = options.psic.with_name("psicc")
    chosen = {run.REFERENCE: [CLANG]}
    chosen |= {name: [str(psicc), *flags] for name, flags in ways(options.modes or ["cost", "all"], []).items()}
    work = [(package, way) for package in packages for way in chosen if package.recipe.suite]
    progress.start(len(work))

    def run_one(item):
        package, way = item
        folder = package.into / "psicc" / package.name / "suite" / way
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(package.folder, folder, symlinks=True)
        environment = {**build.ENVIRONMENT, "CC": " ".join(chosen[way]), "CFLAGS": "-O2 -w", "JOBS": str(options.jobs),
                       "HERE": str(PROGRAMS / package.name)}
        failure = ""
        for command in package.recipe.suite:
            try:
                result = finish(["sh", "-c", command], SUITE_SECONDS, cwd=folder, env=environment)
            except subprocess.TimeoutExpired:
                failure = f"`{command}` takes more than {SUITE_SECONDS} s"
                break
            text = (result.stdout + result.stderr).decode(errors="replace")
            (folder / "suite.log").open("a").write(f"$ {command}\n{text}")
            if result.returncode != 0:
                failure = f"`{command}`: {reason(text)}"
                break
        reference = folder.parent / run.REFERENCE / "suite.out"
        if not failure and reference.is_file() and reference.read_bytes() != (folder / "suite.out").read_bytes():
            failure = f"suite.out differs from that of {CLANG}"
        progress.milestone(f"{package.name} {way}")
        return failure

    # One after the other: they are parallel in themselves.
    results = [run_one(item) for item in work]
    progress.close()
    print(f"{'package':14}{'way':20}  result of its own tests")
    for (package, way), failure in zip(work, results):
        print(f"{package.name:14}{way:20}  {failure or 'pass'}")
    return 1 if any(results) else 0


def children_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def bench(packages, levels, options, progress):
    """Processor time of psicc beside clang, file by file, alternately, the best of several runs."""
    psicc = options.psic.with_name("psicc")
    commands = {"clang": [CLANG], "psicc": [str(psicc)]}
    print(f"{'package':14}{'level':6}{'files':>6}{'clang s':>10}{'psicc s':>10}{'ratio':>8}")
    totals = dict.fromkeys(commands, 0.0)
    for package in packages:
        for level in levels:
            seconds = dict.fromkeys(commands, 0.0)
            parts = [Part(package, unit, level) for unit in package.units()]
            for part in parts:
                best = dict.fromkeys(commands, float("inf"))
                try:
                    for _ in range(ROUNDS):
                        for name, command in commands.items():
                            before = children_seconds()
                            part.compile(f"time-{name}", command)
                            best[name] = min(best[name], children_seconds() - before)
                except CommandFailed:
                    continue  # it needs what is not here; clang cannot compile it either
                for name in commands:
                    seconds[name] += best[name]
            print(f"{package.name:14}{level:6}{len(parts):6}{seconds['clang']:10.2f}{seconds['psicc']:10.2f}"
                  f"{seconds['psicc'] / max(seconds['clang'], 1e-9):8.3f}", flush=True)
            for name in commands:
                totals[name] += seconds[name]
    print(f"{'total':26}{totals['clang']:10.2f}{totals['psicc']:10.2f}"
          f"{totals['psicc'] / max(totals['clang'], 1e-9):8.3f}")
    return 0
