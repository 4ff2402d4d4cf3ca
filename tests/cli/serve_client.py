"""A client of `solstice serve` that uses nothing but docs/protocol.md, and one that does what it should not.

    serve_client.py ADDRESS [MESSAGES]     so many random messages (600 unless told)

Prints every failure; the exit status tells whether there was one."""

import base64
import json
import os
import random
import socket
import struct
import sys
import time
from urllib.parse import urlparse

address = urlparse(sys.argv[1])
messages = int(sys.argv[2]) if len(sys.argv) > 2 else 600
host = f"{address.hostname}:{address.port}"
failures = 0


def check(good, text):
    global failures
    if not good:
        failures += 1
        print("FAILED:", text)


def request(path, headers, method="GET"):
    """The status of a plain request, and the connection."""
    s = socket.create_connection((address.hostname, address.port), timeout=20)
    lines = [f"{method} {path} HTTP/1.1"] + [f"{k}: {v}" for k, v in headers.items()]
    s.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
    head = b""
    while b"\r\n\r\n" not in head:
        part = s.recv(4096)
        if not part:
            break
        head += part
    text, _, rest = head.partition(b"\r\n\r\n")
    status = int(text.split()[1]) if text.startswith(b"HTTP/") else 0
    return status, s, rest


def upgrade(query=address.query, path="/ws", **other):
    headers = {
        "Host": host,
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Protocol": "solstice",
    }
    headers.update({k.replace("_", "-"): v for k, v in other.items()})
    return request(f"{path}?{query}", headers)


