#!/bin/bash
# Pages of examples of the library, of `report` and of `serve`, light and dark, wide and narrow, in a browser: nothing goes wrong,
# nothing is wider than the screen, no serious findings of the accessibility checker, and screenshots are kept. Without a browser
# this test fails (`make test` installs one) unless SOLSTICE_NO_BROWSER is set.
. "$(dirname "$0")/../support/shell.sh"
. "$SOURCE_DIR/tests/support/browser.sh"

if [ -n "${SOLSTICE_NO_BROWSER:-}" ]; then
    echo "SOLSTICE_NO_BROWSER is set: no page was opened"
    exit 0
fi
browser_ready || exit 1
mkdir -p "$BUILD_DIR/pictures"

pages() { # name, model, stop, options of run
    local name=$1 model=$2 stop=$3
    shift 3
    expect 0 "" "$SOLSTICE" run "$model" --stop "$stop" --quiet --output "$name.solr" "$@"
    expect 0 "" "$SOLSTICE" report "$name.solr" --output "$name.html"
    rm -f address
    "$SOLSTICE" serve "$model" --stop "$stop" --cache off >address 2>err &
    local pid=$!
    for _ in $(seq 100); do [ -s address ] && break; sleep 0.1; done
    node "$SOURCE_DIR/tests/cli/pages.mjs" "$browser_client" "$browser" "$name" "$work/$name.html" "$(cat address)" \
        "$BUILD_DIR/pictures" || fail "$name, see $BUILD_DIR/pictures"
    kill $pid
    wait $pid 2>/dev/null
}

# Red, then blue, from its lower to its upper half; the other is nothing that a page may fetch or run.
cat >image.sol <<'END'
model Picture
implementation:
  Real x; der(x = x, start << 0) = 1;
  Graphics.Line(sx << -2, sy << -2, dx << 2, dy << 2);
  Graphics.Image{source << "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='40' height='20'><rect width='40' height='10' fill='%230000ff'/><rect y='10' width='40' height='10' fill='%23ff0000'/></svg>"}
      (sx << -1, sy << 0, dx << 1, dy << 0);
  Graphics.Image{source << "http://127.0.0.1:9/x.png"}(sx << -1, sy << 0, dx << 1, dy << 1);
  Graphics.Image{source << "javascript:alert(1)"}(sx << -1, sy << 0, dx << 1, dy << 1);
end Picture;
END

pages trebuchet Planar.Examples.Trebuchet 4 --interval 0.01
pages image image.sol 2
# The others are the same program, and in slow builds only longer.
grep -q '^CMAKE_BUILD_TYPE:STRING=Release' "$BUILD_DIR/CMakeCache.txt" || exit $((failures > 0))
pages rectifier Electric.Examples.Rectifier 0.1
pages traffic Traffic.Examples.Road 120 --rtol 1e-5 --interval 0.5
pages population Population.Examples.Culture 200 --set V=20 --interval 0.5 --solver euler --step 0.25
pages fourbar Planar.Examples.FourBar 6 --interval 0.01

exit $((failures > 0))
