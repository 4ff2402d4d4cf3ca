#!/bin/bash
# The population in its whole volume, 1000 litres, with forward Euler at fixed steps and with IDA, which locates each of
# some 8,600 births and deaths: 4200 to 4500 live at the most, all die in the end, and the mean absorbance first rises,
# then falls. Builds with sanitizers and verifiers take a tenth.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
volume=1000
case $BUILD_DIR in */asan | */tsan | */debug | */coverage) volume=100 ;; esac

colony() { # least events, solver options...
    local least=$1
    shift
    "$SOLSTICE" run Population.Examples.Colony --set V=$volume --stop 620 --interval 5 --quiet --stats "$work/stats" \
        --stats-events 0 --vars root.alive --vars absorbance --output "$work/r.solr" "$@" || return 1
    "$SOLSTICE" convert "$work/r.solr" | awk -F, -v volume=$volume -v how="$*" '
        NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
        { t = $1; alive = $column["root.alive"] + 0; r = $column["absorbance"] + 0 }
        alive > most { most = alive }
        t < 260 { early = r }
        t >= 300 && r > best { best = r }
        alive > 0 { last = r }
        END {
            printf "%d litres%s: at most %d, %d at the end; mean absorbance %.5f, %.5f, %.5f\n", volume, how, most,
                alive, early, best, last
            exit !(most >= 4.2 * volume && most <= 4.5 * volume && alive == 0 && best > early + 0.0005 &&
                last < best - 0.005)
        }' || return 1
    local events
    events=$(sed -n 's/^ *"events": \([0-9]*\),*$/\1/p' "$work/stats" | head -n 1)
    [ "${events:-0}" -ge "$least" ] || { echo "only ${events:-no} events"; return 1; }
}

failed=0
colony $((volume / 4)) --solver euler --step 0.5 || failed=1
colony $((volume * 8)) --solver ida || failed=1
exit $failed
