#!/bin/bash
# Objects and includes of runtime/ -> calls from a lower folder to a higher one, and the largest cycle of files.
#   test_layers.sh           fails on whatever layers.txt does not allow, and where it allows what is gone
#   test_layers.sh --list    what it would have to allow now
#   test_layers.sh --fields  fields of module structs of Sim that files of other folders touch (fields.txt allows them)
# Who calls whom is what the linker sees: symbols that one object of the build folder defines and another wants.
# Objects whose source is gone, or of which there is a newer one, are left over from older builds and do not count.
set -u
export LC_ALL=C
cd "$SOURCE_DIR" || exit 1
allowed=tests/tools/layers.txt
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

objects() { # source, object: the newest of each source
    find "$BUILD_DIR/CMakeFiles" -path '*.dir/runtime/*.c.o' -printf '%T@ %p\n' | sort -n |
        sed -E 's|^[^ ]* ((.*)\.dir/(runtime/.*)\.o)$|\3 \1|' |
        awk '$1 !~ /^runtime\/cli/ { newest[$1] = $2 } END { for (source in newest) print source, newest[source] }' |
        while read -r source object; do
            [ -e "$source" ] && echo "$source $object"
        done
}

symbols() { # source, kind, name
    objects | while read -r source object; do
        nm -P "$object" | awk -v source="$source" '{ print source, $2, $1 }'
    done
}

includes() { # file, file
    grep -o '#include "runtime/[a-z]*/[^"]*"' -r runtime --include='*.[ch]' | sed 's/:#include "/ /; s/"$//'
}

symbols >"$work/symbols"
includes >"$work/includes"
[ "$(cut -d' ' -f1 "$work/symbols" | sort -u | wc -l)" -gt 50 ] || { echo "no objects in $BUILD_DIR"; exit 1; }

awk '
    function layer(file, part) { split(file, part, "/"); return part[2] in rank ? rank[part[2]] : 0 }
    BEGIN {
        n = split("results foreign eval parts solve event sim cli", order, " ")
        for (i = 1; i <= n; i++) rank[order[i]] = i
    }
    FILENAME ~ /includes$/ { if (layer($1) && layer($2) > layer($1)) print $1, $2; next }
    FNR == NR { if ($2 ~ /[TDBRVWC]/) home[$3] = $1; next }
    $2 == "U" && $3 in home && home[$3] != $1 {
        if (!($1 in number)) { number[$1] = ++files; name[files] = $1 }
        if (!(home[$3] in number)) { number[home[$3]] = ++files; name[files] = home[$3] }
        reach[number[$1], number[home[$3]]] = 1
        if (layer(home[$3]) > layer($1)) print $1, $3
    }
    END {
        for (k = 1; k <= files; k++)
            for (i = 1; i <= files; i++)
                if ((i, k) in reach)
                    for (j = 1; j <= files; j++)
                        if ((k, j) in reach) reach[i, j] = 1
        for (i = 1; i <= files; i++) {
            size = 0
            text = ""
            for (j = 1; j <= files; j++)
                if ((i, j) in reach && (j, i) in reach) { size++; text = text " " name[j] }
            if (size > most) { most = size; members = text }
        }
        print "cycle", most + 0
        print members >"/dev/stderr"
    }' "$work/symbols" "$work/symbols" "$work/includes" 2>"$work/members" | sort -u >"$work/found"

if [ "${1-}" = --list ]; then
    cat "$work/found"
    exit
fi
failed=0
limit=$(awk '$1 == "cycle" { print $2 }' $allowed)
size=$(awk '$1 == "cycle" { print $2 }' "$work/found")
if [ "$size" -gt "$limit" ]; then
    echo "$size files call each other in a circle, $limit are allowed:$(cat "$work/members")"
    failed=1
fi
grep -v '^cycle\|^#' $allowed | sort -u >"$work/allowed"
grep -v '^cycle' "$work/found" | comm -23 - "$work/allowed" >"$work/new"
grep -v '^cycle' "$work/found" | comm -13 - "$work/allowed" >"$work/gone"
[ -s "$work/new" ] && { echo "a lower folder uses a higher one:"; cat "$work/new"; failed=1; }
[ -s "$work/gone" ] && { echo "$allowed allows what is not there any more:"; cat "$work/gone"; failed=1; }
# Each module struct of Sim belongs to the folder that its line names; files of other folders call its functions.
sed -n '/^struct Sim {/,/^};/p' runtime/sim_int.h | sed -nE 's|^ *Sim[A-Z][A-Za-z]* ([a-z]+); */\* (\w+)/.*|\1 \2|p' >"$work/owners"
[ "$(wc -l <"$work/owners")" -ge 10 ] || { echo "no owners of module structs in runtime/sim_int.h"; failed=1; }
touched() { # file, struct.field of another folder
    grep -oE '(->|Sim \*\)0\)->)[a-z]+(\.|->)[a-z_]+' -r runtime --include='*.c' --include='*.h' |
        sed -E 's/:.*->([a-z]+)(\.|->)/ \1 /' |
        awk 'FNR == NR { owner[$1] = $2; next }
             { split($1, at, "/") }
             $2 in owner && owner[$2] != at[2] && at[2] ~ /^(eval|parts|solve|event|sim)$/ { print $1, $2 "." $3 }' "$work/owners" - | sort -u
}
touched >"$work/touched"
[ "${1-}" = --fields ] && { cat "$work/touched"; exit; }
sort -u tests/tools/fields.txt | grep -v '^#' >"$work/fields"
comm -23 "$work/touched" "$work/fields" >"$work/new"
comm -13 "$work/touched" "$work/fields" >"$work/gone"
[ -s "$work/new" ] && { echo "a field of another folder's struct is touched:"; cat "$work/new"; failed=1; }
[ -s "$work/gone" ] && { echo "tests/tools/fields.txt allows what is not there any more:"; cat "$work/gone"; failed=1; }
# What a struct keeps can be seen at a glance; solstice.h has lists of options and counts.
find runtime -name '*.h' ! -name solstice.h | xargs perl -0pe 's#/\*.*?\*/##gs' |
    awk -v most=40 -f tests/tools/struct_fields.awk || failed=1
exit $failed
