#!/usr/bin/env python3
"""psic explore --serve: what it answers, and what it refuses.

    serve.py --psic PSIC --scratch FOLDER [--llvm]

With --llvm also C: only the folder of the file and system headers are read.
"""

import argparse
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import urllib.parse

import schema as json_schema

HERE = pathlib.Path(__file__).resolve().parent
SCHEMA = json.loads((HERE / "schema.json").read_text())
JOIN = (HERE.parent.parent / "examples" / "join.psi").read_text()
SECRET = "the secret of another folder"

GOOD = ['int f(int a) { return a + 1; }\n', '#include <stddef.h>\nsize_t f(void) { return 1; }\n',
        '#include "mine.h"\nint f(void) { return MINE; }\n', '#include "below/deep.h"\nint f(void) { return DEEP + MINE; }\n',
        'char* f(void) { return "#include \\"/x\\" /* "; }\n// #include "/x"\n/*\n#include "/x"\n*/\n']
# Each with the line that is named.
FORBIDDEN = [('#include "/etc/hostname"\n', 1), ('#include "../secret.h"\n', 1), ('#include </etc/hostname>\n', 1),
             ('#include <../../etc/hostname>\n', 1), ('int a;\n#include_next <stddef.h>\n', 2), ('#import "mine.h"\n', 1),
             ('%:include "/etc/hostname"\n', 1), ('#/**/include /**/ "/etc/hostname"\n', 1), ('??=include "/etc/hostname"\n', 1),
             ('#inc\\\nlude "/etc/hostname"\n', 2), ('#define X "/etc/hostname"\n#include X\n', 2),
             ('#include <a/*b>\n#include "/etc/hostname"\n#include "x*/"\n', 2), ("int a = '\"'; /* ' */\n#include \"/etc/hostname\"\n", 2),
             ('char a[] = {\n#embed "/etc/hostname"\n};\n', 2), ('#if __has_include("/etc/hostname")\n#endif\n', 1),
             ('#include "link.h"\n', 0), ('#include "indirect.h"\n', 1), ('#pragma once\n#assert x(y)\n', 2),
             ('__asm__(".inc" "bin \\"/etc/hostname\\"");\nint f(void) { return 1; }\n', None),
             ('#define J(a, b) a##b\nint f(void) { J(__as, m__)(".include \\"/etc/hostname\\""); return 1; }\n', None)]


class Failure(Exception):
    pass


def expect(condition, *what):
    if not condition:
        raise Failure(" ".join(str(w)[:300] for w in what))


