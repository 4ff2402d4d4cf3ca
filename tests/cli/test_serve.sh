#!/bin/bash
# `serve`: who gets in, what clients can do, what is left when it is killed; and the page in a browser. Without a browser
# this test fails (`make test` installs one) unless SOLSTICE_NO_BROWSER is set.
. "$(dirname "$0")/../support/shell.sh"
. "$SOURCE_DIR/tests/support/browser.sh"

cat >page.sol <<'END'
model Part interface: parameter Real c << 1; static Real z; implementation: z = c*time; end Part;
model Page
interface: parameter Real k {unit << "m/s", min << 0, max << 8} << 2; parameter Real unused << 3;
implementation:
  Graphics.Ground(y << 0);
  Graphics.Line{width << 0.1, colour << "brown"}(sx << 0, sy << 0, dx << time, dy << 1 + x);
  Real x; Real y; static Part part; static Part twin{c << 3}; Boolean high;
  der(x = x, start << 1) = -x + sin(6*time);
  y = k*time;
  if high then Real up; up = 1; end;
  when x > 0.2 then high << true; else when x < -0.2 then high << false; end;
end Page;
END

start() { # options
    rm -f address # of a session before
    "$SOLSTICE" serve page.sol --stop 5 --cache off "$@" >address 2>err &
    pid=$!
    for _ in $(seq 100); do [ -s address ] && break; sleep 0.1; done
    [ -s address ] || fail "no address: $(cat err)"
}
end() { # signal
    kill "-$1" $pid
    { wait $pid; } 2>/dev/null
    status=$?
}

start
python3 "$SOURCE_DIR/tests/cli/serve_client.py" "$(cat address)" || fail "the client, see above: $(cat err)"
kill -0 $pid 2>/dev/null || fail "it ended: $(cat err)"
end INT
[ $status -eq 0 ] || fail "Ctrl-C ended it with $status"
[ "$(ss -ltn 2>/dev/null | grep -c "$(sed 's/.*:\([0-9]*\).*/\1/' address)")" = 0 ] || fail "the port is still open"

# Who keeps pace with the clock rests between frames: it leaves the processor to others some thirty times a second.
start
python3 - "$SOURCE_DIR/tests/cli" "$(cat address)" $pid <<'END' || fail "a running model that keeps pace does not rest"
import re, sys, time
folder, address, pid = sys.argv[1:]
sys.argv = ["", address]
sys.path.insert(0, folder)
import serve_client

def rests():
    return int(re.search(r"\nvoluntary_ctxt_switches:\s+(\d+)", open(f"/proc/{pid}/task/{pid}/status").read()).group(1))

c = serve_client.Client()
c.wait(lambda s: s)
c.ask("speed 1")
c.ask("play")
before, time_before = rests(), c.state["time"]
end = time.time() + 2
while time.time() < end:
    c.receive()
print(rests() - before, "rests in 2 s,", c.state["time"] - time_before, "simulated")
sys.exit(not (rests() - before > 20 and c.state["time"] > time_before + 1))
END
end INT

if [ -n "${SOLSTICE_NO_BROWSER:-}" ]; then
    echo "SOLSTICE_NO_BROWSER is set: the page was not opened in a browser"
elif browser_ready; then
    start --output kept.solr --script kept.txt
    mkdir -p "$BUILD_DIR/pictures"
    node "$SOURCE_DIR/tests/cli/serve_page.mjs" "$browser_client" "$browser" "$(cat address)" "$BUILD_DIR/pictures" ||
        fail "the page in a browser, see $BUILD_DIR/pictures"
    end KILL
    expect 0 "the run did not end" "$SOLSTICE" convert kept.solr kept.csv
    grep -q 'heat' kept.csv || fail "what was entered is not in the result of a session that was killed"
    grep -qx 'add Real heat; heat = x\*x' kept.txt || fail "script of a session that was killed: $(cat kept.txt)"
    grep -qE '^set k = 2\.4(; [0-9.]+ at [0-9.e-]+){3}$' kept.txt || fail "a slider that moved is not one line: $(grep k kept.txt)"
    { echo "source kept.txt"; echo "show heat"; } | timeout 60 "$SOLSTICE" live page.sol --cache off >replay.txt 2>err
    tail -1 replay.txt | grep -q '^ok: heat = ' || fail "a replay: $(tail -3 replay.txt)"
fi

expect 2 "which file" "$SOLSTICE" serve
expect 2 "--port" "$SOLSTICE" serve page.sol --port 70000
expect 1 "" "$SOLSTICE" serve page.sol:None

exit $((failures > 0))
