#!/bin/bash
# One signal ends any run within a second or so: models without states, of Samples only, static loops, searches.
# The result stays readable, and the summary says that the run was interrupted.
. "$(dirname "$0")/../support/shell.sh"

# check NAME ARGUMENTS: the model of standard input is interrupted after half a second
check() {
    local name=$1 begin end code
    shift
    cat > "$name.sol"
    "$SOLSTICE" run "$name.sol" --output "$name.solr" "$@" 2> "$name.txt" &
    local run=$!
    sleep 0.7
    begin=$(date +%s%N)
    kill -TERM $run
    wait $run
    code=$?
    end=$(date +%s%N)
    [ $code = 143 ] || fail "$name: exit code $code"
    [ $(((end - begin) / 1000000)) -lt "${LIMIT:-3000}" ] || fail "$name: $(((end - begin) / 1000000)) ms"
    grep -q "interrupted by signal 15" "$name.txt" || fail "$name: the summary says nothing: $(cat "$name.txt")"
    "$SOLSTICE" convert "$name.solr" "$name.csv" || fail "$name: not readable"
    [ "$(wc -l < "$name.csv")" -gt 2 ] || fail "$name: no rows"
    rm -f "$name.solr" "$name.csv"
}

check stateless --stop 1 --steps 400000000 << 'END'
model M
interface:
  static Real x;
implementation:
  x = sin(time);
end M;
END

check samples --stop 100000 --steps 1 << 'END'
model M
interface:
  static Integer n;
implementation:
  when Sample(interval = 0.001) then n << pre(n) + 1; end when;
end M;
END

check clock --stop 1e9 --steps 10 --max-step 0.01 << 'END'
model M
interface:
  static Integer n;
implementation:
  when sin(time) > 0.999 then n << pre(n) + 1; end when;
end M;
END

{
    echo "model M"
    echo "interface:"
    for i in $(seq 0 599); do echo "  static Real x$i;"; done
    echo "implementation:"
    for i in $(seq 0 599); do
        echo "  x$i + 0.2*x$i*x$i*x$i = cos(x$(((i + 599) % 600))) + 0.3*x$(((i + 7) % 600)) + 0.2*x$(((i * 37 + 11) % 600)) + 0.01*time;"
    done
    echo "end M;"
} | check loop --stop 1 --steps 1000000 --vars x0

check updates --stop 1 --steps 100 --max-updates 1000000000 << 'END'
model M
interface:
  static Integer a; static Integer b;
implementation:
  when time > 0.5 and a == b then a << pre(a) + 1; end when;
  when a > b then b << pre(b) + 1; end when;
end M;
END

exit $((failures > 0))
