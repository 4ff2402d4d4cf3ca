#!/bin/bash
# The functions that docs/architecture.md names are defined in the files it names them in.
set -u
cd "$SOURCE_DIR" || exit 1
failed=0 rows=0
while IFS='|' read -r _ _ function file _; do
    function=$(tr -d '` ' <<<"$function") file=$(tr -d '` ' <<<"$file")
    rows=$((rows + 1))
    grep -qE "^[A-Za-z].*\b$function\(" "$file" || { echo "$function is not in $file"; failed=1; }
done < <(grep -E '^\| [0-9]+ \|' docs/architecture.md)
[ "$rows" -eq 10 ] || { echo "$rows functions instead of ten"; failed=1; }
exit $failed
