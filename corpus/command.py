"""The command line of scripts/corpus."""

import argparse
import os
import pathlib
import subprocess
import sys

from corpus import build, obtain, psicc, psicc_speed, recipe, run
from corpus.progress import Progress
from corpus.tools import CommandFailed, parallel

ROOT = pathlib.Path(__file__).resolve().parent.parent
RELEASE = ROOT / "build/release"
COMMANDS = {
    "list": "name the packages",
    "fetch": "obtain their sources",
    "build": "obtain and compile them (the default)",
    "test": "run programs that went through psic",
    "check": "import what was built, verify it, and compare the phis with LLVM's",
    "bench": "time psic on what was built",
    "psicc": "compile with psicc, and run the programs",
    "psicc-suites": "run the packages' own test suites with CC=psicc",
    "psicc-bench": "time psicc beside clang",
    "psicc-speed": "time programs that psicc made with a profile beside clang's",
}


def arguments():
    parser = argparse.ArgumentParser(prog="corpus", description="Real C programs as bitcode: docs/corpus.md")
    parser.add_argument("command", nargs="?", default="build", choices=list(COMMANDS),
                        help="; ".join(f"{name}: {text}" for name, text in COMMANDS.items()))
    parser.add_argument("--cache", type=folder, metavar="DIR", help="where tarballs may lie already")
    parser.add_argument("--only", type=names, default=[], metavar="PKG,...", help="these packages, not all")
    parser.add_argument("--levels", type=levels, default=None, metavar="O0,...",
                        help="levels of optimization: all of O0, O1, O2; O0 and O2 for the tests")
    parser.add_argument("-j", "--jobs", type=positive, default=os.cpu_count(), metavar="N", help="threads")
    parser.add_argument("--into", type=absolute, default=ROOT / "build/corpus", metavar="DIR",
                        help="where everything goes (build/corpus)")
    parser.add_argument("--psic", type=absolute, default=RELEASE / "bin/psic", metavar="FILE",
                        help="the psic to test (build/release/bin/psic)")
    parser.add_argument("--methods", type=methods, default=run.METHODS, metavar="NAME,...",
                        help=f"test, bench: ways out of SSA form, some of {', '.join(run.METHODS)}")
    parser.add_argument("--modes", type=names, default=[], metavar="NAME,...",
                        help="psicc: some of cost, all, early, O2, profile, destruct-METHOD")
    return parser.parse_args()


def absolute(name):
    return pathlib.Path(name).resolve()


def folder(name):
    path = absolute(name)
    if not path.is_dir():
        raise argparse.ArgumentTypeError(f"{name} is not a folder")
    return path


def names(text):
    return [name for name in text.split(",") if name]


def levels(text):
    chosen = names(text)
    unknown = [level for level in chosen if level not in build.LEVELS]
    if unknown or not chosen:
        raise argparse.ArgumentTypeError(f"levels are {', '.join(build.LEVELS)}, not {text!r}")
    return chosen


def methods(text):
    chosen = names(text)
    unknown = [method for method in chosen if method not in run.METHODS]
    if unknown:
        raise argparse.ArgumentTypeError(f"methods are {', '.join(run.METHODS)}, not {text!r}")
    return chosen


def positive(text):
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of threads")
    return int(text)


def fetch(recipes, options, progress):
    """The tarball of each available package."""
    sources = obtain.Sources(options.into / "tarballs", options.cache)
    progress.start(len(recipes))
    found = {}
    for item in recipes:
        try:
            found[item.name] = sources.tarball(item)
        except recipe.Skip as error:
            progress.say(f"skipped: {item.name}: {error}")
        progress.milestone(f"fetch {item.name}")
    return found


def prepare(recipes, tarballs, options, progress):
    """Those packages whose sources could be unpacked and configured; the ones that others use come first."""
    packages = {}

    def prepare_one(item):
        absent = [name for name in item.uses if name not in packages]
        if absent:
            raise recipe.Skip(f"uses {', '.join(absent)}")
        return build.prepare(item, tarballs[item.name], [packages[name] for name in item.uses], options.into)

    def attempt(item):
        try:
            return prepare_one(item)
        except recipe.Skip as error:
            progress.say(f"skipped: {item.name}: {error}")
            return None
        finally:
            progress.milestone(f"prepare {item.name}")

    ready = [item for item in recipes if item.name in tarballs]
    progress.start(len(ready))
    for group in ([item for item in ready if not item.uses], [item for item in ready if item.uses]):
        for package in parallel(options.jobs, attempt, group):
            if package:
                packages[package.name] = package
    return [packages[item.name] for item in ready if item.name in packages]


def with_used(recipes):
    """The recipes and those that they use."""
    used = {name for item in recipes for name in item.uses}
    have = {item.name for item in recipes}
    return [*recipes, *recipe.load_all(sorted(used - have))] if used - have else recipes


