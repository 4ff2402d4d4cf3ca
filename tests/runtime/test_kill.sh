#!/bin/bash
# Runs that are killed at random moments: what they wrote can be read to its last complete record, and
# is the beginning of what the run would have written. KILLS=1000 by default.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
kills=${KILLS:-1000}
failures=0

cat >Wave.sol <<'END'
model Wave
implementation:
  static Real x;
  static Real v;
  v = der(x=x, start=1);
  der(x=v, start=0) = -x;
  if x > 0 then
    static Real up;
    up = 2*x;
  else then
    static Real down;
    down = 3*x;
  end;
end Wave;
END
run=("$SOLSTICE" run Wave.sol --stop 20000 --interval 0.05 --quiet)
"${run[@]}" --output whole.solr &
whole=$!
sleep 0.5
kill -9 $whole 2>/dev/null
{ wait $whole; } 2>/dev/null
size=$(stat -c %s whole.solr)

for i in $(seq "$kills"); do
    rm -f k.solr
    "${run[@]}" --output k.solr &
    while [ ! -s k.solr ]; do :; done
    sleep "0.0$((RANDOM % 20 + 10))"
    { kill -9 $! && wait $!; } 2>/dev/null
    n=$(stat -c %s k.solr)
    [ "$n" -gt "$size" ] && n=$size
    cmp -s -n "$n" whole.solr k.solr || { echo "FAILED: kill $i: other bytes"; failures=$((failures + 1)); }
    [ $((i % 20)) -eq 0 ] || continue # reading takes longer than writing: not every time
    "$SOLSTICE" convert k.solr >k.csv 2>err
    code=$?
    { [ $code -eq 0 ] && grep -q "the run did not end" err; } || {
        echo "FAILED: kill $i: convert says $code: $(cat err)"
        failures=$((failures + 1))
    }
    [ "$failures" -gt 5 ] && break
done
exit $((failures > 0))
