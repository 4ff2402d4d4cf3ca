#!/bin/bash
# A model that grows beyond the memory there is: exit code 4, a message, and rows up to there.
. "$(dirname "$0")/../support/shell.sh"

cat >Grow.sol <<'END'
model Cell
interface:
  static Real x;
implementation:
  der(x = x, start << 1) = -x;
end Cell;
model Many
interface:
  parameter Integer n;
implementation:
  static Cell cell;
  if n > 1 then static Many left{n << floor(x = n/2)}; static Many right{n << floor(x = n/2)}; end;
end Many;
model Grow
implementation:
  static Real y; dynamic Many many;
  der(x = y, start << 1) = -y;
  when time > 0.5 then many <- Many{n << 65536}; end;
end Grow;
END

within() { # kilobytes, command...
    ulimit -v "$1"
    shift
    exec "$@"
}
export -f within

if ! (within 400000 "$SOLSTICE" --version) >/dev/null 2>&1; then
    echo "left out: this build does not run within a limit of address space"
    exit 0
fi
for limit in 60000 75000 90000 105000 120000 150000; do
    for saved in "" "--checkpoint 0.1"; do
        rm -f grow.solr
        # shellcheck disable=SC2086
        expect 4 "out of memory" bash -c 'within "$@"' - $limit "$SOLSTICE" run Grow.sol --engine interp --steps 10 \
            --vars y --output grow.solr $saved
    done
    expect 0 "" "$SOLSTICE" convert grow.solr grow.csv
    awk -F, 'NR == 1 { next } { d = $2 - exp(-$1); n++; if (d * d > 1e-8 || $1 > 0.51) wrong = 1 }
        END { exit wrong || n < 5 }' grow.csv || fail "rows within $limit kB: $(cat grow.csv)"
done
exit $((failures > 0))