def build_all(recipes, options, progress, chosen):
    recipes = with_used(recipes)
    packages = prepare(recipes, fetch(recipes, options, progress), options, progress)
    build.build(packages, chosen, options.jobs, progress)
    progress.close()
    return packages


def table(packages, chosen):
    """Prints the size of each package and level, then the files that could not be compiled."""
    head = "".join(f"{level + ' files':>10}{'functions':>11}{'instructions':>14}" for level in chosen)
    print(f"{'package':14}{head}")
    nothing = {"files": 0, "functions": 0, "instructions": 0, "skipped": {}}
    rows = [(package.name, [package.counts(level) or nothing for level in chosen]) for package in packages]
    total = [{key: sum(counts[i][key] for _, counts in rows) for key in nothing if key != "skipped"}
             for i in range(len(chosen))]
    for name, counts in [*rows, ("total", total)]:
        row = "".join(f"{c['files']:>10}{c['functions']:>11}{c['instructions']:>14}" for c in counts)
        print(f"{name:14}{row}")
    for name, counts in rows:
        for level, c in zip(chosen, counts):
            for source, reason in c["skipped"].items():
                print(f"skipped: {name} {level} {source}: {reason}")


def over_levels(program, flags, options, usual=("O0", "O2")):
    """Runs a program of the build over the bitcode of each level."""
    if not program.exists():
        raise SystemExit(f"corpus: {program} is not there; build it first")
    status = 1
    for level in options.levels or usual:
        files = [path for path in sorted((options.into / level).glob("*.bc"))
                 if not options.only or path.stem in options.only]
        if not files:
            raise SystemExit(f"corpus: no bitcode under {options.into / level}; build it first")
        print(f"=== {level}", flush=True)
        status = subprocess.run([program, *flags, *files], check=False).returncode
        if status != 0:
            break
    return status


def bench(options):
    status = over_levels(RELEASE / "bench/corpus_bench", [], options)
    if status == 0 and options.methods:
        flag = f"--methods={','.join(options.methods)}"
        status = over_levels(RELEASE / "bench/corpus_destruct", [flag], options, usual=["O2"])
    status = status or over_levels(RELEASE / "bench/corpus_optimise", ["--times"], options, usual=["O0"])
    return status or over_levels(RELEASE / "bench/corpus_predicates", [], options)


def with_psicc(recipes, options, progress):
    if options.command == "psicc":
        recipes = [item for item in recipes if item.test.exists()]
    if options.command == "psicc-suites":
        recipes = [item for item in recipes if item.suite]
    if options.command == "psicc-speed":
        recipes = [item for item in recipes if psicc_speed.has_benchmarks(item)]
    asked = {item.name for item in recipes}
    recipes = with_used(recipes)
    packages = prepare(recipes, fetch(recipes, options, progress), options, progress)
    packages = [package for package in packages if package.name in asked]
    progress.close()
    if not packages:
        raise CommandFailed("none of the packages can be had")
    if options.command == "psicc-suites":
        return psicc.suites(packages, options, progress)
    if options.command == "psicc-speed":
        return psicc_speed.bench(packages, options)
    work = psicc.bench if options.command == "psicc-bench" else psicc.test
    return work(packages, options.levels or ["O2"], options, progress)


def main():
    options = arguments()
    recipes = recipe.load_all(options.only)
    progress = Progress()
    try:
        if options.command == "list":
            for item in recipes:
                print(f"{item.name:14} {'npm ' + item.npm if item.npm else 'debian ' + item.debian:24}"
                      f"{'tested' if item.test.exists() else ''}".rstrip())
            return 0
        if options.command == "bench":
            return bench(options)
        if options.command == "check":
            return over_levels(RELEASE / "tests/llvm/import_corpus", ["--construct", "--quiet"], options)
        if options.command == "fetch":
            found = fetch(recipes, options, progress)
            progress.close()
            for name, path in found.items():
                print(f"{name:14} {path}")
            return 0
        if options.command.startswith("psicc"):
            return with_psicc(recipes, options, progress)
        chosen = options.levels or (["O0", "O2"] if options.command == "test" else list(build.LEVELS))
        if options.command == "test":
            recipes = [item for item in recipes if item.test.exists()]
        packages = build_all(recipes, options, progress, chosen)
        if not packages:
            raise CommandFailed("none of the packages can be had")
        if options.command == "build":
            table(packages, chosen)
            return 0
        asked = {item.name for item in recipes}
        return run.test([package for package in packages if package.name in asked], chosen, options, progress)
    except CommandFailed as error:
        progress.close()
        print(f"corpus: {error}", file=sys.stderr)
        return 1
