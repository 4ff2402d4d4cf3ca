#!/bin/bash
# The command `plot`: pictures have the curves, gaps and marks they should, whatever the length of the
# run; the terminal gets characters it can show; mistakes are named.
. "$(dirname "$0")/../support/shell.sh"


# Curves are the only lines of width 1.5.
curves() { grep -c 'stroke-width="1.5"\|stroke-width:1.5' "$1"; }
pieces() { # M commands of the n-th curve
    grep 'stroke-width="1.5"\|stroke-width:1.5' "$1" | sed -n "$2p" | grep -o '[" ]M ' | wc -l
}

"$BUILD_DIR/write_result" a.solr 1000 || fail "write_result"
expect 0 "" "$SOLSTICE" plot a.solr x y --output a.svg --title 'Two <lines>'
[ "$(curves a.svg)" -eq 2 ] || fail "number of curves: $(curves a.svg)"
[ "$(pieces a.svg 1)" -eq 1 ] || fail "x has gaps: $(pieces a.svg 1)"
[ "$(pieces a.svg 2)" -eq 5 ] || fail "pieces of y, which lives in every other hundred: $(pieces a.svg 2)"
expect 0 "" "$SOLSTICE" plot a.solr y --from 0 --to 350 --output part.svg
[ "$(pieces part.svg 1)" -eq 2 ] || fail "--from --to: $(pieces part.svg 1) pieces"
expect 0 "" "$SOLSTICE" plot a.solr --output main.svg
[ "$(curves main.svg)" -eq 1 ] || fail "states only, without names"

# Long runs: the picture does not grow with them, and the extremes are still there.
"$BUILD_DIR/write_result" long.solr 300000 || fail "write_result"
expect 0 "" "$SOLSTICE" plot long.solr x y --output long.svg
size=$(wc -c <long.svg)
[ "$size" -lt 400000 ] || fail "a long run gives a picture of $size bytes"
[ "$(curves long.svg)" -eq 2 ] || fail "curves of the long run"

# Several files, and pixels as asked for.
cp a.solr b.solr
expect 0 "" "$SOLSTICE" plot a.solr b.solr x --output two.svg
[ "$(curves two.svg)" -eq 2 ] || fail "two files"
expect 0 "" "$SOLSTICE" plot a.solr x --output a.png --width 321 --height 234
[ "$(head -c 24 a.png | tail -c 8 | od -An -tu1 | tr -s ' ')" = " 0 0 1 65 0 0 0 234" ] || fail "size of PNG"

# Events are marked, and a variable of a branch is drawn where it lives.
cat >switch.sol <<'SOL'
model Switch
interface:
    static Real x;
implementation:
    static Real t;
    t = time;
    if t < 0.25 then
        x = 1;
    else if t < 0.75 then
        static Real inside;
        inside = 2*time;
        x = inside;
    else then
        x = 0;
    end if;
end Switch;
SOL
expect 0 "" "$SOLSTICE" run switch.sol --output s.solr --quiet
expect 0 "" "$SOLSTICE" plot s.solr x inside --output s.svg
marks=$(grep -c 'stroke-opacity="0.6"\|stroke-opacity:0.6' s.svg)
[ "$marks" -eq 2 ] || fail "$marks marks, not 2"
[ "$(pieces s.svg 2)" -eq 1 ] || fail "a variable of a branch"

expect 0 "" "$SOLSTICE" plot s.solr x inside --no-events --output quiet.svg
grep -q 'stroke-opacity="0.6"\|stroke-opacity:0.6' quiet.svg && fail "--no-events"

# Panels: two frames, and each curve fills its own, though one is a thousand times the other.
frames() { # closed lines of four corners
    tr '>' '\n' <"$1" | grep -c 'stroke-width[:="]*1[;"].*d="M [^LZM]*L [^LZM]*L [^LZM]*L [^LZM]*Z'
}
expect 0 "" "$SOLSTICE" plot a.solr x / y --label 'one [m] / two [s]' --output panels.svg
[ "$(curves panels.svg)" -eq 2 ] || fail "curves of two panels: $(curves panels.svg)"
[ "$(frames panels.svg)" -eq 2 ] || fail "frames of two panels: $(frames panels.svg)"
[ "$(frames a.svg)" -eq 1 ] || fail "frames of one panel: $(frames a.svg)"
expect 2 "'/' stands between variables" "$SOLSTICE" plot a.solr x / --output bad.svg
expect 2 "'/' stands between variables" "$SOLSTICE" plot a.solr / x --output bad.svg

