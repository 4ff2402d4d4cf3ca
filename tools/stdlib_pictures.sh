#!/bin/sh
# Examples of the library -> their pictures in docs/library, as stdlib_pictures.txt lists them.
#   tools/stdlib_pictures.sh [PATTERN]    only examples that contain PATTERN
set -eu
cd "$(dirname "$0")/.."
program=${SOLSTICE:-build/solstice}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p docs/library

sed '/^#/d' tools/stdlib_pictures.txt | grep -F "${1:-}" | while IFS='|' read -r example run plot; do
    example=$(echo $example)
    package=${example%%.*}
    name=$package.${example##*.}
    # The name of a picture may carry a suffix: Colony:end is a second picture of Colony.
    model=${example%%:*}
    file=docs/library/$(echo "$name" | tr : -).png
    # A panel for each "/" among the variables, which stand before the label.
    panels=$(echo "${plot%%--label*}" | tr ' ' '\n' | grep -cx / || true)
    size="--width 720 --height $((200 + 150 * panels))"
    case $plot in *--height*) size="--width 800" ;; esac
    # Pictures of the same run that follow each other share it. RESULTS, a folder, keeps runs for next time.
    result=${RESULTS:-$work}/$(echo "$model $run" | cksum | tr ' ' -).solr
    [ -s "$result" ] ||
        eval "\"$program\" run \"stdlib/$package.sol:$model\" --quiet --output \"$result\" $run"
    eval "\"$program\" plot \"$result\" $plot --output \"$file\" $size"
    echo "$file"
done
