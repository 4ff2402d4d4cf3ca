#!/bin/sh
# Sources of the standard library -> docs/stdlib.md, on the standard output: for every package what its
# comment says, and a table of its models with their parameters. tests/stdlib holds the file to it.
#   tools/stdlib_doc.sh > docs/stdlib.md
set -eu
cd "$(dirname "$0")/.."

cat <<'END'
# The standard library

Packages written in Sol that every model can use: a name that a file does not define is looked up here.
This page is made from the comments in `stdlib/` by `tools/stdlib_doc.sh`. Default values stand behind the
parameters; a parameter without one must be given. Run an example with

    solstice run stdlib/Electric.sol:Electric.Examples.Rectifier --stop 0.1

A flange or pin that nothing is connected to needs an equation that says so, such as `wheel.b.t = 0`.
END

for file in Electric Planar Rotational Translational Friction Thermal Blocks Graphics \
            Population Traffic Machine; do
    awk '
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
        sub(/ << /, " = ", line)
        parameters = parameters (parameters == "" ? "" : ", ") plain(line)
    }
    /^ *end [A-Za-z]/ && $2 != "if;" && $2 != "when;" { flush_row(); depth-- }
    END {
        for (i = 1; i <= owners; i++) {
            text = about[order[i]]
            printf "\n%s %s\n", index(order[i], ".") ? "###" : "##", order[i]
            if (text != "")
                printf "\n%s\n", plain(text)
            if (table[order[i]] != "")
                printf "\n| model | what it is | parameters |\n|---|---|---|\n%s", table[order[i]]
        }
    }' "stdlib/$file.sol"
done
