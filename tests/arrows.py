#!/usr/bin/env python3
"""The rooms of src/ and what they use of each other.

A room's CMakeLists.txt names the rooms it may use, docs/architecture.md draws the same arrows, and both agree
with what the sources include: nothing undeclared is included, nothing declared goes unused, no arrow leads
back. Links are checked by the build (psi_room); includes, and the components, here.

    tests/arrows.py [--root FOLDER] [--print]
"""

import argparse
import pathlib
import re
import sys

COMPONENTS = {"llvm", "exact"}  # libraries of their own: built of libpsi, not part of it


def read_rooms(root):
    """Folder of each room, by name, and the rooms that its CMakeLists.txt names."""
    folders, uses = {}, {}
    for lists in sorted((root / "src").rglob("CMakeLists.txt")):
        found = re.search(r"psi_room\((\w+)([^)]*)\)", lists.read_text())
        if found:
            named = re.search(r"DEPENDS\s+((?:\w+\s*)*?)(?:LIBRARIES|$)", found.group(2).strip())
            folders[found.group(1)] = lists.parent
            uses[found.group(1)] = set(named.group(1).split()) if named else set()
    for component in COMPONENTS:
        folders[component] = root / "src" / component
    return folders, uses


def room_of(path, root, folders):
    """The room that a source or public header belongs to."""
    public = root / "include" / "psi"
    if path.is_relative_to(public):
        parts = path.relative_to(public).parts
        if len(parts) == 1:
            return None  # psi.h, version.h
        return path.stem if parts[0] == "predication" else parts[0]
    for room, folder in folders.items():
        if path.is_relative_to(folder):
            return room
    return None


def read_includes(root, folders):
    """For each pair of rooms (user, used), the places where one includes the other."""
    places, strangers = {}, []
    sources = [p for top in ("include/psi", "src") for p in sorted((root / top).rglob("*")) if p.suffix in (".h", ".cpp")]
    for path in sources:
        user = room_of(path, root, folders)
        if user is None:
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = re.match(r'#include "([^"]+)"', line)
            if not found:
                continue
            where = f"{path.relative_to(root)}:{number}"
            target = next((t for t in (root / "include" / found.group(1), root / "src" / found.group(1)) if t.is_file()), None)
            used = room_of(target, root, folders) if target else None
            if target is None or (used is None and target.parent != root / "include" / "psi"):
                strangers.append(f"{where}: {found.group(1)} is in no room")
            elif used and used != user:
                places.setdefault((user, used), []).append(where)
    return places, strangers


def read_table(root):
    """The rows of the table in docs/architecture.md: room, rooms it uses."""
    rows = {}
    for line in (root / "docs" / "architecture.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        name = re.fullmatch(r"`(\w+)`", cells[0]) if line.startswith("|") and len(cells) == 3 else None
        if name:
            rows[name.group(1)] = set(cells[2].replace(",", " ").split())
    return rows


def find_cycle(uses):
    state, path = {}, []

    def visit(room):
        state[room] = "open"
        path.append(room)
        for used in sorted(uses.get(room, ())):
            if state.get(used) == "open":
                return path[path.index(used):] + [used]
            if used not in state:
                cycle = visit(used)
                if cycle:
                    return cycle
        path.pop()
        state[room] = "done"
        return None

    for room in sorted(uses):
        if room not in state:
            cycle = visit(room)
            if cycle:
                return cycle
    return None


def check(root):
    folders, uses = read_rooms(root)
    places, errors = read_includes(root, folders)
    included = {room: {used for user, used in places if user == room} for room in folders}
    for room in sorted(uses):
        for used in sorted(included[room] - uses[room]):
            errors.append(f"{places[(room, used)][0]}: room '{room}' does not name '{used}' in its CMakeLists.txt")
        for used in sorted(uses[room] - included[room]):
            errors.append(f"room '{room}' names '{used}' in its CMakeLists.txt and includes nothing of it")
    for room in sorted(set(uses) - {"testing"}):
        for used in sorted(included[room] & COMPONENTS):
            errors.append(f"{places[(room, used)][0]}: the core library does without the component '{used}'")
    cycle = find_cycle(included)
    if cycle:
        errors.append("rooms use each other in a cycle: " + " -> ".join(cycle))
    rows = read_table(root)
    for room in sorted(set(folders) | set(rows)):
        if room not in rows:
            errors.append(f"docs/architecture.md: no row for room '{room}'")
        elif room not in folders:
            errors.append(f"docs/architecture.md: there is no room '{room}'")
        elif rows[room] != included[room]:
            wrong = sorted(rows[room] ^ included[room])
            errors.append(f"docs/architecture.md: row '{room}' and the includes differ in: {', '.join(wrong)}")
    return errors, included


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--print", action="store_true", help="print the arrows that the includes draw")
    arguments = parser.parse_args()
    errors, included = check(arguments.root)
    if arguments.print:
        for room in sorted(included):
            print(room, "->", " ".join(sorted(included[room])))
    for error in errors:
        print(error, file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
