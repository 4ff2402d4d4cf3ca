#!/bin/sh
# npm -> the plotting package that `solstice report` puts into its pages.
#   tools/fetch_page.sh FOLDER
# What is in FOLDER already is not fetched again, so that only a first build needs the network.
set -eu

version=1.6.32
sum=2883159c6ebccefbb95d751b0b82d010f9e1c0ec41b8bc96d401eda66e882935c89a46cb824332fa369b8cb8122cc6ac36e186cd09bf7a9ded3a4c93c6989023
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
archive=$folder/uplot-$version.tgz
command -v npm >/dev/null 2>&1 || fail "npm is not installed"
npm pack "uplot@$version" --silent --pack-destination "$folder" >/dev/null ||
    fail "npm could not fetch uplot@$version"
echo "$sum  $archive" | sha512sum -c --status || fail "$archive is not what it was: wrong checksum"
tar -xzf "$archive" -C "$folder" --strip-components=2 package/dist/uPlot.iife.min.js \
    package/dist/uPlot.min.css || fail "$archive cannot be unpacked"
rm -f "$archive"
echo "$version" >"$folder/version"
