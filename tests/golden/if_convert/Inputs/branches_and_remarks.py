"""branches_and_remarks.py PSIC PASSES FILE...

Runs the passes on the files and compares the blocks that end in a conditional branch, or in several terminators, with
those whose branch a remark of if-convert says is kept, and why. Every region that was converted must have its figures.
"""

import json
import re
import subprocess
import sys

PHRASE = re.compile(r"branch of (@\S+) kept: .+")
FIGURES = re.compile(r"\d+ blocks from @\S+ on converted for \S+: [\d.]+ cycles with branches, [\d.]+ without \(")


def branches(text):
    """(function, block) of those in the text that have more than one way on."""
    found, function, block, guarded = set(), None, None, False
    for line in text.splitlines():
        if match := re.match(r"func \$(\S+?)\(", line):
            function = match[1]
        elif match := re.match(r"(@[^\s:]+):", line):
            block, guarded = match[1], False
        elif re.match(r"  !?%\S+ \? (br|ret|switch|unreachable)\b", line):
            guarded = True
        elif re.match(r"  br @", line) or re.match(r"  (ret|unreachable)\b", line):
            if guarded:
                found.add((function, block))
        elif re.match(r"  (br|switch)\b", line):
            found.add((function, block))
    return found


def main():
    psic, passes, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    regions = kept = 0
    for file in files:
        run = subprocess.run([psic, "opt", file, f"--passes={passes}", "--remarks=json"], capture_output=True,
                             text=True, check=True)
        said = set()
        for remark in json.loads(run.stderr)["remarks"]:
            if remark["pass"] != "if-convert":
                continue
            if remark["kind"] == "done":
                assert FIGURES.match(remark["message"]), f"{file}: {remark}"
                regions += 1
            else:
                match = PHRASE.fullmatch(remark["message"])
                assert match, f"{file}: {remark}"
                said.add((remark["function"], match[1]))
        left = branches(run.stdout)
        if said != left:
            sys.exit(f"{file}: without a remark {sorted(left - said)}, not there {sorted(said - left)}")
        kept += len(left)
    print(f"{len(files)} files: regions converted: {regions > 0}, branches kept: {kept > 0}")


main()