class Client:
    def __init__(self):
        status, self.socket, self.buffer = upgrade()
        check(status == 101, f"no WebSocket: {status}")
        self.last = 0
        self.rows = 0
        self.shown = None  # the time of the last row
        self.state = {}

    def send(self, payload, opcode=1, last=True):
        mask = os.urandom(4)
        n = len(payload)
        head = bytes([opcode | (0x80 if last else 0)])
        if n < 126:
            head += bytes([0x80 | n])
        elif n < 65536:
            head += bytes([0x80 | 126]) + struct.pack(">H", n)
        else:
            head += bytes([0x80 | 127]) + struct.pack(">Q", n)
        pad = (mask * (n // 4 + 1))[:n]
        body = (int.from_bytes(payload, "big") ^ int.from_bytes(pad, "big")).to_bytes(n, "big")
        self.socket.sendall(head + mask + body)

    def take(self, n):
        while len(self.buffer) < n:
            part = self.socket.recv(1 << 16)
            if not part:
                raise ConnectionError("closed")
            self.buffer += part
        out, self.buffer = self.buffer[:n], self.buffer[n:]
        return out

    def receive(self):
        """The next message of text, as an object."""
        text = b""
        while True:
            first, second = self.take(2)
            n = second & 127
            if n == 126:
                n = struct.unpack(">H", self.take(2))[0]
            elif n == 127:
                n = struct.unpack(">Q", self.take(8))[0]
            part = self.take(n)
            if first & 15 == 8:
                raise ConnectionError("closed")
            if first & 15 == 9:
                self.send(part, 10)
                continue
            text += part
            if first & 0x80:
                break
        message = json.loads(text)
        if "state" in message:
            self.state.update(message["state"])
        if "rows" in message:
            self.rows += len(message["rows"]["t"])
            self.shown = message["rows"]["t"][-1] if message["rows"]["t"] else None
        return message

    def ask(self, line):
        self.last += 1
        self.send(f"@{self.last} {line}".encode())
        while True:
            message = self.receive()
            if message.get("id") == self.last:
                return message["reply"]

    def wait(self, what):
        end = time.time() + 20
        while time.time() < end and not what(self.state):
            self.receive()
        check(what(self.state), f"state: {self.state}")


def doors():
    own = {"Host": host}
    check(request(f"/?{address.query}", own)[0] == 200, "the page itself")
    check(request("/", own)[0] == 403, "the page without a token")
    check(request(f"/?{address.query}0", own)[0] == 403, "a longer token")
    check(request(f"/?{address.query[:-1]}", own)[0] == 403, "a shorter token")
    check(request(f"/?{address.query}", {"Host": "example.org"})[0] == 403, "another host")
    check(request(f"/etc/passwd?{address.query}", own)[0] == 404, "another page")
    check(request(f"/../../etc/passwd?{address.query}", own)[0] in (403, 404), "a way out")
    check(request(f"/?{address.query}", own, "POST")[0] != 200, "POST")
    check(upgrade(query="token=0")[0] != 101, "a WebSocket with a wrong token")
    check(upgrade(Origin="http://example.org")[0] != 101, "a WebSocket of another page")
    check(upgrade(Host="example.org")[0] != 101, "a WebSocket for another host")
    check(upgrade(path="/")[0] != 101, "a WebSocket elsewhere")
    check(upgrade(Sec_WebSocket_Protocol="http")[0] != 101, "another protocol")
    check(upgrade(Origin=f"http://{host}")[0] == 101, "a WebSocket of the page")


def session():
    c = Client()
    c.wait(lambda s: s)
    reply = c.ask("add Real more; more = 2*x")
    check(reply["answer"] == "accepted" and reply["entered"] == 1, f"add: {reply}")
    reply = c.ask("add more = 3")
    check(reply["answer"] == "refused" and "too many" in reply["messages"][0]["text"], f"refusal: {reply}")
    check([e["text"] for e in c.state["edits"]] == ["add Real more; more = 2*x"] or
          c.wait(lambda s: len(s["edits"]) == 1) is None, "edits")
    for i in range(1, 4):
        c.ask(f"set k = {i}")
    c.wait(lambda s: s["edits"][-1]["count"] == 3)
    check(c.ask("undo")["answer"] == "accepted", "undo")
    tree = {v["path"]: v["value"] for v in c.ask("tree")["data"]["variables"]}
    check(tree["k"] == 2 and "more" in tree, f"a slider undone as a whole: {tree}")
    for line in ("save x", "script x", "write x", "source x", "quit", "q", "qui", "watch x", "wat x", "r by 9", "sour x", "nonsense", ""):
        reply = c.ask(line)
        check(reply is None or reply["answer"] == "error", f"{line}: {reply}")
    check(c.ask("step")["answer"] == "ok", "step")
    c.ask("speed max")
    c.ask("play")
    time.sleep(0.5)
    c.ask("pause")
    c.wait(lambda s: not s["playing"] and s["time"] > 0.1)
    check(c.rows > 10, f"{c.rows} rows")
    c.wait(lambda s: c.shown == s["time"])  # where it stands there is a row
    idle = {p["path"]: p.get("idle", False) for p in c.ask("parameters")["data"] if p["type"] == "Real"}
    check(idle == {"k": False, "part.c": False, "twin.c": False, "unused": True, "Line.width": True}, f"parameters that nothing reads: {idle}")
    c.socket.close()


def slow():
    """One that reads nothing, and one that asks: time goes on for the other."""
    idle = [Client() for _ in range(5)]
    c = Client()
    c.wait(lambda s: s)
    c.ask("speed max")
    before = c.state["time"]
    c.ask("play")
    for _ in range(200):
        idle[0].send(b"@1 list")
        c.ask("tree")
    c.wait(lambda s: s["time"] > before + 0.5)
    c.ask("pause")
    for other in idle:
        other.socket.close()
    c.socket.close()


def long_messages():
    c = Client()
    reply = c.ask("add " + "x" * 500000)
    check(reply["answer"] == "refused", f"half a megabyte: {str(reply)[:200]}")
    try:
        c.send(b"a" * (1 << 20) + b"b")
        c.ask("tree")
        check(False, "more than a megabyte is taken")
    except (ConnectionError, OSError):
        pass


def garbage(seed):
    words = ["add", "remove", "replace", "set", "undo", "redo", "begin", "commit", "abort", "tree", "plot", "unplot", "x",
             "y", "k", "part", "=", "<<", ";", "Real", "when", "then", "end", "#1", "+1", "1e300", "-1", "{", "}", "(",
             "speed", "pause", "play", "list", "why", "uses", "mark", "back", "@", "try", "text", "graph", "words", "at", "0.5", "change", "2 3:", "4 4:", "9 9:", "0 0:", "\u21b5", "if", "der", "\"", "\\", "\0", "\u00e9"]
    draw = random.Random(seed)
    c, sent = Client(), 0
    while sent < messages:
        kind = draw.randrange(60)
        try:
            if kind == 0:
                c.send(os.urandom(draw.randrange(200)), draw.choice([1, 2]))
            elif kind == 1:
                c.socket.sendall(os.urandom(draw.randrange(1, 60)))
            elif kind == 2:
                request("/" + "".join(draw.choice("abc?=&%./\\ ") for _ in range(20)), {"Host": host})[1].close()
            else:
                c.send(" ".join(draw.choice(words) for _ in range(draw.randrange(12))).encode())
            sent += 1
            if sent % 100 == 0:  # what was sent is done
                c.send(b"@7777777 words")
                end = time.time() + 120
                while c.receive().get("id") != 7777777:
                    check(time.time() < end, "no answer in two minutes")
            if sent % 100000 == 0:
                print(sent, "messages", flush=True)
        except (ConnectionError, OSError, ValueError):
            kind = 0
        if kind < 2:
            c.socket.close()
            c = Client()
    c.socket.close()
    last = Client()
    check(last.ask("tree")["data"]["path"] == "", "it does not answer any more")


if __name__ == "__main__":
    if len(sys.argv) > 2:
        garbage(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    else:
        doors()
        session()
        slow()
        long_messages()
        garbage(1)
    sys.exit(failures > 0)
