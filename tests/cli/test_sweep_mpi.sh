#!/bin/bash
# `mpirun solstice sweep`: the table of a sweep without it, byte by byte; a rank, or all of the job, killed at random times: started again it goes
# on. SOAK_SECONDS, SOAK_CASES (kills) and SOAK_SEED as in tests/README.md.
. "$(dirname "$0")/../support/shell.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
command -v mpirun >/dev/null || { echo "no mpirun: Debian's package openmpi-bin has it"; exit 1; }
kills=${SOAK_CASES:-3}
[ -n "${SOAK_SECONDS:-}" ] && kills=100
# A soak kills as long as it has time, ten times at least.
enough() { [ $done -ge "$kills" ] || { [ -n "${SOAK_SECONDS:-}" ] && [ $done -ge 10 ] && [ $SECONDS -ge "${SOAK_SECONDS%.*}" ]; }; }
RANDOM=${SOAK_SEED:-1}
# what OpenMPI keeps to its end is not ours
export ASAN_OPTIONS=detect_leaks=0

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
sweep=("$SOLSTICE" sweep swing.sol --stop 20 --vary k=0:5:200 --end x --min v --event 'x < 0')
"${sweep[@]}" --output whole.csv --quiet || fail "a sweep without mpirun"
begin=$(date +%s%N)
timeout 300 mpirun --oversubscribe -n 4 "${sweep[@]}" --output ranks.csv 2>err || fail "four ranks: $(cat err)"
milliseconds=$((($(date +%s%N) - begin) / 1000000)) # that a whole one takes here and now
cmp whole.csv ranks.csv || fail "four ranks give another table"
[ "$(grep -c '200 cases in .* with 4 processes' err)" -eq 1 ] || fail "summary: $(cat err)"
timeout 300 mpirun --oversubscribe -n 4 "${sweep[@]}" --end nothing --vary kk=1:2:3 2>err && fail "a path that does not exist"
[ "$(grep -c 'kk cannot be set' err)" -eq 1 ] || fail "told once: $(cat err)"

done=0 tables=0
while ! enough && [ $failures -eq 0 ]; do
    rm -f killed.csv
    until [ -e killed.csv ]; do
        timeout 300 mpirun --oversubscribe -n 3 "${sweep[@]}" --output killed.csv --quiet 2>/dev/null & pid=$!
        enough && { wait $pid; continue; } # this one may end
        moment=$((RANDOM * milliseconds / 32768))
        sleep "$((moment / 1000)).$(printf %03d $((moment % 1000)))"
        mpirun=$(pgrep -P $pid)
        [ -n "$mpirun" ] || { wait $pid 2>/dev/null; continue; } # it has ended: nothing of it is left to kill
        victim=
        case $((RANDOM % 3)) in
        0) victim=$(pgrep -P "$mpirun" | head -n $((RANDOM % 3 + 1)) | tail -1) ;;                                    # a rank
        1) victim=$(for rank in $(pgrep -P "$mpirun"); do pgrep -P "$rank"; done | head -n $((RANDOM % 3 + 1)) | tail -1) ;; # its process
        2) victim=$mpirun ;;
        esac
        [ -n "$victim" ] && kill -KILL "$victim" 2>/dev/null && done=$((done + 1))
        wait $pid 2>/dev/null
        sleep 0.1
    done
    tables=$((tables + 1))
    cmp whole.csv killed.csv || fail "table $tables after $done kills is another one"
done
echo "soak: kills of ranks: $done cases from seed ${SOAK_SEED:-1} in $SECONDS s, $tables tables"
exit $((failures > 0))
