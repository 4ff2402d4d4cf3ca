#!/bin/sh
# packages.txt -> installed packages: installs what is missing, and only that.
#   tools/setup.sh         what building needs, and all tests but that of the page in a browser
#   tools/setup.sh page    what that test needs as well
#   tools/setup.sh perf    what the benchmarks need as well
set -eu
cd "$(dirname "$0")/.."

case "${1:-}" in
perf) list=$(sed -e '/^# page/,/^# perf/d' -e 's/#.*//' packages.txt) ;;
page) list=$(sed -e '/^# perf/,$d' -e 's/#.*//' packages.txt) ;;
*) list=$(sed -e '/^# page/,$d' -e 's/#.*//' packages.txt) ;;
esac

if ! command -v dpkg-query >/dev/null 2>&1; then
    echo "setup: this is not a Debian system, so nothing is installed here." >&2
    echo "setup: the equivalents of these packages must be present:" $list >&2
    exit 0
fi

missing=
for entry in $list; do
    package=${entry%%=*}
    if [ "$package" != "$entry" ] && command -v "${entry#*=}" >/dev/null 2>&1; then
        continue
    fi
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

echo "setup: missing packages:$missing"
if [ "$(id -u)" -eq 0 ]; then
    sudo=
elif command -v sudo >/dev/null 2>&1; then
    sudo=sudo
else
    echo "setup: not root and no sudo here. As root, run:" >&2
    echo "    apt-get update && apt-get install --no-install-recommends$missing" >&2
    exit 1
fi

export DEBIAN_FRONTEND=noninteractive
if $sudo apt-get update &&
    $sudo apt-get install -y --no-install-recommends $missing; then
    exit 0
fi
echo "setup: apt-get failed. These packages have to be installed by hand:$missing" >&2
exit 1
