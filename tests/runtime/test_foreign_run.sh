#!/bin/bash
# Foreign functions in whole runs: a damper law, a sensor with memory, libraries that are wrong.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cp "$BUILD_DIR/libdamper.so" "$BUILD_DIR/libsensor.so" "$BUILD_DIR/libbroken.so" "$work" || exit 1
cd "$work" || exit 1
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

expect() { # exit code, text that stderr must contain, command...
    local code=$1 text=$2
    shift 2
    "$@" >out 2>err
    local got=$?
    [ "$got" -eq "$code" ] || fail "$*: exit code $got, not $code: $(cat err)"
    [ -z "$text" ] || grep -qF -- "$text" err || fail "$*: no '$text' in: $(cat err)"
}

oscillator() { # external declaration, expression of the force
    cat <<END
model Force
  external $1;
interface:
  in Real v;
  in Real d;
  out Real f;
end Force;
model Top
implementation:
  static Real x;
  static Real v;
  v = der(x=x, start=1);
  der(x=v, start=0) = -x - $2;
end Top;
END
}

same() { # files: equal within 1e-5 in every cell
    paste -d, "$1" "$2" | awk -F, 'NR > 1 { for (i = 1; i <= 3; i++) { d = $i - $(i + 3); if (d * d > 1e-10) bad = 1 } }
        END { exit bad || NR < 10 }'
}

# The law written in Sol, as a function with and without its derivative: the same motion.
oscillator '"damper" "damper_force"' '0.5*v*(1+v*v)' >sol.sol
oscillator '"damper" "damper_force" derivative "damper_slope"' 'Force(v=v, d=0.5)' >sloped.sol
oscillator '"damper" "damper_force"' 'Force(v=v, d=0.5)' >plain.sol
for name in sol sloped plain; do
    warning=""
    [ $name = plain ] && warning="plain.sol:2:3: warning: 'Force' has no derivative function"
    expect 0 "$warning" "$SOLSTICE" run $name.sol --stop 10 --steps 50 --rtol 1e-8 --output $name.csv
done
for engine in interp jit rebuild; do
    expect 0 "" "$SOLSTICE" run sloped.sol --stop 10 --steps 50 --rtol 1e-8 --output $engine.csv \
        --engine $engine --jit wait --cache off
    cmp -s sloped.csv $engine.csv || fail "engine $engine gives other bits"
done
same sol.csv sloped.csv || fail "damper with derivative"
same sol.csv plain.csv || fail "damper without derivative"

# A sensor with memory: called at events, each instance with a handle of its own.
cat >sensor.sol <<'END'
model Sensor
  external "sensor" "sensor_read" constructor "sensor_new" destructor "sensor_free";
interface:
  in Real x;
  out Real y;
end Sensor;
model Top
implementation:
  static Real m;
  static Real n;
  when Sample(interval=1) then
    m << Sensor(x=8);
    n << pre(n) + 1;
  end;
end Top;
END
expect 0 "" "$SOLSTICE" run sensor.sol --stop 2.5 --steps 5 --output sensor.csv
# every branch is a life of its own: born, asked, destroyed; the first answer is half of 8
[ "$(tail -1 sensor.csv)" = "2.5,4,2" ] || fail "sensor: $(tail -1 sensor.csv)"

# Libraries that are wrong: model and place are named.
oscillator '"no_such" "f"' 'Force(v=v, d=0.5)' >lost.sol
expect 3 'lost.sol:2:3: error: library "no_such" cannot be opened' "$SOLSTICE" run lost.sol
oscillator '"broken" "broken_value"' 'Force(v=v, d=0.5)' >broken.sol
expect 3 'broken.sol:2:3: error: library "broken" cannot be opened' "$SOLSTICE" run broken.sol
grep -q broken_missing err || fail "what the library lacks is not named"
oscillator '"damper" "damper_farce"' 'Force(v=v, d=0.5)' >name.sol
expect 3 "name.sol:2:3: error: no function 'damper_farce' in library" "$SOLSTICE" run name.sol
oscillator '"sensor" "sensor_fails"' 'Force(v=v, d=0.5)' >fails.sol
expect 3 "'Force' (fails.sol:2:3) failed: x is negative" "$SOLSTICE" run fails.sol

exit $((failures > 0))
