#!/bin/bash
# A run ends with the same bytes whatever becomes of its cache: missing, in a place where none can be, read-only, full,
# filled with garbage, exchanged while in use, shared by eight processes.
set -u
work=$(mktemp -d) || exit 1
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
failed=0
complain() { echo "$1"; failed=1; }

run() { # name of the result, folder of the cache
    "$SOLSTICE" run "$SOURCE_DIR/tests/sim/circuits.sol:Rectifier" --stop 0.1 --jit wait --cache "$2" --quiet \
        --output "$work/$1.solr" --stats "$work/$1.json" 2>"$work/$1.messages"
}
compiled() { grep -o '"functions_compiled": *[0-9]*' "$work/$1.json" | grep -o '[0-9]*$'; }
same() { # name, what happened
    [ -s "$work/$1.messages" ] && complain "$2: $(cat "$work/$1.messages")"
    cmp -s "$work/plain.solr" "$work/$1.solr" || complain "$2: the result differs"
}
check() { # name, folder, what happened
    run "$1" "$2" || complain "$3: exit status $?"
    same "$1" "$3"
}

run plain off || { cat "$work/plain.messages"; exit 1; }
all=$(compiled plain)
[ "$all" -gt 0 ] || complain "nothing is compiled without a cache"

check missing "$work/a/folder/that/is/missing" "missing folder"
[ "$(find "$work/a" -type f | wc -l)" -ge "$all" ] || complain "the missing folder was not made"
check again "$work/a/folder/that/is/missing" "a second run"
[ "$(compiled again)" = 0 ] || complain "a second run compiled $(compiled again) functions"

touch "$work/file"
check file "$work/file" "a file in place of the folder"
check under "$work/file/below" "a folder below a file"
check nowhere /proc/nowhere "a folder that cannot be made"

# ---- garbage: every byte of the cache replaced, entries of no length, folders in their place ----
cp -r "$work/a" "$work/garbage"
find "$work/garbage" -type f | while read -r entry; do
    head -c "$(stat -c %s "$entry")" /dev/urandom >"$entry.new" && mv "$entry.new" "$entry"
done
check garbage "$work/garbage/folder/that/is/missing" "garbage"
[ "$(compiled garbage)" = "$all" ] || complain "garbage was taken for code"
cp -r "$work/a" "$work/empty"
find "$work/empty" -type f -exec truncate -s 0 {} +
check empty "$work/empty/folder/that/is/missing" "entries of no length"
cp -r "$work/a" "$work/folders"
find "$work/folders" -type f | while read -r entry; do rm "$entry"; mkdir "$entry"; done
check folders "$work/folders/folder/that/is/missing" "folders in place of entries"
# One bit of each entry: code that ran with it would do anything.
cp -r "$work/a" "$work/bits"
find "$work/bits" -type f | while read -r entry; do
    size=$(stat -c %s "$entry")
    byte=$(od -An -tu1 -j $((size / 2)) -N1 "$entry")
    # shellcheck disable=SC2059
    printf "\\x$(printf %x $((byte ^ 1)))" | dd of="$entry" bs=1 seek=$((size / 2)) conv=notrunc status=none
done
check bits "$work/bits/folder/that/is/missing" "entries with one bit changed"
[ "$(compiled bits)" = "$all" ] || complain "entries with one bit changed were taken for code"

# ---- no room, no right to write: on a file system of its own, where the system lets us have one ----
small() { # options of the file system, what is done with it
    unshare -rm bash -c "mkdir -p '$work/small' && mount -t tmpfs -o $1 none '$work/small' && $2"
}
if small size=16k true 2>/dev/null; then
    export SOLSTICE SOURCE_DIR work
    export -f run
    small size=16k "head -c 16k /dev/zero >'$work/small/filler'; run full '$work/small/cache'" ||
        complain "full disk: exit status $?"
    same full "full disk"
    small size=32k "head -c 20k /dev/zero >'$work/small/filler'; run nearly '$work/small/cache'" ||
        complain "disk that becomes full: exit status $?"
    same nearly "disk that becomes full"
    small size=1m "cp -r '$work/a/folder/that/is/missing' '$work/small/cache' &&
        mount -o remount,ro '$work/small' && run readonly '$work/small/cache'" ||
        complain "read-only: exit status $?"
    same readonly "read-only"
    [ "$(compiled readonly)" = 0 ] || complain "a read-only cache was not read"
    small size=1m "mount -o remount,ro '$work/small' && run readonly_empty '$work/small'" ||
        complain "read-only and empty: exit status $?"
    same readonly_empty "read-only and empty"
else
    echo "no file systems of our own here: full and read-only ones are tested by test_jit alone"
fi

# ---- eight at once, while a ninth damages and deletes ----
for i in 1 2 3 4 5 6 7 8; do
    (
        for round in 1 2 3; do
            run "p$i" "$work/shared" && cmp -s "$work/plain.solr" "$work/p$i.solr" && [ ! -s "$work/p$i.messages" ] ||
                touch "$work/bad.$i.$round"
        done
    ) &
    pids[i]=$!
done
for round in 1 2 3 4 5 6 7 8 9 10; do
    find "$work/shared" -type f 2>/dev/null | head -n 3 | while read -r entry; do
        truncate -s 100 "$entry" 2>/dev/null
    done
    find "$work/shared" -type f 2>/dev/null | tail -n 2 | xargs -r rm -f
    sleep 0.05
done
wait "${pids[@]}"
compgen -G "$work/bad.*" >/dev/null && complain "eight processes: $(cd "$work" && echo bad.*)"
check last "$work/shared" "after eight processes"
# What was damaged has been made anew: everything is found. (An object that no function refers to any more is not
# looked at, and stays as it is until it is old.)
check found "$work/shared" "after the last run"
[ "$(compiled found)" = 0 ] || complain "damage is left after the last run: $(compiled found) functions compiled"

# Names for tools change nothing but what perf is told.
"$SOLSTICE" run "$SOURCE_DIR/tests/sim/circuits.sol:Rectifier" --stop 0.1 --jit wait --cache off --quiet --jit-names \
    --output "$work/named.solr" 2>"$work/named.messages" &
pid=$!
wait $pid || complain "with names: exit status $?"
same named "with names"
[ "$(grep -c ' solstice_quick_value_' "/tmp/perf-$pid.map")" -gt 0 ] || complain "perf is told no names"
rm -f "/tmp/perf-$pid.map"
exit $failed