class Server:
    def __init__(self, psic, *words):
        self.process = subprocess.Popen([psic, "explore", "--serve", *map(str, words)], stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
        expect(found, "it does not say where it is:", line)
        self.port = int(found[1])

    def ask(self, method, path, body=None, status=200, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body=body, headers=named)
        answer = connection.getresponse()
        text = answer.read().decode()
        expect(answer.status == status, method, path, "answered", answer.status, text)
        expect(answer.getheader("X-Content-Type-Options") == "nosniff", "headers")
        return text

    def explore(self, text, passes="construct", language="c", status=200):
        body = json.dumps({"language": language, "text": text, "passes": passes})
        return json.loads(self.ask("POST", "/explore", body, status, Content_Type="application/json"))

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(timeout=20)
        expect(self.process.returncode == -signal.SIGINT, "it ended with", self.process.returncode)


def check_requests(server):
    own = f"http://127.0.0.1:{server.port}"
    server.ask("GET", "/")
    server.ask("GET", "/", Host=f"localhost:{server.port}")
    server.ask("GET", "/", Origin=own, Sec_Fetch_Site="same-origin")
    for headers in ({"Host": "evil.example"}, {"Host": f"evil.example:{server.port}"}, {"Host": "127.0.0.1"}, {"Host": ""},
                    {"Origin": "http://evil.example"}, {"Origin": "null"}, {"Origin": f"http://localhost:{server.port}"},
                    {"Sec_Fetch_Site": "cross-site"}, {"Sec_Fetch_Site": "same-site"}):
        server.ask("GET", "/", status=403, **headers)
    server.ask("GET", "/../../etc/hostname", status=404)
    server.ask("GET", "/etc/hostname", status=404)
    server.ask("DELETE", "/", status=405)
    server.ask("GET", "/explore", status=405)
    server.ask("POST", "/explore", "{}", 415, Content_Type="text/plain")
    server.ask("POST", "/explore", "{", 400, Content_Type="application/json")
    server.ask("POST", "/explore", '{"text": 1}', 400, Content_Type="application/json")
    server.ask("POST", "/explore", "x" * 1_200_000, 413, Content_Type="application/json")
    for text, status in ((b"nonsense\r\n\r\n", b"400"), (b"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", b"400"),
                         (b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 4000, b"413")):
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
            connection.sendall(text)
            answer = connection.recv(100)
            expect(status in answer, text[:40], "answered", answer)
    # Nothing listens where others could ask.
    expect(subprocess.run(["sh", "-c", f"grep -i ':{server.port:04X} .* 0A ' /proc/net/tcp | grep -vi '0100007F:'"],
                          capture_output=True).stdout == b"", "it listens on another address")


def check_psi(server):
    data = server.explore(JOIN, "if-convert(target=playdoh,mode=all)", "psi")
    json_schema.validate(data, SCHEMA, SCHEMA)
    expect([f["name"] for f in data["functions"]] == ["branches", "converted"] or data["functions"], "functions")
    wrong = server.explore("func $f(", "construct", "psi", 422)
    expect("error: expected" in wrong["messages"], wrong)
    expect("there is no pass 'gnv'" in server.explore(JOIN, "gnv", "psi", 422)["messages"], "passes")
    expect("built-in" in server.explore(JOIN, "if-convert(target=/etc/hostname)", "psi", 422)["messages"], "targets are files")
    question = {"language": "psi", "text": JOIN, "passes": "if-convert(target=playdoh,mode=all)", "function": "branches",
                "step": 0, "block": "u", "question": "disjoint(@p, @q)"}
    ask = lambda **more: server.ask("POST", "/query", json.dumps(question | more), Content_Type="application/json")
    expect(json.loads(ask())["answer"] == "yes", "query")
    expect(json.loads(ask(question="disjoint(@p, @t)"))["answer"] == "no", "query")
    expect(json.loads(ask(step=1, question="disjoint(%10, %11)"))["steps"], "a query at a step")


def check_c(server, folder):
    for text in GOOD:
        data = server.explore(text)
        json_schema.validate(data, SCHEMA, SCHEMA)
        expect(data["source"]["text"] == text, "the source")
    data = server.explore("int f(int a) {\n  if (a > 2) return 5;\n  return a;\n}\n", "construct,O2,if-convert(mode=all),destruct")
    lines = {i["source"] for s in data["functions"][0]["snapshots"] for i in s["instructions"]}
    expect({2, 3} <= lines, "lines of the source", lines)
    expect(any(line["source"] == 2 for line in data["assembly"]), "assembly with lines")
    for text, line in FORBIDDEN:
        answer = server.explore(text, status=422)
        expect("refused" in answer["messages"] and (line is None or f":{line}: error:" in answer["messages"]), text, answer)
        expect(SECRET not in json.dumps(answer), "the secret is told", text)
    expect("error: expected" in server.explore("int f( {\n", status=422)["messages"], "messages of clang")
    form = urllib.parse.urlencode({"text": "int g(int a) { return a < 3; }\r\n", "passes": "construct"})
    page = server.ask("POST", "/page", form, Content_Type="application/x-www-form-urlencoded")
    expect('id="data"' in page and "int g(int a) { return a \\u003c 3; }" in page, "the page of a form")
    expect("ret" in server.ask("POST", "/assembly", form, Content_Type="application/x-www-form-urlencoded"), "assembly")
    wrong = urllib.parse.urlencode({"text": '#include "<b>"\n#include "/x"\n'})
    expect("<b>" not in server.ask("POST", "/page", wrong, Content_Type="application/x-www-form-urlencoded"), "markup")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--psic", required=True)
    parser.add_argument("--scratch", type=pathlib.Path, required=True)
    parser.add_argument("--llvm", action="store_true")
    arguments = parser.parse_args()
    folder = arguments.scratch / "folder"
    (folder / "below").mkdir(parents=True, exist_ok=True)
    (arguments.scratch / "secret.h").write_text(f'#error "{SECRET}"\n')
    (folder / "mine.h").write_text("#define MINE 3\n")
    (folder / "below" / "deep.h").write_text('#include "mine.h"\n#define DEEP 4\n')
    (folder / "indirect.h").write_text('#include "/etc/hostname"\n')
    (folder / "program.c").write_text("int first(int a) { return a; }\n")
    (folder / "join.psi").write_text(JOIN)
    if not (folder / "link.h").is_symlink():
        os.symlink("../secret.h", folder / "link.h")
    server = Server(arguments.psic, folder / ("program.c" if arguments.llvm else "join.psi"))
    try:
        check_requests(server)
        check_psi(server)
        if arguments.llvm:
            check_c(server, folder)
        server.stop()
    except (Failure, json_schema.Invalid) as error:
        print(error, file=sys.stderr)
        return 1
    finally:
        server.process.kill()
    print("fine")
    return 0


if __name__ == "__main__":
    sys.exit(main())
