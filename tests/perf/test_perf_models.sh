#!/bin/bash
# Every benchmark model instantiates in its first mode, with no equation too many or too few.
set -u
models=$SOURCE_DIR/perf/models
failed=0
for top in Rectifiers.One Rectifiers.Array Rectifiers.Coupled Pendulums.Breaking Pendulums.Chain \
    Colony.Run Lines.Line Switches.Among Switches.Trivial; do
    if ! "$SOLSTICE" check --instantiate "$models/${top%%.*}.sol:$top"; then
        echo "$top: check failed" >&2
        failed=1
    fi
done
exit $failed
