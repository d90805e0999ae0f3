"""branches_and_remarks.py PSIC PASSES FILE...

Runs the passes on the files and compares the conditional branches, by their blocks, with those that a remark of
if-convert says are kept, and why. Every region that was converted must have its figures.
"""

import collections
import json
import re
import subprocess
import sys

PHRASE = re.compile(r"branch of (@\S+)( to \S+| to its return)? kept: .+")
FIGURES = re.compile(r"\d+ blocks from @\S+ on converted for \S+: [\d.]+ cycles with branches, [\d.]+ without \(")


def branches(text):
    """(function, block) of each conditional branch in the text."""
    found, function, block = collections.Counter(), None, None
    for line in text.splitlines():
        if match := re.match(r"func \$(\S+?)\(", line):
            function = match[1]
        elif match := re.match(r"(@[^\s:]+):", line):
            block = match[1]
        elif re.match(r"  (!?%\S+ \? (br|ret|switch|unreachable)|br [^@]|switch)\b", line):
            found[function, block] += 1
    return found


def main():
    psic, passes, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    regions = kept = 0
    for file in files:
        run = subprocess.run([psic, "opt", file, f"--passes={passes}", "--remarks=json"], capture_output=True,
                             text=True, check=True)
        said = collections.Counter()
        for remark in json.loads(run.stderr)["remarks"]:
            if remark["pass"] != "if-convert":
                continue
            if remark["kind"] == "done":
                assert FIGURES.match(remark["message"]), f"{file}: {remark}"
                regions += 1
            else:
                match = PHRASE.fullmatch(remark["message"])
                assert match, f"{file}: {remark}"
                said[remark["function"], match[1]] += 1
        left = branches(run.stdout)
        if said != left:
            sys.exit(f"{file}: without a remark {sorted(left - said)}, not there {sorted(said - left)}")
        kept += left.total()
    print(f"{len(files)} files: regions converted: {regions > 0}, branches kept: {kept > 0}")


main()
