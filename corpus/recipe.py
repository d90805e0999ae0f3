"""Recipes, packages/NAME.toml: how a package is obtained and compiled; docs/corpus.md lists the keys."""

import dataclasses
import hashlib
import pathlib
import tomllib

FOLDER = pathlib.Path(__file__).resolve().parent
PACKAGES = FOLDER / "packages"
PROGRAMS = FOLDER / "programs"


class Skip(Exception):
    """The reason why a package, or one of its files, is unavailable."""


@dataclasses.dataclass
class Recipe:
    name: str
    tarball: str
    sources: list
    debian: str = ""
    npm: str = ""
    needs: list = dataclasses.field(default_factory=list)
    prepare: list = dataclasses.field(default_factory=list)
    exclude: list = dataclasses.field(default_factory=list)
    include: list = dataclasses.field(default_factory=list)
    flags: list = dataclasses.field(default_factory=list)
    programs: dict = dataclasses.field(default_factory=dict)
    uses: list = dataclasses.field(default_factory=list)
    link: list = dataclasses.field(default_factory=list)
    suite: list = dataclasses.field(default_factory=list)

    @property
    def headers(self):
        """The folder of headers that replace those of a configure script."""
        return PACKAGES / self.name

    @property
    def test(self):
        return PROGRAMS / self.name / "test.sh"

    def digest(self):
        """Changes with everything of ours that the bitcode depends on."""
        state = hashlib.sha256()
        for path in [PACKAGES / f"{self.name}.toml", *sorted(self.headers.rglob("*"))]:
            if path.is_file():
                state.update(str(path.relative_to(PACKAGES)).encode() + b"\0" + path.read_bytes())
        return state.hexdigest()


def load(path):
    try:
        values = tomllib.loads(path.read_text())
        recipe = Recipe(name=path.stem, **values)
    except (tomllib.TOMLDecodeError, TypeError) as error:
        raise SystemExit(f"{path}: {error}") from None
    if bool(recipe.debian) == bool(recipe.npm):
        raise SystemExit(f"{path}: exactly one of 'debian' and 'npm' says where the package comes from")
    return recipe


def load_all(only):
    """All recipes, or those named; they come in the order of their names."""
    recipes = {path.stem: load(path) for path in sorted(PACKAGES.glob("*.toml"))}
    unknown = sorted(set(only) - set(recipes))
    if unknown:
        raise SystemExit(f"corpus: no such package: {', '.join(unknown)} (there are {', '.join(recipes)})")
    return [recipe for name, recipe in recipes.items() if not only or name in only]
