#!/bin/bash
# Runs of examples -> pictures of their pages in docs/pictures: reports, light and dark, and a moving picture of a model that is
# edited while it runs. Needs what the tests of pages need (tools/setup.sh page) and Pillow, which matplotlib brings.
#   tools/page_pictures.sh
set -eu
cd "$(dirname "$0")/.."
SOURCE_DIR=$PWD
program=${SOLSTICE:-$PWD/build/solstice}
folder=$PWD/docs/pictures
fail() { echo "pictures: $*" >&2; exit 1; }
. tests/support/browser.sh
mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
browser_ready

report() { # name, model, options of run
    local name=$1 model=$2
    shift 2
    "$program" run "$model" --quiet --output "$name.solr" "$@" 2>/dev/null
    "$program" report "$name.solr" 2>/dev/null
    node "$SOURCE_DIR/tools/page_pictures.mjs" "$browser_client" "$browser" report "$work/$name.html" "$folder" "$name"
}
report trebuchet Planar.Examples.Trebuchet --stop 4 --rtol 1e-8 --interval 0.01

"$program" serve Planar.Examples.Trebuchet --stop 4 --cache off >address 2>/dev/null &
server=$!
for _ in $(seq 100); do [ -s address ] && break; sleep 0.1; done
node "$SOURCE_DIR/tools/page_pictures.mjs" "$browser_client" "$browser" serve "$(cat address)" "$work" edit
kill $server
${PYTHON:-/usr/bin/python3} - "$work" "$folder/edit.gif" <<'END'
import glob
import sys
from PIL import Image

frames = [Image.open(f).convert("P", palette=Image.ADAPTIVE, colors=64) for f in sorted(glob.glob(sys.argv[1] + "/edit-*.png"))]
frames[0].save(sys.argv[2], save_all=True, append_images=frames[1:], duration=[500] * (len(frames) - 1) + [2000], loop=0, optimize=True)
END
ls "$folder"
