#!/bin/bash
# Foreign functions in whole runs: a damper law, a sensor with memory, libraries that are wrong.
. "$(dirname "$0")/../support/shell.sh"
cp "$BUILD_DIR/libdamper.so" "$BUILD_DIR/libsensor.so" "$BUILD_DIR/libbroken.so" "$work" || exit 1


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

# Every engine and every solver calls the same functions, fails by the same word and with the same code.
cat >mixed.sol <<'END'
model Force
  external "damper" "damper_force" derivative "damper_slope";
interface:
  in Real v;
  in Real d;
  out Real f;
end Force;
model Sensor
  external "sensor" "sensor_read" constructor "sensor_tuned" destructor "sensor_free";
interface:
  parameter Real weight;
  parameter Integer samples;
  parameter String unit << "V";
  in Real x;
  out Real y;
end Sensor;
model Top
implementation:
  static Real x;
  static Real v;
  static Real m;
  static Real held;
  static Sensor sensor{weight << 0.25, samples << 3};
  v = der(x=x, start=1);
  der(x=v, start=0) = -x - Force(v=v, d=0.5);
  when Sample(interval=1) then
    held << 8;
  end;
  sensor.x = held;
  m = sensor.y;
end Top;
END
for solver in ida rk euler; do
    for engine in interp jit rebuild; do
        expect 0 "" "$SOLSTICE" run mixed.sol --stop 2.5 --steps 5 --engine $engine --jit wait \
            --cache off --solver $solver --step 0.001 --output m-$solver-$engine.csv
        cmp -s m-$solver-interp.csv m-$solver-$engine.csv || fail "$solver: $engine gives other bits"
    done
done
awk -F, 'NR == FNR { if (FNR > 1) v[FNR] = $3; next } FNR > 1 && FNR < 4 { d = $3 - v[FNR]; if (d * d > 1e-5) bad = 1 }
    END { exit bad }' m-ida-jit.csv m-euler-jit.csv || fail "ida and euler move differently"

# Parameters go to the constructor; without one, before the in-members.
cat >tuned.sol <<'END'
model Sensor
  external "sensor" "sensor_read" constructor "sensor_tuned" destructor "sensor_free";
interface:
  parameter Real weight;
  parameter Integer samples << 0;
  parameter String unit << "V";
  in Real x;
  out Real y;
end Sensor;
model Gain
  external "sensor" "sensor_gain" derivative "sensor_gain_slope";
interface:
  parameter Real gain;
  parameter Integer power << 2;
  in Real x;
  out Real y;
end Gain;
model Top
implementation:
  static Real m;
  static Real x;
  static Real y;
  when Sample(interval=1) then
    m << Sensor{weight << 0.25}(x=8);
  end;
  der(x=x, start=1) = -Gain{gain << 2}(x=x);
  y = Gain{gain << 3, power << 1}(x=x);
end Top;
END
expect 0 "" "$SOLSTICE" run tuned.sol --stop 1 --steps 1 --rtol 1e-9 --output tuned.csv
grep -q warning err && fail "the derivative function was not used: $(cat err)"
# x' = -2 x^2: x = 1/(1 + 2 t)
tail -1 tuned.csv | awk -F, '{ d = $3 - 1/3; e = $4 - 1; exit !($2 == 2 && d * d < 1e-12 && e * e < 1e-12) }' ||
    fail "parameters: $(tail -1 tuned.csv)"
sed 's/weight << 0.25/weight << 0.25, unit << "A"/' tuned.sol >unit.sol
expect 1 "unit.sol:2:3: error: the constructor of 'Sensor' failed: the unit is not V" \
    "$SOLSTICE" run unit.sol --stop 1

# A function fails in words, whatever its type; the run ends there, what was before is written.
cat >count.sol <<'END'
model Count
  external "sensor" "sensor_count" constructor "sensor_new" destructor "sensor_free";
interface:
  in Real x;
  out Integer n;
end Count;
model Top
implementation:
  static Integer n;
  when Sample(interval=1) then
    n << Count(x=time);
  end;
end Top;
END
for solver in ida rk euler; do
    for engine in interp jit rebuild; do
        expect 3 "'Count' (count.sol:2:3) failed: out of range" "$SOLSTICE" run count.sol --stop 3 --steps 6 \
            --engine $engine --solver $solver --jit wait --cache off --output count.csv
        grep -q "time 2" err || fail "the time is not told: $(cat err)"
        tail -1 count.csv | grep -q '^2,1$' || fail "what was before: $(tail -1 count.csv)"
        oscillator '"sensor" "sensor_fails"' 'Force(v=v, d=0.5)' >fails.sol
        sed -i 's/  in Real d;//; s/, d=0.5//' fails.sol
        expect 3 "'Force' (fails.sol:2:3) failed: x is negative" "$SOLSTICE" run fails.sol \
            --engine $engine --solver $solver --jit wait --cache off
        oscillator '"broken" "broken_value"' 'Force(v=v, d=0.5)' >broken.sol
        expect 1 'broken.sol:2:3: error: library "broken" cannot be opened' "$SOLSTICE" run broken.sol \
            --engine $engine --solver $solver --jit wait --cache off
    done
done

# Libraries that are wrong: model and place are named, before anything runs.
oscillator '"no_such" "f"' 'Force(v=v, d=0.5)' >lost.sol
expect 1 'lost.sol:2:3: error: library "no_such" cannot be opened' "$SOLSTICE" run lost.sol
oscillator '"broken" "broken_value"' 'Force(v=v, d=0.5)' >broken.sol
expect 1 'broken.sol:2:3: error: library "broken" cannot be opened' "$SOLSTICE" run broken.sol
grep -q broken_missing err || fail "what the library lacks is not named"
oscillator '"damper" "damper_farce"' 'Force(v=v, d=0.5)' >name.sol
expect 1 "name.sol:2:3: error: no function 'damper_farce' in library" "$SOLSTICE" run name.sol

exit $((failures > 0))
