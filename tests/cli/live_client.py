"""live_client.py SOCKET [FUZZ [SEED]]: a client of docs/protocol.md: connects, edits, subscribes, runs, reads; then sends FUZZ
messages of random bytes and words, each of which must be answered."""
import json
import math
import os
import random
import socket
import stat
import sys
import time


class Client:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.file = self.socket.makefile("rb")

    def send(self, message):
        self.socket.sendall(message if isinstance(message, bytes) else message.encode())
        self.socket.sendall(b"\n")

    def answer(self):
        samples = []
        while True:
            line = json.loads(self.file.readline().decode(errors="replace"))
            if "sample" not in line:
                return line, samples
            samples.append(line)

    def ask(self, message):
        self.send(message)
        return self.answer()


def check_session(path):
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    client = Client(path)
    assert client.ask("add Real x")[0]["answer"] == "incomplete"
    assert client.ask("run to 1")[0]["answer"] == "error"
    assert client.ask("add der(x = x, start << 1) = -x")[0]["answer"] == "accepted"
    refused = client.ask("add x = 3")[0]
    assert refused["answer"] == "refused" and "too many equations" in refused["messages"][0]["text"]
    assert client.ask("watch every 0.25 x")[0]["answer"] == "ok"
    answer, samples = client.ask("run to 1")
    assert answer["answer"] == "ok" and answer["time"] == 1
    assert [s["sample"] for s in samples] == [0.25, 0.5, 0.75, 1]
    for s in samples:
        assert abs(s["values"]["x"] - math.exp(-s["sample"])) < 1e-5
    for command in "save f", "script f", "source f", "write f":
        assert "out of reach" in client.ask(command)[0]["text"]
    client.send(b"a" * (1 << 20))
    assert "longer" in client.answer()[0]["text"]
    client = Client(path)  # the model is as it was
    assert client.ask("show x")[0]["text"].startswith("x = 0.36")
    assert client.ask("run to 1.1")[1] == []  # the last one watched, this one does not
    assert "der(x = x, start << 1) = -x;" in client.ask("write")[0]["text"]
    client.send("run to 1e12")
    time.sleep(0.3)
    client.send("stop")
    assert client.answer()[0]["answer"] == "stopped"
    assert client.answer()[0]["answer"] == "ok"
    assert client.ask("run by 0.1")[0]["answer"] == "ok"
    client.send("run to 1e12")
    client.socket.close()
    client.file.close()  # who goes ends the run, too
    return Client(path)


def fuzz(client, n, seed):
    draw = random.Random(seed)
    words = ("add remove replace set undo redo begin commit abort mark back show why uses list states events watch every in by "
             "Real x y z a1 a2 = + - * / ( ) { } << ; : # . 1 0.5 1e9 der( when if then else end time sin( +1 +2 #1 \" connection").split()
    for i in range(n):
        if draw.random() < 0.3:
            message = bytes(draw.randrange(256) for _ in range(draw.randrange(60))).replace(b"\n", b" ")
        else:
            message = " ".join(draw.choice(words) for _ in range(draw.randrange(1, 12))).encode()
        read = bytes(c if c >= 32 else 32 for c in message).split()  # as the program reads it
        first = read[0] if read else b""
        if any(name.startswith(first) for name in (b"quit", b"run", b"step", b"save", b"script", b"source", b"write")):
            continue  # what ends the session, or runs for ever
        answer = client.ask(message)[0]
        assert "answer" in answer, (i, message)


client = check_session(sys.argv[1])
if len(sys.argv) > 2:
    fuzz(client, int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1)
assert client.ask("states")[0]["answer"] == "ok"
client.ask("quit")
