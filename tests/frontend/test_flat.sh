#!/bin/bash
# Flattens every model in tests/frontend/flat and compares with the text beside it, line by line.
failed=0
for model in "$SOURCE_DIR"/tests/frontend/flat/*.sol; do
    if ! diff -u "${model%.sol}.flat" <("$SOLSTICE" flat "$model" 2>&1); then
        echo "$model: flat gives something else (see above)"
        failed=1
    fi
done
exit $failed