# Points: filled squares and no curve; sideways, x grows to the right and time upwards.
expect 0 "" "$SOLSTICE" plot a.solr x --points --sideways --no-events --output points.svg
[ "$(curves points.svg)" -eq 0 ] || fail "points have curves"
corners=$(tr '>' '\n' <points.svg | grep 'fill-rule[:="]*nonzero' | grep -o 'M [0-9.]* [0-9.]* L [0-9.]* [0-9.]* L [0-9.]* [0-9.]* L [0-9.]* [0-9.]* Z' | sed -n '1p;$p')
echo "$corners" | awk '{ x[NR] = $2; y[NR] = $3 } END { exit !(x[2] > x[1] + 500 && y[2] < y[1] - 300) }' ||
    fail "first and last point sideways: $corners"
expect 2 "need --output" "$SOLSTICE" plot a.solr x --points

# The terminal.
expect 0 "" env LC_ALL=C.UTF-8 COLUMNS=60 LINES=20 "$SOLSTICE" plot a.solr x
grep -q "⠁\|⠂\|⠄\|⡀\|⢀\|⣀\|⠔\|⠊" out || fail "no braille"
grep -q "x (0 to 999)" out || fail "legend in the terminal: $(tail -1 out)"
expect 0 "" env LC_ALL=C COLUMNS=60 "$SOLSTICE" plot a.solr x y --title T
LC_ALL=C grep -q '[^ -~]' out && fail "not ASCII"
grep -q '[*].*' out && grep -q '+' out || fail "letters of the curves"
awk 'length($0) > 60 { exit 1 }' out || fail "wider than the terminal"

# Mistakes.
expect 2 "which result file?" "$SOLSTICE" plot
expect 2 "no variable is called 'z'" "$SOLSTICE" plot a.solr z
expect 2 "near it are inside" "$SOLSTICE" plot s.solr insdie
expect 2 "neither .svg nor .png" "$SOLSTICE" plot a.solr x --output a.gif
expect 2 "--from must lie before --to" "$SOLSTICE" plot a.solr x --from 2 --to 1
expect 4 "No such file" "$SOLSTICE" plot none.solr
expect 4 "not a result file" "$SOLSTICE" plot a.svg
expect 4 "nowhere/a.svg" "$SOLSTICE" plot a.solr x --output nowhere/a.svg
expect 4 "nowhere/a.png" "$SOLSTICE" plot a.solr x --output nowhere/a.png
head -c 5000 a.solr >cut.solr
expect 0 "the run did not end" "$SOLSTICE" plot cut.solr x --output cut.svg

# Panels in the terminal: a '/' begins one below, with its own axis and names; in SVG sizes are pixels.
COLUMNS=70 LINES=40 "$SOLSTICE" plot a.solr x / y >panels.txt 2>err || fail "panels: $(cat err)"
first=$(grep -n ' x (' panels.txt | cut -d: -f1) second=$(grep -n ' y (' panels.txt | cut -d: -f1)
[ "${first:-0}" -gt 5 ] && [ "${second:-0}" -gt $((first + 5)) ] || fail "panels one below the other: $(cat panels.txt)"
expect 0 "" "$SOLSTICE" plot a.solr x --output sized.svg --width 640 --height 480
grep -q 'width="640\(px\)\?" height="480\(px\)\?"' sized.svg || fail "pixels: $(head -c 300 sized.svg)"
exit $((failures > 0))

# Many events would hide the curve behind their lines: then it stands alone, and a line says why.
cat >pulses.sol <<'SOL'
model Pulses
interface:
    static Real x;
implementation:
    x = if mod(time, 0.01) < 0.005 then 1 else 0;
end Pulses;
SOL
expect 0 "" "$SOLSTICE" run pulses.sol --output pulses.solr --quiet
LC_ALL=C "$SOLSTICE" plot pulses.solr x >pulses.txt || fail "plot of pulses"
grep -q 'events are too close together for a line each' pulses.txt || fail "many events: no word"
grep '^ .*|' pulses.txt | cut -d'|' -f2- | grep -q '[|:]' && fail "many events: lines"
LC_ALL=C "$SOLSTICE" plot s.solr x | cut -d'|' -f2- | grep -q '|' || fail "few events: no lines"
