# browser.sh: a browser and a client of its remote control, for tests of pages. Sourced behind shell.sh.

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

# npm -> the checker of accessibility, one script.
axe() {
    local version=4.10.2 folder=$1
    local sum=444de6750ecfdc54527bb7aa096a1e43f67d417aed9e24a3a75c148ede67442dd6229cf9ad20af7baa377ec676682a49b6b663499823c170284cee64e2d108d3
    [ -f "$folder/axe.min.js" ] && return
    npm pack "axe-core@$version" --silent >/dev/null &&
        echo "$sum  axe-core-$version.tgz" | sha512sum -c --status &&
        tar -xzf "axe-core-$version.tgz" -C "$folder" --strip-components=1 package/axe.min.js
}

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
browser_client=$SOURCE_DIR/build/page/playwright

browser_ready() { # false, after a failure: there is none
    if [ -z "$browser" ] || ! command -v node >/dev/null; then
        fail "no chromium or no node: run tools/setup.sh page, or set SOLSTICE_NO_BROWSER=1"
        return 1
    fi
    playwright "$browser_client" || fail "playwright-core could not be fetched by npm"
    axe "$browser_client" || fail "axe-core could not be fetched by npm"
    [ -f "$browser_client/package.json" ] && [ -f "$browser_client/axe.min.js" ]
}
