#!/bin/sh
# npm -> what the pages of `solstice report` and `solstice serve` are made of besides our own files: the plotting package, and
# the text editor, which esbuild makes one file of (tools/page).
#   tools/fetch_page.sh FOLDER
# What is in FOLDER already is not fetched again, so that only a first build needs the network.
set -eu

version=1.6.32
sum=2883159c6ebccefbb95d751b0b82d010f9e1c0ec41b8bc96d401eda66e882935c89a46cb824332fa369b8cb8122cc6ac36e186cd09bf7a9ded3a4c93c6989023
folder=$1
source=$(cd "$(dirname "$0")/page" && pwd)
editor=$(cat "$source/package-lock.json" "$source/editor.js" | sha256sum | cut -c1-16)

fail() {
    echo "fetch: $*" >&2
    echo "fetch: the pages of 'solstice report' and 'serve' need, in $folder, made elsewhere if npm or the network is missing here:" >&2
    echo "fetch: uPlot.iife.min.js and uPlot.min.css of uplot@$version (npm), folder dist, and a file 'version' with the text $version;" >&2
    echo "fetch: codemirror.js, and a file 'editor' with the text $editor: 'npm ci' and the line with esbuild of this script, in tools/page" >&2
    exit 1
}

fetch_plots() {
    archive=$folder/uplot-$version.tgz
    npm pack "uplot@$version" --silent --pack-destination "$folder" >/dev/null ||
        fail "npm could not fetch uplot@$version"
    echo "$sum  $archive" | sha512sum -c --status || fail "$archive is not what it was: wrong checksum"
    tar -xzf "$archive" -C "$folder" --strip-components=2 package/dist/uPlot.iife.min.js \
        package/dist/uPlot.min.css || fail "$archive cannot be unpacked"
    rm -f "$archive"
    echo "$version" >"$folder/version"
}

# package-lock.json has the checksum of every package.
bundle_editor() {
    work=$(mktemp -d)
    cp "$source/package.json" "$source/package-lock.json" "$source/editor.js" "$work"
    (cd "$work" && npm ci --silent --ignore-scripts --no-audit --no-fund >/dev/null &&
        node_modules/.bin/esbuild editor.js --bundle --minify --format=iife --legal-comments=none --log-level=warning "--banner:js=/*! CodeMirror 6, (c) Marijn Haverbeke and others, MIT license */" \
            --outfile=codemirror.js) || { rm -rf "$work"; fail "the editor could not be fetched and bundled"; }
    mv "$work/codemirror.js" "$folder/codemirror.js"
    rm -rf "$work"
    echo "$editor" >"$folder/editor"
}

has() { # file, text
    [ "$(cat "$folder/$1" 2>/dev/null)" = "$2" ]
}

mkdir -p "$folder"
if has version "$version" && has editor "$editor"; then
    exit 0
fi
command -v npm >/dev/null 2>&1 || fail "npm is not installed"
has version "$version" || fetch_plots
has editor "$editor" || bundle_editor
