#!/bin/sh
# npm registry -> the plotting package that `solstice report` puts into its pages.
#   tools/fetch_page.sh FOLDER
# What is in FOLDER already is not fetched again, so that only a first build needs the network.
set -eu

version=1.6.32
sum=2883159c6ebccefbb95d751b0b82d010f9e1c0ec41b8bc96d401eda66e882935c89a46cb824332fa369b8cb8122cc6ac36e186cd09bf7a9ded3a4c93c6989023
registry=${npm_config_registry:-https://registry.npmjs.org}
folder=$1

if [ -f "$folder/uPlot.iife.min.js" ] && [ -f "$folder/uPlot.min.css" ] &&
    [ "$(cat "$folder/version" 2>/dev/null)" = "$version" ]; then
    exit 0
fi

fail() {
    echo "fetch: $*" >&2
    echo "fetch: uPlot $version (an npm package) is needed for the pages of 'solstice report'." >&2
    echo "fetch: put uPlot.iife.min.js and uPlot.min.css of its folder dist, and a file 'version'" >&2
    echo "fetch: with the text $version, into $folder" >&2
    exit 1
}

mkdir -p "$folder"
url=${registry%/}/uplot/-/uplot-$version.tgz
archive=$folder/uplot.tgz
if command -v curl >/dev/null 2>&1; then
    curl -fsSL --retry 3 -m 120 -o "$archive" "$url" || fail "$url could not be fetched"
elif command -v wget >/dev/null 2>&1; then
    wget -q -T 120 -O "$archive" "$url" || fail "$url could not be fetched"
else
    fail "neither curl nor wget is installed"
fi
echo "$sum  $archive" | sha512sum -c --status || fail "$url is not what it was: wrong checksum"
tar -xzf "$archive" -C "$folder" --strip-components=2 package/dist/uPlot.iife.min.js \
    package/dist/uPlot.min.css || fail "$archive cannot be unpacked"
rm -f "$archive"
echo "$version" >"$folder/version"
