"""Source tarballs: from a cache folder, or by name from the registries that this computer already uses."""

import contextlib
import os
import pathlib
import re
import shutil
import tarfile
import tempfile

from corpus.recipe import Skip
from corpus.tools import CommandFailed, replacing, run


class Sources:
    """Finds tarballs. What is downloaded is kept under the given folder for the next time."""

    def __init__(self, folder, cache):
        self.folder = folder
        self.places = [place for place in (cache, folder) if place]
        self.apt = None

    def tarball(self, recipe):
        found = self.find(recipe)
        if not found:
            try:
                if recipe.debian:
                    self.download_debian(recipe)
                else:
                    self.download_npm(recipe)
            except CommandFailed as error:
                raise Skip(f"cannot be downloaded: {error}") from None
            found = self.find(recipe)
        if not found:
            raise Skip(f"the download has no file {recipe.tarball}")
        return found

    def find(self, recipe):
        for place in self.places:
            matches = sorted(place.glob(recipe.tarball))
            if matches:
                return matches[-1]
        return None

    def download_debian(self, recipe):
        if not shutil.which("apt-get"):
            raise Skip("needs apt-get")
        self.apt = self.apt or PrivateApt()
        with tempfile.TemporaryDirectory() as scratch:
            self.apt.source(recipe.debian, scratch)
            self.keep(scratch)

    def download_npm(self, recipe):
        if not shutil.which("npm"):
            raise Skip("needs npm")
        with tempfile.TemporaryDirectory() as scratch:
            run(["npm", "pack", "--silent", recipe.npm], cwd=scratch)
            self.keep(scratch)

    def keep(self, scratch):
        for path in sorted(pathlib.Path(scratch).iterdir()):
            with replacing(self.folder / path.name) as partial:
                shutil.copyfile(path, partial)


class PrivateApt:
    """apt with the machine's own sources, as sources of source packages, and with state of its own."""

    def __init__(self):
        self.state = tempfile.TemporaryDirectory()
        root = pathlib.Path(self.state.name)
        root.chmod(0o755)  # apt reads and writes here as another user
        for folder in ("lists/partial", "archives/partial", "sources"):
            (root / folder).mkdir(parents=True)
        self.copy_sources(root / "sources")
        config = root / "apt.conf"
        config.write_text(f'Dir::Etc::sourcelist "/dev/null";\nDir::Etc::sourceparts "{root}/sources";\n'
                          f'Dir::State::lists "{root}/lists";\nDir::Cache "{root}";\n')
        self.environment = {**os.environ, "APT_CONFIG": str(config), "LC_ALL": "C"}
        with contextlib.suppress(CommandFailed):  # one list that cannot be had does not spoil the others
            run(["apt-get", "update"], env=self.environment)

    def copy_sources(self, folder):
        names = ["list", "Dir::Etc::sourcelist/f", "parts", "Dir::Etc::sourceparts/d"]
        paths, _ = run(["apt-config", "shell", *names])
        places = dict(re.findall(r"^(\w+)='(.*)'$", paths, re.MULTILINE))
        files = [pathlib.Path(places["list"]), *sorted(pathlib.Path(places["parts"]).glob("*"))]
        for number, path in enumerate(path for path in files if path.is_file()):
            if path.suffix in (".list", ".sources"):
                text = for_source_packages(path.read_text(), path.suffix)
                (folder / f"{number}{path.suffix}").write_text(text)

    def source(self, name, folder):
        run(["apt-get", "source", "--tar-only", name], cwd=folder, env=self.environment)


def for_source_packages(text, suffix):
    """The same entries, for source packages: `deb` becomes `deb-src` in either format of apt's lists."""
    if suffix == ".list":
        entries = dict.fromkeys(re.findall(r"^deb(?:-src)?\s+(.*)$", text, re.MULTILINE))
        return "".join(f"deb-src {entry}\n" for entry in entries)
    return re.sub(r"^Types:.*$", "Types: deb-src", text, flags=re.MULTILINE | re.IGNORECASE)


def harmless(archive, folder):
    """The files, folders and links of an archive, none of which may lead out of the folder."""
    root = os.path.realpath(folder)
    for member in archive:
        name = os.path.join(root, member.name)
        places = [name]
        if member.issym():
            places.append(os.path.join(os.path.dirname(name), member.linkname))
        elif member.islnk():
            places.append(os.path.join(root, member.linkname))
        elif not (member.isfile() or member.isdir()):
            continue
        for place in places:
            if os.path.commonpath([root, os.path.realpath(place)]) != root:
                raise tarfile.ReadError(f"{member.name} leads out of the archive")
        member.mode |= 0o600
        yield member


def unpack(tarball, folder):
    """Unpacks into a folder that must not be there, less the one folder that the tarball has at its top."""
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        try:
            with tarfile.open(tarball) as archive:
                archive.extractall(scratch, members=harmless(archive, scratch))
        except (tarfile.TarError, EOFError, OSError) as error:
            raise Skip(f"{tarball.name} cannot be unpacked: {str(error).splitlines()[0]}") from None
        entries = list(pathlib.Path(scratch).iterdir())
        if len(entries) != 1 or not entries[0].is_dir():
            raise Skip(f"{tarball.name} does not hold one folder")
        os.replace(entries[0], folder)
