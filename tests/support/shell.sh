# shell.sh: what every test that is a script begins with: an own folder, a count of failures, expectations.
# Sourced; the test ends with `exit $((failures > 0))`.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

expect() { # exit code, text that stderr must contain, command...
    local code=$1 text=$2
    shift 2
    timeout 120 "$@" >out 2>err
    local got=$?
    [ "$got" -eq "$code" ] || fail "$*: exit code $got, not $code: $(head -5 err)"
    [ -z "$text" ] || grep -qF -- "$text" err || fail "$*: no '$text' in: $(head -5 err)"
}
