#!/bin/bash
# `graph --solver inline` shows the equations of figures 1 and 3 of Elmqvist, Otter and Cellier (1995) as they are printed
# there, up to order and names: each assignment has the value of the printed one at points drawn at random, in exact
# arithmetic, and what is iterated is what they iterate.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cat >"$work/Filters.sol" <<'SOL'
model Filters
interface:
    parameter Real T1 << 0.5; parameter Real T2 << 0.3;
implementation:
    static Real x1; static Real x2; static Real u;
    u = sin(x = time);
    T1*der(x = x1, start << 0) + x1 = u;
    T2*der(x = x2, start << 0) + x2 = x1;
end Filters;
SOL
cat >"$work/Plant.sol" <<'SOL'
model f
    external "libm.so.6" "fma";
interface:
    in Real x; in Real u; in Real t; out Real y;
end f;
model g
    external "libm.so.6" "tanh";
interface:
    in Real x; out Real y;
end g;
model Plant
interface:
    parameter Real w << 3; parameter Real D << 0.4; parameter Real k << 2;
implementation:
    static Real x; static Real y; static Real u; static Real x1; static Real x2;
    der(x = x, start << 0.5) = f(x, u, time);
    y = g(x);
    der(x = x1, start << 0) = x2;
    der(x = x2, start << 0) = -2*w*D*x2 - w*w*x1 + w*w*y;
    u = -k*x1;
end Plant;
SOL
sed 's/model Plant/model Hinted/; s/end Plant/end Hinted/; s/y = g(x);/y = g(x); tearing(x = y);/' "$work/Plant.sol" >"$work/Hinted.sol"
for model in Filters Plant Hinted; do
    "$SOLSTICE" graph "$work/$model.sol:$model" --solver inline >"$work/$model.dot" || exit 1
done
"$SOLSTICE" graph Robot.Examples.Arm --solver inline >"$work/Arm.dot" || exit 1
python3 - "$work" <<'PY'
import random, re, sys
from fractions import Fraction

class Point(dict):  # a value for each name, drawn when it is first asked for
    def __missing__(self, name):
        self[name] = Fraction(random.randint(1, 999), random.randint(1, 99))
        return self[name]

def plain(text):  # der(x) and old(x) are names
    return re.sub(r"\b(der|old)\((\w+)\)", r"\1_\2", text)

def value(text, point):
    point.update(f=lambda x, u, t: x*x + 3*u - t, g=lambda x: x*x*x - x)
    return eval(plain(text), {}, point)

def read(name):
    text = open(f"{sys.argv[1]}/{name}.dot").read()
    iterated = re.findall(r'label="iterated: ([^"]*)"', text)
    linear = re.findall(r"solved for: ([^\\]*)\\l", text)
    lines = [line for label in re.findall(r'label="((?:[^"\\]|\\.)*)"', text) for line in label.split("\\l") if ":=" in line]
    return iterated, linear, [tuple(line.split(" := ")) for line in lines]

def compare(name, lines, printed):
    left = dict(printed)
    for target, text in lines:
        if target not in left:
            sys.exit(f"{name}: {target} := {text} is not printed")
        for _ in range(20):
            point = Point()
            ours, theirs = value(text, point), value(left[target], point)
            if ours != theirs and not (target == "residual" and ours == -theirs):
                sys.exit(f"{name}: {target} := {text} is not {left[target]}")
        del left[target]
    if left:
        sys.exit(f"{name}: {left} is missing")

random.seed(1995)
iterated, linear, lines = read("Filters")
if iterated or linear:
    sys.exit(f"Filters: {iterated} is iterated, {linear} solved as a system")
compare("Filters", [line for line in lines if line[0] != "u"], {
    "der(x1)": "(u - old(x1))/(T1 + h)", "x1": "h*der(x1) + old(x1)",
    "der(x2)": "(x1 - old(x2))/(T2 + h)", "x2": "h*der(x2) + old(x2)"})
iterated, linear, lines = read("Plant")
if iterated != ["der(x)"] or linear:
    sys.exit(f"Plant: {iterated} is iterated, {linear} solved as a system")
compare("Plant", [line for line in lines if line[0] != "der(x1)"], {
    "x": "h*der(x) + old(x)", "y": "g(x)",
    "der(x2)": "(w*w*y - ((2*w*D + h*w*w)*old(x2) + w*w*old(x1)))/(1 + (2*w*D + h*w*w)*h)",
    "x2": "h*der(x2) + old(x2)", "x1": "h*x2 + old(x1)", "u": "-k*x1",
    "residual": "f(x, u, time) - der(x)"})
iterated, linear, lines = read("Hinted")  # the modeller's wish first, and what that leaves open
if len(iterated) != 1 or "y" not in iterated[0].split(", "):
    sys.exit(f"Hinted: {iterated} is iterated")
# The arm: six accelerations of hinges; between these and the balances of torque no loop is left whose factors move.
iterated, linear, lines = read("Arm")
if [sorted(i.split(", ")) for i in iterated] != [[f"der(der(A{k}.hinge.phi))" for k in range(1, 7)]]:
    sys.exit(f"Arm: {iterated} is iterated")
text = open(f"{sys.argv[1]}/Arm.dot").read()
if text.count("linear, solved for") or text.count("linear, factors kept") != 6 or any(len(i.split(", ")) > 4 for i in linear):
    sys.exit(f"Arm: {linear} is solved as systems")
PY
