#!/usr/bin/env python3
"""What psic explore --json says, against what it says of itself elsewhere and against runs of the program.

    explore.py --psic PSIC --scratch FOLDER [--seeds COUNT]

- It is as schema.json says, for examples, figures and random programs, and the same each time.
- Ids, rows, uses, changes and snapshots agree with each other; the last snapshot is what psic opt prints.
- Masks: lanes are disjoint and cover everything; what is read is live; partitions are partitions.
- Runs of the interpreter have a lane each: what was executed is not ruled out in it, what was not is not claimed.
- Names with markup stay text.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

import schema as json_schema

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SCHEMA = json.loads((HERE / "schema.json").read_text())
CONVERT = "if-convert(target=playdoh,mode=all)"


class Failure(Exception):
    pass


def expect(condition, *what):
    if not condition:
        raise Failure(" ".join(str(w) for w in what))


def by_id(items, key="id"):
    found = {item[key]: item for item in items}
    expect(len(found) == len(items), "an id is there twice")
    return found


def snapshots(function):
    """Each snapshot whole, with its entries by id."""
    whole = []
    for index, one in enumerate(function["snapshots"]):
        full = dict(one)
        base = whole[one["base"]] if "base" in one else None
        expect(one.get("base", -1) < index, "a base must come before its snapshot")
        for kind, key in (("blocks", "id"), ("instructions", "id"), ("values", "id"), ("regions", "entry")):
            entries = dict(base[kind]) if base else {}
            for gone in one.get("gone", {}).get(kind, []):
                expect(entries.pop(gone, None) is not None, "gone before it was there", kind, gone)
            entries.update(by_id(one[kind], key))
            full[kind] = entries
        whole.append(full)
    return whole


def text_of(snapshot):
    lines = [snapshot["head"]]
    for b in snapshot["order"]:
        block = snapshot["blocks"][b]
        lines.append(block["name"] + ":")
        lines += ["  " + snapshot["instructions"][row]["text"] for row in block["rows"]]
    return "\n".join(lines + ["}"]) + "\n"


def without_places(text):
    return re.sub(r"(?m)(, line \d+| count \d+)(?= *$)", "", text)


def lanes_of(snapshot, block):
    region = snapshot["blocks"][block]["region"]
    return len(snapshot["regions"][region]["lanes"]) if region is not None else 0


def unite(masks):
    return "".join("1" if "1" in lane else "?" if "?" in lane else "0" for lane in zip(*masks))


def check_snapshot(snapshot):
    rows = [row for b in snapshot["order"] for row in snapshot["blocks"][b]["rows"]]
    expect(sorted(rows) == sorted(snapshot["instructions"]), "rows and instructions differ")
    expect(sorted(snapshot["order"]) == sorted(snapshot["blocks"]), "order and blocks differ")
    where = {row: b for b in snapshot["order"] for row in snapshot["blocks"][b]["rows"]}
    reads, writes = {}, {}
    for row, b in where.items():
        one, width = snapshot["instructions"][row], lanes_of(snapshot, b)
        for mask in [one["lanes"], *(m for _, m in one["writes"] + one["reads"])]:
            expect(len(mask) == width, "the mask of another region", one["text"], mask)
        for value, _ in one["reads"]:
            reads.setdefault(value, set()).add(row)
        for value, _ in one["writes"]:
            writes.setdefault(value, []).append(row)
        for lane, (executed, reached) in enumerate(zip(one["lanes"], snapshot["blocks"][b]["lanes"])):
            expect(reached != "0" or executed == "0", "executed where the block is not reached", one["text"], lane)
    for value in snapshot["values"].values():
        expect(value["definitions"] == writes.get(value["id"], []), "definitions of", value["name"])
        expect(set(value["uses"]) == reads.get(value["id"], set()), "uses of", value["name"])
        if snapshot["form"] == "ssa":
            expect(len(value["definitions"]) + value["parameter"] <= 1, "two definitions of", value["name"])
    for row, b in where.items():
        check_execution(snapshot, snapshot["instructions"][row], snapshot["blocks"][b])
    for region in snapshot["regions"].values():
        check_region(region)
        check_edges(snapshot, region)
    if "live" not in snapshot["omitted"]:
        check_live(snapshot, where)


def check_execution(snapshot, row, block):
    """What has no guard is executed where its block is reached; a psi where it writes; others where the guard holds."""
    is_psi = re.search(r"= psi\b", row["text"])
    if is_psi:
        expect([mask for _, mask in row["writes"]] == [row["lanes"]], "a psi's lanes", row["text"])
    if is_psi or not row["guard"]:
        expect(is_psi or row["lanes"] == block["lanes"], "executed elsewhere than its block", row["text"], row["lanes"])
        return
    if block["region"] is None or snapshot["form"] != "ssa":
        return
    for one in snapshot["regions"][block["region"]]["sets"]:
        if row["guard"][0] not in one["values"]:
            continue
        for executed, held, reached in zip(row["lanes"], one["lanes"], block["lanes"]):
            if "?" not in (held, reached):
                wanted = str(int(reached == "1" and (held == "1") == row["guard"][1]))
                expect(executed == wanted, "lanes of the guard", row["text"], row["lanes"], one["lanes"])


def check_edges(snapshot, region):
    """Edges of a block are disjoint, and lead on all that reaches it; a block is reached by what leads to it."""
    for b in region["blocks"]:
        block = snapshot["blocks"][b]
        ends = [snapshot["instructions"][row] for row in block["rows"]]
        leaves = any(re.search(r"(^|\? )(ret|unreachable)\b", row["text"]) for row in ends)
        is_plain_switch = snapshot["form"] != "ssa" and any(re.search(r"(^|\? )switch\b", row["text"]) for row in ends)
        for lane, reached in enumerate(block["lanes"]):
            cells = [edge["lanes"][lane] for edge in block["to"]]
            expect(is_plain_switch or cells.count("1") <= 1, "two edges at once", block["name"])
            # A lane of a region that is not exact may be empty without a proof; then each answer is right.
            if not region["exact"]:
                continue
            if block["to"] and not leaves and not is_plain_switch and "?" not in cells + [reached]:
                expect(("1" in cells) == (reached == "1"), "edges and block differ", block["name"], cells, reached)
            into = [edge["lanes"][lane] for p in region["blocks"] for edge in snapshot["blocks"][p]["to"]
                    if edge["block"] == b and not edge["back"]]
            if b != region["entry"] and "?" not in into + [reached]:
                expect(("1" in into) == (reached == "1"), "block and edges to it differ", block["name"], into, reached)


def check_region(region):
    width = len(region["lanes"])
    sets = by_id(region["sets"])
    expect(sets[1]["lanes"] == "1" * width, "not all executions are in the lanes", region["entry"])
    slots = [lane["slot"] for lane in region["lanes"]]
    expect(slots == sorted(set(slots)), "lanes and slots are not in order", slots)
    expect(abs(sum(lane["weight"] for lane in region["lanes"]) - 1) < 1e-5, "weights")
    for i, lane in enumerate(region["lanes"]):
        if lane["set"] is not None:
            expect(sets[lane["set"]]["lanes"] == "0" * i + "1" + "0" * (width - i - 1), "a lane is not its set", lane)
    for whole, *parts in region["partitions"]:
        masks = [sets[part]["lanes"] for part in parts]
        for lane in range(width):
            cells = [mask[lane] for mask in masks]
            expect(cells.count("1") <= 1, "parts overlap", region["entry"], whole, parts)
            if "?" not in cells:
                expect(sets[whole]["lanes"][lane] in ("?", "1" if "1" in cells else "0"), "parts and whole differ", whole, parts)
    if region["exact"]:
        expect(all("?" not in one["lanes"] for one in region["sets"]), "exact, with sets that are not known")


def check_live(snapshot, where):
    """What an instruction reads in a lane is live there before it."""
    position = {row: i for b in snapshot["order"] for i, row in enumerate(snapshot["blocks"][b]["rows"])}
    live = {}
    for value in snapshot["values"].values():
        for b, first, last, mask in value.get("live", []):
            size = len(snapshot["blocks"][b]["rows"])
            span = (0 if first is None else position[first] + 1, size if last is None else position[last], mask)
            expect(span[0] <= span[1], "a life of no length", value["name"])
            live.setdefault((value["id"], b), []).append(span)
    for row, b in where.items():
        one = snapshot["instructions"][row]
        if re.search(r"= phi\b", one["text"]):
            continue
        for value, mask in one["reads"]:
            spans = [m for first, last, m in live.get((value, b), []) if first <= position[row] <= last]
            held = unite(spans) if spans else "0" * len(mask)
            if not mask:
                # Code that cannot be reached keeps nothing live, nor what is read under a guard that is never true.
                is_free = snapshot["blocks"][b]["frequency"] == 0 or one["guard"] or re.search(r"= psi|cmpp", one["text"])
                expect(spans or is_free, "read and not live", one["text"], value)
            for lane, cell in zip(held, mask):
                expect(cell != "1" or lane != "0", "read and not live in a lane", one["text"], value, mask, held)


def check_steps(function, whole):
    before = None
    for step in function["steps"]:
        now = whole[step["snapshot"]]
        if before is not None:
            old, new = set(before["instructions"]), set(now["instructions"])
            changes = step["changes"]
            expect(set(changes["added"]) == new - old, step["pass"], "added")
            expect(set(changes["removed"]) == old - new, step["pass"], "removed")
            blocks = [{row: b for b, block in s["blocks"].items() for row in block["rows"]} for s in (before, now)]
            moved = [[row, blocks[0][row]] for row in now["instructions"] if row in old and blocks[0][row] != blocks[1][row]]
            expect(sorted(changes["moved"]) == sorted(moved), step["pass"], "moved")
            changed = [row for row in new & old if before["instructions"][row]["text"] != now["instructions"][row]["text"]]
            expect(sorted(row for row, _ in changes["changed"]) == sorted(changed), step["pass"], "changed")
            for row, tokens in changes["changed"]:
                expect(all(token in now["instructions"][row]["text"] for token in tokens), step["pass"], "tokens", tokens)
            expect(step["added"] == len(changes["added"]) and step["removed"] == len(changes["removed"]), step["pass"], "counts")
        before = now


class Test:
    def __init__(self, psic, scratch):
        self.psic, self.scratch = psic, scratch
        self.failures = self.count = 0

    def run(self, *words, text=None, status=0):
        done = subprocess.run([self.psic, *map(str, words)], capture_output=True, text=True, input=text, timeout=300)
        expect(done.returncode == status, words, "ended with", done.returncode, done.stderr[:400])
        return done.stdout

    def explore(self, path, passes):
        words = ["explore", "--json", path] + (["--passes=" + passes] if passes else [])
        out = self.run(*words)
        expect(out == self.run(*words), "another result the second time")
        expect("<" not in out, "a < that is not escaped")
        data = json.loads(out)
        json_schema.validate(data, SCHEMA, SCHEMA)
        return data

    def check(self, path, passes=None, runs=()):
        """All that can be checked without knowing the program."""
        data = self.explore(path, passes)
        printed = self.run("opt", "--passes=" + passes, path) if passes else None
        for function in data["functions"]:
            expect("failure" not in function, function.get("failure"))
            whole = snapshots(function)
            for snapshot in whole:
                check_snapshot(snapshot)
            check_steps(function, whole)
            if printed:
                last = without_places(text_of(whole[function["steps"][-1]["snapshot"]]))
                expect(last in without_places(printed), "the last snapshot of", function["name"], "is not what opt prints")
            for arguments in runs:
                for index, snapshot in enumerate(whole):
                    self.check_run(snapshot, function["name"], index, arguments)
        return data

    def check_run(self, snapshot, name, index, arguments):
        """The run has a lane. In converted code each predicate is asked for, by a program that returns it."""
        text = text_of(snapshot)
        if len(snapshot["order"]) > 1:
            self.check_blocks(snapshot, name, text, arguments)
            return
        (block,) = snapshot["blocks"].values()
        if block["region"] is None or snapshot["form"] != "ssa":
            return
        region = snapshot["regions"][block["region"]]
        possible = range(len(region["lanes"]))
        truths = {}
        for one in region["sets"]:
            for value in one["values"]:
                register = snapshot["values"][value]["name"]
                answer = self.result_of(text, name, register, arguments)
                truths[value] = answer
                possible = [i for i in possible if one["lanes"][i] in ("?", str(answer))]
        expect(possible, "no lane for", name, arguments, "in snapshot", index, truths)
        for row in snapshot["instructions"].values():
            if row["guard"] and row["guard"][0] in truths:
                executed = truths[row["guard"][0]] == row["guard"][1]
                lanes = {row["lanes"][i] for i in possible}
                expect("?" in lanes or (str(int(executed)) in lanes), "executed against its mask", row["text"], arguments)

    def result_of(self, text, name, register, arguments):
        lines = text.splitlines()
        head = re.sub(r"-> \w+", "-> i32", lines[0]) if "->" in lines[0] else lines[0].replace(")", ") -> i32", 1)
        end = ["  %the.answer = zext.i1.i32 " + register, "  ret %the.answer", "}"]
        program = "\n".join([head] + lines[1:-2] + end) + "\n"
        path = self.scratch / "asked.psi"
        path.write_text(program)
        return int(self.run("run", "--func", name, path, "--", *arguments).split()[-1])

    def check_blocks(self, snapshot, name, text, arguments):
        """Which blocks are executed, in regions that are entered once at most."""
        path, out = self.scratch / "program.psi", self.scratch / "measured.psi"
        path.write_text(without_places(text))
        self.run("run", "--func", name, "--profile-out", out, path, "--", *arguments)
        counts = {m[1]: int(m[2]) for m in re.finditer(r"(?m)^(@[^ ]+): count (\d+)$", out.read_text())}
        for region in snapshot["regions"].values():
            blocks = [snapshot["blocks"][b] for b in region["blocks"]]
            if counts.get(snapshot["blocks"][region["entry"]]["name"]) != 1:
                continue
            fits = lambda i: all(b["lanes"][i] in ("?", str(counts[b["name"]])) for b in blocks)
            expect(any(map(fits, range(len(region["lanes"])))), "no lane for", name, arguments, counts)

    def case(self, name, work):
        self.count += 1
        try:
            work()
        except (Failure, json_schema.Invalid, subprocess.TimeoutExpired) as error:
            self.failures += 1
            print(f"{name}: {error}", file=sys.stderr)


HOSTILE = r'''func $"</script><b>"(%"<img src=x onerror=alert(1)>": i32) -> i32 ssa {
@"--><script>":
  %"\"};alert(1)//" = cmp.lt.i32 %"<img src=x onerror=alert(1)>", 1
  br %"\"};alert(1)//", @"]]>", @"&lt;"
@"]]>":
  ret 1
@"&lt;":
  ret 2
}
'''


def hostile(test):
    path = test.scratch / "hostile.psi"
    path.write_text(HOSTILE)
    test.check(path, CONVERT + ",destruct")
    page = test.scratch / "hostile.html"
    test.run("explore", path, "-o", page)
    text = page.read_text()
    expect(text.count("</script>") == text.count("<script"), "a name ends the data")
    expect("<img src=x" not in text and "<b>\"" not in text, "a name became markup")
    inside = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    expect(inside and json.loads(inside[1])["functions"][0]["name"] == "</script><b>", "the data of the page")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--psic", required=True)
    parser.add_argument("--scratch", type=pathlib.Path, required=True)
    parser.add_argument("--seeds", type=int, default=12)
    arguments = parser.parse_args()
    arguments.scratch.mkdir(parents=True, exist_ok=True)
    test = Test(arguments.psic, arguments.scratch)

    examples = ROOT / "examples"
    for path in sorted(examples.glob("*.psi")) + sorted((ROOT / "tests/golden/figures").glob("*.psi")):
        if " target " in path.read_text():
            continue  # optimisations work on generic instructions
        test.case(path.name, lambda: test.check(path))
    ints = [[a, b, c, d, 7] for a in (1, 2) for b in (1, 2) for c in (3, 4) for d in (3, 4)]
    join = test.scratch / "join.psi"
    join.write_text(re.search(r"func \$branches.*?\n}\n", (examples / "join.psi").read_text(), re.S)[0])
    test.case("join.psi, run", lambda: test.check(join, CONVERT + ",destruct", ints))
    running = [[y] for y in (-1, 0, 1, 2, 5)]
    test.case("running.psi, run", lambda: test.check(examples / "running.psi", "construct", running))
    for seed in range(1, arguments.seeds + 1):
        path = test.scratch / f"{seed}.psi"
        path.write_text(test.run("gen", f"--seed={seed}", "--size=60", *(["--names"] if seed % 2 else [])))
        passes = ["construct,O2,destruct", "construct," + CONVERT + ",psi-normalize,psi-web,destruct", "construct,scramble"][seed % 3]
        test.case(f"seed {seed}", lambda: test.check(path, passes))
    test.case("hostile names", lambda: hostile(test))
    print(f"{test.count} cases, {test.failures} failures")
    return 1 if test.failures else 0


if __name__ == "__main__":
    sys.exit(main())
