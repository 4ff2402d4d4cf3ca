#!/bin/bash
# verify_all.sh: all examples of the library, models of tests/sim and listings of docs/ -> one table: does `solstice verify` (with
# the audit at 1e-9) agree, up to when, and how large is the worst violation.
#
#     tools/verify_all.sh [-m TABLE]... [PATTERN]   models whose name contains the pattern; more tables like verify_all.txt
#
# Exit status 1 when a model fails. SOLSTICE: the program, build/solstice unless told. Each model has 300 s.
set -u
cd "$(dirname "$0")/.." || exit 1
solstice=${SOLSTICE:-$PWD/build/solstice}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
tables=(tools/verify_all.txt)
while [ "${1:-}" = -m ]; do
    tables+=("$2")
    shift 2
done
pattern=${1:-}
failed=0

# Listings of a page as files in $work/PAGE, each under the name that its first line says.
listings() { # page
    mkdir -p "$work/$1"
    awk -v folder="$work/$1" '/^```sol$/ { take = 1; next } /^```$/ { take = 0; name = ""; next }
        take && !name { name = folder "/" substr($0, 4) } take { print > name }' "docs/$1.md"
}
listings guide
listings language

own=" $(sed 's/ *|.*//' "${tables[@]}" | grep -v '^#' | tr '\n' ' ')"

all() { # lines "model | options | reason"
    cat "${tables[@]}" | grep -v '^ *#\|^ *$'
    grep -v '^#\|:generations\|:genes' tools/stdlib_pictures.txt | while IFS='|' read -r model options _; do
        model=${model%% *}
        case $own in *" $model "*) continue ;; esac
        printf '%s |%s|\n' "$model" "$(sed -E "s/--vars ('[^']*'|[^ ]*)//g" <<<"$options")"
    done
}

place() { # model as in the table -> what the program is given
    case $1 in
    guide:* | language:*) echo "$work/${1/://}" ;;
    *) echo "$1" ;;
    esac
}

printf '%-44s %-8s %9s  %-12s %s\n' model verdict audit 'agrees up to' ''
while IFS='|' read -r model options reason; do
    model=${model%% *}
    [[ $model == *"$pattern"* ]] || continue
    # shellcheck disable=SC2086
    timeout 300 "$solstice" verify "$(place "$model")" $options >"$work/out" 2>"$work/err"
    code=$?
    case $code in
    0) verdict=agrees ;;
    124) verdict=TIMEOUT ;;
    3) verdict=APART ;;
    *) verdict="CODE $code" ;;
    esac
    [ $code = 0 ] || failed=$((failed + 1))
    audit=$(sed -n 's/.*audit \([0-9.e+-]*\|inf\).*/\1/p' "$work/out" | sort -g | tail -1)
    until=$(sed -n 's/^all runs agree within [0-9.e-]* of each range up to //p' "$work/out")
    printf '%-44s %-8s %9s  %-12s %s\n' "$model" "$verdict" "${audit:--}" "${until:--}" "${reason# }"
    [ $code = 0 ] || { grep -m2 'error:' "$work/err"; grep -m3 'FAILED\|  .*: never\|(time number' "$work/out"; } | cut -c1-150 | sed 's/^/    /'
done < <(all)
echo "$failed failed"
exit $((failed > 0))
