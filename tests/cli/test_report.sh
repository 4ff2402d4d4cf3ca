#!/bin/bash
# The command `report`: one page that needs nothing else, mistakes that are named, limits that are told;
# and what a browser makes of the page. Without a browser this test fails (`make test` installs one)
# unless SOLSTICE_NO_BROWSER is set.
. "$(dirname "$0")/../support/shell.sh"
. "$SOURCE_DIR/tests/support/browser.sh"


expect 0 "" "$SOLSTICE" run "$SOURCE_DIR/tests/cli/report.sol:Show.Top" --stop 3 --output r.solr \
    --stats r.json --quiet
expect 0 "" "$SOLSTICE" report r.solr --stats r.json --vars x --vars arm.phi --vars arm.turns \
    --vars arm.inside --output page.html
[ "$(grep -c '</script>' page.html)" -eq 11 ] || fail "scripts: $(grep -c '</script>' page.html)"
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

if [ -n "${SOLSTICE_NO_BROWSER:-}" ]; then
    echo "SOLSTICE_NO_BROWSER is set: the page was not opened in a browser"
    exit $((failures > 0))
fi
if browser_ready; then
    mkdir -p "$BUILD_DIR/pictures"
    node "$SOURCE_DIR/tests/cli/report_page.mjs" "$browser_client" "$browser" "$work/page.html" \
        "$BUILD_DIR/pictures" || fail "the page in a browser, see $BUILD_DIR/pictures"
fi

exit $((failures > 0))
