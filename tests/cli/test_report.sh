#!/bin/bash
# The command `report`: one page that needs nothing else, mistakes that are named, limits that are told;
# and what a browser makes of the page. Without a browser this test fails (`make test` installs one)
# unless SOLSTICE_NO_BROWSER is set.
. "$(dirname "$0")/../support/shell.sh"


expect 0 "" "$SOLSTICE" run "$SOURCE_DIR/tests/cli/report.sol:Show.Top" --stop 3 --output r.solr \
    --stats r.json --quiet
expect 0 "" "$SOLSTICE" report r.solr --stats r.json --vars x --vars arm.phi --vars arm.turns \
    --vars arm.inside --output page.html
[ "$(grep -c '</script>' page.html)" -eq 4 ] || fail "scripts: $(grep -c '</script>' page.html)"
grep -q '{{' page.html && fail "a name in the page was not replaced"
grep -qE '(src|href)="?https?:' page.html && fail "the page needs the network"
expect 0 "" "$SOLSTICE" report r.solr
[ -s r.html ] || fail "the page beside the result"

# The same run gives the same page: nothing of the clock is in it.
cp r.html first.html
expect 0 "" "$SOLSTICE" run "$SOURCE_DIR/tests/cli/report.sol:Show.Top" --stop 3 --output r.solr --quiet
expect 0 "" "$SOLSTICE" report r.solr
cmp -s r.html first.html || fail "two runs give two pages"

# Long runs are thinned, and the page says so.
"$BUILD_DIR/write_result" long.solr 200000 || fail "write_result"
expect 0 "" "$SOLSTICE" report long.solr
[ "$(wc -c <long.html)" -lt 1000000 ] || fail "page of a long run: $(wc -c <long.html) bytes"
grep -q '"thinned": true' long.html || fail "thinned without a word"

expect 2 "which result file?" "$SOLSTICE" report
expect 2 "no variable is called 'y'" "$SOLSTICE" report r.solr --vars y
expect 2 "overwrite itself" "$SOLSTICE" report r.solr --output r.solr
expect 4 "No such file" "$SOLSTICE" report none.solr
expect 4 "not a result file" "$SOLSTICE" report page.html
expect 4 "No such file" "$SOLSTICE" report r.solr --stats none.json
expect 4 "no statistics" "$SOLSTICE" report r.solr --stats r.solr
expect 4 "No space left" "$SOLSTICE" report r.solr --output /dev/full
head -c 20000 r.solr >cut.solr
expect 0 "the run did not end" "$SOLSTICE" report cut.solr
grep -q '"ended": false' cut.html || fail "a cut run looks whole"

# ---- the browser ----

# npm -> a client of Chromium's remote control, kept beside the build.
playwright() {
    local version=1.49.1 folder=$1
    local sum=0739a955cb38904d821f5e6b59fce98f354685611125f9a75e69e24b229e45952cf56b3ae66f911888bb9a324afdeb827a07e7de2ee3bea59e5b21def72dd582
    [ -f "$folder/package.json" ] && return
    mkdir -p "$folder" &&
        npm pack "playwright-core@$version" --silent >/dev/null &&
        echo "$sum  playwright-core-$version.tgz" | sha512sum -c --status &&
        tar -xzf "playwright-core-$version.tgz" -C "$folder" --strip-components=1
}

if [ -n "${SOLSTICE_NO_BROWSER:-}" ]; then
    echo "SOLSTICE_NO_BROWSER is set: the page was not opened in a browser"
    exit $((failures > 0))
fi
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
client=$SOURCE_DIR/build/page/playwright
if [ -z "$browser" ] || ! command -v node >/dev/null; then
    fail "no chromium or no node: run tools/setup.sh page, or set SOLSTICE_NO_BROWSER=1"
elif ! playwright "$client"; then
    fail "playwright-core could not be fetched by npm"
else
    mkdir -p "$BUILD_DIR/pictures"
    node "$SOURCE_DIR/tests/cli/report_page.mjs" "$client" "$browser" "$work/page.html" \
        "$BUILD_DIR/pictures" || fail "the page in a browser, see $BUILD_DIR/pictures"
fi

exit $((failures > 0))
