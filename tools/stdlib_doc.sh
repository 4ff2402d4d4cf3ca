#!/bin/sh
# Sources of the standard library -> its documentation in a folder: stdlib.md, the list of packages, and
# library/PACKAGE.md with what its comments say, a table of its models with their parameters, and its examples
# with their pictures (stdlib_pictures.sh). tests/stdlib holds docs/ to it.
#   tools/stdlib_doc.sh docs
set -eu
folder=$(mkdir -p "${1:?which folder?}/library" && cd "$1" && pwd)
cd "$(dirname "$0")/.."

packages="Electric Planar Rotational Translational Friction Thermal Blocks Graphics Robot Population Traffic Machine"

cat >"$folder/stdlib.md" <<'END'
# The standard library

Packages written in Sol that every model can use: a name that a file does not define is looked up here.
The pages are made from the comments in `stdlib/` and from runs of the examples by `make docs`. Default values stand
behind the parameters; a parameter without one must be given. Run an example with

    solstice run Electric.Examples.Rectifier --stop 0.1
    solstice plot Rectifier.solr source.u C.u

A flange or pin that nothing is connected to carries nothing; a note says so.

| package | what it is | examples |
|---|---|---|
END
for name in $packages; do
    what=$(sed -n "1s|^/\* $name: \(.*\)\.\$|\1|p; 1s|^/\* $name: \(.*[^.]\)\$|\1|p" "stdlib/$name.sol")
    examples=$(sed -n '/package Examples/,$s/^ *model \([A-Za-z0-9_]*\).*/\1/p' "stdlib/$name.sol" | tr '\n' ' ')
    echo "| [$name](library/$name.md) | $what | $(echo $examples | sed 's/ /, /g') |"
done >>"$folder/stdlib.md"

for file in $packages; do
    awk '
    FNR == NR { # the list of pictures
        split($1, part, ":")
        if ($1 !~ /^#/) {
            picture = $1
            sub(/\.Examples/, "", picture)
            gsub(/:/, "-", picture)
            pictures[part[1]] = pictures[part[1]] "\n![" part[1] "](" picture ".png)\n"
        }
        next
    }
    function plain(text,   piece, n, i, out) { # what Markdown would take for something else
        n = split(text, piece, "`")
        for (i = 1; i <= n; i++) {
            if (i % 2)
                gsub(/[*_<\\]/, "\\\\&", piece[i])
            gsub(/\|/, "\\|", piece[i])
            out = out (i > 1 ? "`" : "") piece[i]
        }
        return out
    }
    function path(   i, text) {
        text = name[1]
        for (i = 2; i <= depth; i++)
            text = text "." name[i]
        return text
    }
    function flush_row() {
        if (row == "")
            return
        if (!(owner in table)) {
            order[++owners] = owner
            table[owner] = ""
        }
        if (owner ~ /[.]Examples$/)
            examples[owner] = examples[owner] "\n### " row "\n\n" plain(said) "\n" \
                (parameters == "" ? "" : "\nParameters: " parameters ".\n") pictures[owner "." row]
        else
            table[owner] = table[owner] "| `" row "` | " plain(said) " | " parameters " |\n"
        row = ""
    }
    /^ *\/\*/ { comment = ""; inside = 1 }
    inside {
        line = $0
        sub(/^ *(\/\* )?/, "", line)
        ends = sub(/ *\*\/ *$/, "", line)
        comment = comment (comment == "" ? "" : depth ? " " : "\n") line
        if (ends)
            inside = 0
        next
    }
    /^ *(partial )?(model|connector|package) [A-Za-z]/ {
        kind = $1 == "partial" ? $2 : $1
        title = $1 == "partial" ? $3 : $2
        flush_row()
        owner = path()
        name[++depth] = title
        if (kind == "package") {
            about[path()] = comment
            if (!(path() in table)) {
                order[++owners] = path()
                table[path()] = ""
            }
        } else {
            row = title
            said = comment
            parameters = ""
        }
        comment = ""
    }
    /^ *parameter / {
        line = $0
        sub(/^ *parameter [A-Za-z]+ /, "", line)
        sub(/;.*/, "", line)
        unit = ""
        if (match(line, / *\{unit << "[^"]*"\}/)) { # behind the value
            unit = substr(line, RSTART, RLENGTH)
            line = substr(line, 1, RSTART - 1) substr(line, RSTART + RLENGTH)
            gsub(/^ *\{unit << "|"\}$/, "", unit)
        }
        unit = unit == "1" || unit == "" ? "" : " " unit
        line = sub(/ << /, " = ", line) ? line unit : line (unit == "" ? "" : " in" unit)
        parameters = parameters (parameters == "" ? "" : ", ") plain(line)
    }
    /^ *end [A-Za-z]/ && $2 != "if;" && $2 != "when;" { flush_row(); depth-- }
    END {
        for (i = 1; i <= owners; i++) {
            text = about[order[i]]
            printf "%s%s %s\n", (i > 1 ? "\n" : ""), (index(order[i], ".") ? "##" : "#"), order[i]
            if (text != "")
                printf "\n%s\n", plain(text)
            if (table[order[i]] != "")
                printf "\n| model | what it is | parameters |\n|---|---|---|\n%s", table[order[i]]
            printf "%s", examples[order[i]]
        }
    }' tools/stdlib_pictures.txt "stdlib/$file.sol" >"$folder/library/$file.md"
done
