#!/bin/bash
# Who looks must not matter: steps and last values are the same however many output points there are, also where states are chosen
# anew on the way (a pendulum that goes round).
. "$(dirname "$0")/../support/shell.sh"

cat >round.sol <<'MODEL'
model Round
interface: static Real x; static Real y;
implementation:
  static Real vx; static Real vy; static Real lambda;
  vx = der(x = x); vy = der(x = y, start << -1);
  der(x = vx, start << 7) = -lambda*x; der(x = vy) = -lambda*y - 9.81;
  x^2 + y^2 = 1;
end Round;
MODEL
for solver in ida rk; do
    for interval in 0.5 0.1 0.01 0.002; do
        "$SOLSTICE" run round.sol:Round --stop 1 --max-step 1 --solver $solver --interval $interval --output o.csv >out 2>&1 ||
            fail "$solver, interval $interval: $(head -3 out)"
        echo "$(grep -o '[0-9]* steps, [0-9]* events' out) $(tail -1 o.csv)" >>$solver
    done
    [ "$(sort -u $solver | wc -l)" = 1 ] || fail "$solver: $(cat $solver)"
done
exit $((failures > 0))
