"""live_terminal.py SOLSTICE MODEL: the prompt of `solstice live` in a terminal of its own: completion, history, Ctrl-C."""
import os
import pty
import re
import select
import sys
import time


class Terminal:
    def __init__(self, *command):
        self.pid, self.file = pty.fork()
        if self.pid == 0:
            os.environ["TERM"] = "xterm"
            os.execv(command[0], command)
        self.seen = ""

    def wait(self, pattern, seconds=30):
        """What is shown until the pattern is: without control sequences."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if re.search(pattern, self.seen):
                seen, self.seen = self.seen, ""
                return seen
            if select.select([self.file], [], [], 0.1)[0]:
                text = os.read(self.file, 65536).decode(errors="replace")
                self.seen += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>()][0B]?", "", text)
        sys.exit(f"'{pattern}' was not shown, but: {self.seen!r}")

    def type(self, keys):
        os.write(self.file, keys.encode())


terminal = Terminal(sys.argv[1], "live", sys.argv[2], "--cache", "off")
terminal.wait(r"0> ")
terminal.type("ru\tto 0.05\r")  # a command
terminal.wait(r"time 0\.05[^>]*0\.05> ")
terminal.type("show lo\t.R\r")  # a path
terminal.wait(r"load\.R = 50[^>]*> ")
terminal.type("show R1.\t\t")  # all that may follow
terminal.wait(r"R1\.R\s+R1\.u\s+R1\.i\s+R1\.p\s+R1\.n")
terminal.type("\x15")  # Ctrl-U
terminal.type("\x1b[A\x1b[A\r")  # the line before the last
terminal.wait(r"time 0\.05[^>]*> ")
terminal.type("run to 1e9\r")
time.sleep(0.5)
terminal.type("\x03")  # Ctrl-C stops a run,
terminal.wait(r"stopped: time [^>]*> ")
terminal.type("states\r")
terminal.wait(r"C\.u = [^>]*> ")
time.sleep(1)  # until the prompt reads keys: before, the terminal keeps them, and Ctrl-C takes them away
terminal.type("add Real h")
terminal.wait(r"Real h$")
time.sleep(1)
terminal.type("\x03")  # and discards the line that is typed,
terminal.wait(r"\^C\s[^>]*> ")
time.sleep(1)
terminal.type("\x03")  # an empty one too,
terminal.wait(r"\^C\s[^>]*> ")
terminal.type("add Real heat; heat = R1.u*R1.i\r")  # of which nothing is left,
terminal.wait(r"accepted \+1[^>]*> ")
time.sleep(1)
terminal.type("show h")
terminal.wait(r"show h$")
time.sleep(1)
terminal.type("\x1b[D\x1b[D\x03")  # wherever the cursor is
terminal.wait(r"\^C\s[^>]*> ")
time.sleep(1)
terminal.type("\x1b[A\x1b[A\r")  # nor is it in the history
terminal.wait(r"C\.u = [^>]*> ")
terminal.type("run by 0.01\r")  # nor does it stop the next run
terminal.wait(r"\btime [^>]*> ")
terminal.type("quit\r")
assert os.waitstatus_to_exitcode(os.waitpid(terminal.pid, 0)[1]) == 0
