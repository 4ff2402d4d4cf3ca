#!/bin/bash
# An Integer that an equation determines by a Real value is an error; where the equation determines the Real, it is fine.
. "$(dirname "$0")/../support/shell.sh"
refused() { # text of the implementation, equation that is named
    echo "model M implementation: static Integer i; static Real x; $1 end M;" >m.sol
    "$SOLSTICE" run m.sol --quiet >out 2>err
    local code=$?
    [ $code = 1 ] || fail "$1: exit code $code"
    grep -qF "i is Integer, but this determines it by a Real value: $2" err || fail "$1: $(cat err)"
}
accepted() { # text of the implementation, last row
    echo "model M implementation: static Integer i; static Real x; $1 end M;" >m.sol
    "$SOLSTICE" run m.sol --quiet --output - --steps 1 >out 2>err || fail "$1: $(cat err)"
    [ "$(tail -1 out)" = "$2" ] || fail "$1: $(tail -1 out)"
}
refused 'i = 6/4; x = 1;' 'i = 6/4'
refused 'x = 1.5; i = x;' 'i = x'
refused '2*i = 5; x = 0;' '2*i = 5'
refused 'x = time; if time > 0.5 then i = x; else then i = 1; end;' 'i = x'
refused 'i = sqrt(4); x = 0;' 'i = sqrt(4)'
accepted 'i = 3; i = 2*x;' '1,3,1.5'
accepted 'x = 2.5; i = floor(x) + 2*round(1.6);' '1,6,2.5'
accepted 'x = i; i = 7 - 2*2;' '1,3,3'
accepted 'x = 0.5; i = min(3, 2) * abs(-2);' '1,4,0.5'
exit $((failures > 0))
