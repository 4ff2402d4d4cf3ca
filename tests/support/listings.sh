# listings.sh: a page of docs/ -> its listings as files, its commands run, what they write compared. Sourced after shell.sh.
#
# Every ```sol block becomes the file that its first line names, every ```sh block is run, and what it writes to standard
# output, plots in the terminal apart, must be the ```text block behind it.

run_listings() { # page, listings that it has at least, texts that it has at least
    local page=$1 listing script expected texts=0
    rm -f [0-9]*.sol [0-9]*.sh [0-9]*.text
    awk '/^ *```(sol|sh|text)$/ { sub(/^ */, ""); name = sprintf("%02d.%s", ++n, substr($0, 4)); next }
         /^ *```$/ { name = ""; next }
         name { print > name }' "$page"
    [ "$(ls -- *.sol 2>/dev/null | wc -l)" -ge "$2" ] || fail "listings of $page were not found"
    for listing in [0-9]*.sol; do
        cp "$listing" "$(sed -n '1s,^// ,,p' "$listing")"
    done
    for script in [0-9]*.sh; do
        bash -eo pipefail "$script" >"out.$script" 2>"err.$script" || fail "$script: $(cat "$script" "err.$script")"
        expected=$(printf '%02d.text' $((10#${script%.sh} + 1)))
        [ -f "$expected" ] || continue
        texts=$((texts + 1))
        grep -v '[│┤└━]\|^  *0' "out.$script" | diff "$expected" - || fail "$script of $page says something else"
    done
    [ "$texts" -ge "$3" ] || fail "texts of $page were not compared"
}
