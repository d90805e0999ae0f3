#!/usr/bin/env python3
"""embed.py --template dist/playground.html --wasm psic.wasm --root . -o playground.html: the playground, of the built
page, psic as WebAssembly and the examples. It needs no npm, and gives the same bytes for the same input."""
import argparse
import base64
import gzip
import json
import pathlib

CODEGEN = "codegen(target=playdoh)"
IF_CONVERT = "if-convert(target=playdoh,mode=all,regions=hyperblocks)"


def programs(root):
    def one(name, file, passes, run):
        return {"name": name, "file": file.rsplit("/", 1)[-1], "text": (root / file).read_text(), "passes": passes, "run": run}
    yield one("clamp", "examples/clamp.psi", "psi-promote,destruct", "$clamp_ssa 50 0 10")
    yield one("Johnson and Schlansker, figure 1", "examples/join.psi", f"{IF_CONVERT},psi-normalize,destruct", "$branches 1 2 3 3 7")
    yield one("running example: phis", "examples/running.psi", "construct,O1,destruct", "$example 3")
    yield one("gcd", "examples/gcd.psi", "construct,O2,destruct", "$gcd 12 18")
    yield one("sieve", "examples/sieve.psi", f"construct,O2,{IF_CONVERT},destruct", "$main")
    for file in sorted((root / "tests/golden/figures").glob("*.psi")):
        yield one("figure " + file.stem, f"tests/golden/figures/{file.name}", "psi-normalize,psi-web,destruct" if "book-15" in file.name else "", "")
    for file in sorted((root / "examples/kernels").glob("*.psi")):
        yield one("kernel " + file.stem, f"examples/kernels/{file.name}", f"construct,O2,{IF_CONVERT},O1,destruct", "$drive 1")


def main():
    parser = argparse.ArgumentParser()
    for name in ("--template", "--wasm", "--root", "-o"):
        parser.add_argument(name, type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    page = arguments.template.read_text()
    examples = json.dumps(list(programs(arguments.root)), ensure_ascii=False).replace("<", "\\u003c")
    packed = base64.b64encode(gzip.compress(arguments.wasm.read_bytes(), 9, mtime=0)).decode()
    for place, value in (("@PSIC_PROGRAMS@", examples), ("@PSIC_WASM@", packed)):
        before, found, after = page.partition(place)
        if not found:
            raise SystemExit(f"{arguments.template} has no {place}")
        page = before + value + after
    arguments.o.write_text(page)


main()
