#!/bin/bash
# `solstice sweep` killed with SIGKILL at random times, the whole of it or one of its processes: started again it goes on, and its table is,
# byte by byte, that of a sweep which nobody killed. SOAK_SECONDS, SOAK_CASES (kills) and SOAK_SEED as in tests/README.md.
. "$(dirname "$0")/../support/shell.sh"
kills=${SOAK_CASES:-30}
[ -n "${SOAK_SECONDS:-}" ] && kills=100
# A soak kills as long as it has time, ten times at least.
enough() { [ $done -ge "$kills" ] || { [ -n "${SOAK_SECONDS:-}" ] && [ $done -ge 10 ] && [ $SECONDS -ge "${SOAK_SECONDS%.*}" ]; }; }
RANDOM=${SOAK_SEED:-1}

cat >swing.sol <<'END'
model Swing
interface:
  parameter Real k << 1;
  static Real x; static Real v;
implementation:
  v = der(x=x, start=1);
  der(x=v, start=0) = -k*x;
  when x < 0 then cout << "through"; end;
end Swing;
END
sweep=("$SOLSTICE" sweep swing.sol --stop 20 --vary k=1:5:400 --end x --min v --event 'x < 0' --jobs 2 --quiet)
begin=$(date +%s%N)
"${sweep[@]}" --output whole.csv || fail "a sweep that nobody kills"
milliseconds=$((($(date +%s%N) - begin) / 1000000)) # that a whole one takes here and now
[ -z "${SOAK_CASES:-}${SOAK_SECONDS:-}" ] && [ $milliseconds -gt 3000 ] && kills=6 # a build that checks everything
[ "$(wc -l <whole.csv)" -eq 401 ] || fail "$(wc -l <whole.csv) lines"

# LeakSanitizer looks from a child process of its own when a program ends: killed, it leaves its parent waiting for ever. So leaks are
# looked for above only.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
threads=1 # that the sweep has when it forks: a lock that another thread holds would be held in its processes for ever
grep -q __tsan_init "$SOLSTICE" && threads=2 # one is the sanitizer's

done=0 tables=0 workers=0 resumed=0
while ! enough && [ $failures -eq 0 ]; do
    rm -f killed.csv killed.csv.journal
    until [ -e killed.csv ] || [ $failures -gt 0 ]; do
        whole=true
        [ -s killed.csv.journal ] && resumed=$((resumed + 1))
        "${sweep[@]}" --output killed.csv & pid=$!
        for _ in 1 2 3 4; do
            enough && break # this one may end
            moment=$((RANDOM * milliseconds / 65536))
            sleep "$((moment / 1000)).$(printf %03d $((moment % 1000)))"
            has=$(awk '/^Threads:/ { print $2 }' /proc/$pid/status 2>/dev/null)
            [ "${has:-0}" -le $threads ] || fail "the sweep has $has threads and forks"
            if [ $((RANDOM % 3)) -gt 0 ]; then # one of its processes: the sweep itself goes on
                victim=$(pgrep -P $pid | shuf -n 1 --random-source=<(yes $RANDOM))
                [ -n "$victim" ] && kill -KILL "$victim" 2>/dev/null && done=$((done + 1)) workers=$((workers + 1))
            else
                kill -KILL $pid 2>/dev/null && done=$((done + 1)) whole=false
                break
            fi
        done
        wait $pid 2>/dev/null
        code=$?
        [ $whole = false ] || [ $code -eq 0 ] || fail "a sweep that nobody killed ends with $code"
    done
    tables=$((tables + 1))
    cmp whole.csv killed.csv || fail "table $tables after $done kills is another one"
    [ $whole = false ] || [ ! -e killed.csv.journal ] || fail "the journal is left"
done
sleep 0.2
[ -z "$(pgrep -f "$work" || true)" ] || fail "processes are left"
echo "soak: kills of sweeps: $done cases from seed ${SOAK_SEED:-1} in $SECONDS s, $workers of workers, gone on $resumed times, $tables tables"
exit $((failures > 0))
