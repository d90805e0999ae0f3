"""The speed of programs that psicc made with a profile, beside clang's.

A package takes part if there is a folder programs/NAME/bench: its bench.sh runs the programs on one of the other
files there. The profile is of all of these. Programs take turns, and what each prints must be the same.
"""

import math
import shutil
import subprocess

from corpus import build
from corpus.psicc import Subject, children_seconds
from corpus.tools import CLANG, CommandFailed, finish, parallel, reason

ROUNDS = 7
RUN_SECONDS = 120


def has_benchmarks(recipe):
    return (recipe.test.parent / "bench" / "bench.sh").exists()


def run(folder, script, benchmark):
    """Processor seconds, and the output."""
    before = children_seconds()
    try:
        result = finish(["sh", "-eu", str(script), str(benchmark)], RUN_SECONDS, cwd=folder / "run",
                        env={**build.ENVIRONMENT, "PATH": f"{folder / 'bin'}:/usr/bin:/bin"})
    except subprocess.TimeoutExpired:
        raise CommandFailed(f"{benchmark.name} takes more than {RUN_SECONDS} s") from None
    if result.returncode != 0:
        raise CommandFailed(f"{benchmark.name}: {reason(result.stderr.decode(errors='replace'))}")
    return children_seconds() - before, result.stdout


def make(subject, way, command, options, linker):
    parallel(options.jobs, lambda part: part.compile(way, command), subject.parts)
    return subject.link(way, way, subject.parts, linker)


def measure(package, options):
    """Seconds by benchmark and compiler, the least of several runs."""
    psicc = str(options.psic.with_name("psicc"))
    subject = Subject(package, "O2")
    script = package.recipe.test.parent / "bench" / "bench.sh"
    benchmarks = sorted(path for path in script.parent.iterdir() if path != script)
    profile = subject.folder / "profile"
    shutil.rmtree(profile, ignore_errors=True)
    generate = [psicc, f"-fpsi-profile-generate={profile}"]
    trained = make(subject, "trained", generate, options, generate)
    for benchmark in benchmarks:
        run(trained, script, benchmark)
    use = f"-fpsi-profile-use={profile}"
    commands = {"clang": [CLANG], "clang, profile": [psicc, "-fno-psi", use], "psicc, profile": [psicc, use]}
    folders = {name: make(subject, name.replace(", ", "-"), command, options, [CLANG])
               for name, command in commands.items()}
    seconds = {benchmark.name: dict.fromkeys(folders, math.inf) for benchmark in benchmarks}
    for benchmark in benchmarks:
        expected = None
        for _ in range(ROUNDS):
            for name, folder in folders.items():
                time, output = run(folder, script, benchmark)
                expected = expected or output
                if output != expected:
                    raise CommandFailed(f"{benchmark.name} prints something else with {name}")
                seconds[benchmark.name][name] = min(seconds[benchmark.name][name], time)
    return seconds


def bench(packages, options):
    names = ["clang", "clang, profile", "psicc, profile"]
    heads = "".join(f"{name + ' s':>18}" for name in names)
    print(f"{'package':10}{'benchmark':14}{heads}{'to clang':>10}{'to clang, profile':>19}")
    for package in packages:
        seconds = measure(package, options)
        rows = [*seconds.items(), ("all", {name: sum(row[name] for row in seconds.values()) for name in names})]
        for benchmark, row in rows:
            ratios = [row[name] / max(row["psicc, profile"], 1e-9) for name in names[:2]]
            print(f"{package.name:10}{benchmark:14}" + "".join(f"{row[name]:18.3f}" for name in names)
                  + f"{ratios[0]:10.3f}{ratios[1]:19.3f}", flush=True)
    return 0
