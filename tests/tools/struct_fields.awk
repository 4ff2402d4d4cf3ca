# Headers without comments -> structs with more than `most` fields. Fields are commas and semicolons outside of brackets.
/^(typedef )?struct [A-Za-z]+ \{/ {
    name = $0
    sub(/^(typedef )?struct /, "", name)
    sub(/ .*/, "", name)
    n = 0
    inside = 1
    next
}
inside && /^}/ {
    if (n > most) {
        print "struct " name " has " n " fields, " most " are allowed"
        bad = 1
    }
    inside = 0
}
inside {
    line = $0
    while (gsub(/\([^()]*\)/, "", line)) { }
    n += gsub(/[,;]/, "", line)
}
END { exit bad }
