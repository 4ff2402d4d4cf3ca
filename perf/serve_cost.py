"""What a client costs the simulation of `solstice serve`: a client that reads all and discards it, against none.

    serve_cost.py PROGRAM [SECONDS [ROUNDS]]

Prints, for a model of 20 curves and for one with an animation, simulated seconds for each second of processor time of the
thread that simulates, without a client and with one, and what is lost. Machines are busy: the processor time counts,
and the median of the rounds."""

import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time

sys.argv, own = [sys.argv[0], "http://127.0.0.1:1/?token=0"], sys.argv  # the client's functions alone
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "cli"))
import serve_client  # noqa: E402

program = own[1]
seconds = float(own[2]) if len(own) > 2 else 4
rounds = int(own[3]) if len(own) > 3 else 5

CURVES = """model Curves
implementation:
  Real x[20];
  for i in 1:20 then der(x[i]) = sin(i*time) - 0.1*x[i]^3; end for;
end Curves;
"""


def processor(pid):
    """Seconds of the first thread, which simulates."""
    fields = open(f"/proc/{pid}/task/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(pid, with_client):
    c = serve_client.Client()
    c.wait(lambda s: "time" in s and s["playing"])
    before, spent = c.state["time"], processor(pid)
    end = time.time() + seconds
    if with_client:
        c.socket.settimeout(1)
        while time.time() < end:
            try:
                c.socket.recv(1 << 20)
            except socket.timeout:
                pass
    c.socket.close()
    time.sleep(max(end - time.time(), 0))
    spent = processor(pid) - spent
    c = serve_client.Client()
    c.wait(lambda s: "time" in s)
    rate = (c.state["time"] - before) / spent
    c.socket.close()
    return rate


def compare(name, model, plots):
    with tempfile.TemporaryDirectory() as folder:
        if model.startswith("model"):
            open(os.path.join(folder, "m.sol"), "w").write(model)
            model = os.path.join(folder, "m.sol")
        p = subprocess.Popen([program, "serve", model, "--stop", "10", "--cache", "off"], stdout=subprocess.PIPE, text=True)
        try:
            line = p.stdout.readline()
            serve_client.address = serve_client.urlparse(line.strip())
            serve_client.host = f"{serve_client.address.hostname}:{serve_client.address.port}"
            serve_client.upgrade.__defaults__ = (serve_client.address.query, "/ws")
            c = serve_client.Client()
            c.wait(lambda s: "time" in s)
            for path in plots:
                c.ask(f"plot {path}")
            c.ask("speed max")
            c.ask("play")
            c.socket.close()
            time.sleep(1)
            rates = {False: [], True: []}
            for _ in range(rounds):
                for with_client in (False, True):
                    rates[with_client].append(measure(p.pid, with_client))
            alone, seen = statistics.median(rates[False]), statistics.median(rates[True])
            print(f"{name}: {alone:.4g} alone, {seen:.4g} with a client: {100 * (1 - seen / alone):.1f} % lost")
        finally:
            p.terminate()
            p.wait()


compare("20 curves", CURVES, [f"x[{i}]" for i in range(1, 21)])
compare("trebuchet", "Planar.Examples.Trebuchet", [])
compare("rectifier", "Electric.Examples.Rectifier", [])
