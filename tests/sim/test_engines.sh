#!/bin/bash
# Interpreter, background code, waited-for code and rebuilt code give the same bytes on every model here, and a
# mode that returns compiles nothing.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

compare() { # FILE:MODEL, stop, options...
    local model=$1 stop=$2
    shift 2
    for way in interp jit "jit --jit wait" rebuild; do
        # shellcheck disable=SC2086
        "$SOLSTICE" run "$SOURCE_DIR/$model" --stop "$stop" --engine $way --cache "$work/cache" --quiet \
            --output "$work/${way// /_}.solr" "$@" 2>"$work/messages"
        echo "exit $?" >>"$work/messages"
        mv "$work/messages" "$work/${way// /_}.messages"
    done
    grep -qx 'exit 0' "$work/interp.messages" || { cat "$work/interp.messages"; failed=1; }
    for way in jit jit_--jit_wait rebuild; do
        for kind in solr messages; do
            cmp -s "$work/interp.$kind" "$work/$way.$kind" && continue
            echo "$model: $way differs from the interpreter ($kind)"
            failed=1
        done
    done
}

compare tests/sim/circuits.sol:FourModes 20
compare tests/sim/circuits.sol:TwoCapacitors 1
compare tests/sim/circuits.sol:Rectifier 0.2
compare tests/sim/circuits.sol:Network 0.1
compare tests/sim/updates.sol:Updates.SampledSlope 1
compare tests/sim/mechanics.sol:BouncingBall 2
compare tests/sim/mechanics.sol:BreakingPendulum 6
compare tests/sim/mechanics.sol:Swing 3
compare tests/sim/stiff.sol:VanDerPol 100
compare tests/sim/stiff.sol:Robertson 100
compare tests/sim/stiff.sol:Amplifier 0.05
compare stdlib/Electric.sol:Electric.Examples.Rectifier 0.1
compare stdlib/Electric.sol:Electric.Examples.ThreePhaseBridge 0.04
compare stdlib/Electric.sol:Electric.Examples.LowPass 10
compare tests/sim/implicit.sol:IdealBridge 0.05
compare tests/sim/implicit.sol:Rectifier 0.1
compare tests/sim/implicit.sol:IdealBuck 5
compare tests/sim/implicit.sol:StickSlip 3
compare stdlib/Blocks.sol:Blocks.Examples.Responses 2
compare tests/sim/circuits.sol:Rectifier 0.2 --solver rk
for model in circuits.sol:Rectifier circuits.sol:FourModes mechanics.sol:BreakingPendulum stiff.sol:Amplifier; do
    compare tests/sim/$model 0.5 --solver inline
    compare tests/sim/$model 0.5 --solver inline --method radau3 --step 0.002
    compare tests/sim/$model 0.5 --solver inline --method bdf2 --step 0.002
done
compare tests/sim/mechanics.sol:BreakingPendulum 6 --solver rk
compare stdlib/Planar.sol:Planar.Examples.BallOnRope 1 --solver inline # slack: a factor that is 0 until an event

# Twice as long, twice as many mode changes: no new shape, and not one function more. (Long enough that all code has
# become hot: each shape is compiled again then, optimised.)
count() {
    "$SOLSTICE" run "$SOURCE_DIR/tests/sim/circuits.sol:Rectifier" --stop "$1" --jit wait --cache off --quiet \
        --output "$work/r.solr" --stats "$work/s.json" >/dev/null 2>&1 || return 1
    grep -oE '"(functions_compiled|shapes)": *[0-9]+' "$work/s.json" | grep -o '[0-9]*$' | paste -sd ' '
}
short=$(count 2) long=$(count 4)
[ -n "$short" ] && [ "${short%% *}" -gt 0 ] && [ "$short" = "$long" ] ||
    { echo "functions compiled, shapes: $short, with twice the mode changes $long"; failed=1; }
exit $failed
