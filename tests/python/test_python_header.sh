#!/bin/bash
# The package reads solstice.h itself: sizes, offsets and numbers are those that the compiler sees.
. "$(dirname "$0")/../support/shell.sh"
. "$SOURCE_DIR/tests/support/python.sh"

run_python - <<'END' >layout.c || fail "the header is not understood"
from solstice._library import header
print('#include "runtime/solstice.h"\n#include <stdio.h>\nint main(void)\n{')
for name, made in header.structs.items():
    print(f'    printf("{name} %zu\\n", sizeof({name}));')
    for field, _ in made._fields_:
        print(f'    printf("{name}.{field} %zu %zu\\n", offsetof({name}, {field}), sizeof((({name} *)0)->{field}));')
for name in header.constants:
    print(f'    printf("{name} %d\\n", (int){name});')
print('    return 0;\n}')
END
gcc -I "$SOURCE_DIR" layout.c -o layout || fail "layout.c does not compile"
./layout >compiler
run_python - <<'END' >package || fail "no layout"
import ctypes
from solstice._library import header
for name, made in header.structs.items():
    print(name, ctypes.sizeof(made))
    for field, kind in made._fields_:
        print(f"{name}.{field}", getattr(made, field).offset, ctypes.sizeof(kind))
for name, value in header.constants.items():
    print(name, value)
END
diff compiler package || fail "the package sees another layout"
# All that the header has is there, by a count of its own.
sed 's,/\*.*\*/,,' "$SOURCE_DIR/runtime/solstice.h" | grep -c '^typedef struct [A-Za-z]* {' >structs
[ "$(cat structs)" -gt 15 ] || fail "no structs counted"
[ "$(grep -c '^Sol[A-Za-z]* ' package)" -eq "$(cat structs)" ] || fail "$(cat structs) structs, the package has others"
nm -D --defined-only "$SOLSTICE_LIBRARY" | awk '$3 ~ /^sol_/ { print $3 }' | sort >shown
run_python -c "from solstice._library import header; print(*sorted(header.functions), sep=chr(10))" | LC_ALL=C sort >seen
LC_ALL=C sort -o shown shown
diff shown seen || fail "functions that the package does not see, or that are not there"
exit $((failures > 0))
