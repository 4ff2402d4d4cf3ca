#!/bin/bash
# python/rectifier.ipynb runs from its first cell to its last, and shows what it should.
. "$(dirname "$0")/../support/shell.sh"
. "$SOURCE_DIR/tests/support/python.sh"
export HOME=$work MPLCONFIGDIR=$work JUPYTER_PLATFORM_DIRS=1
run_python -c 'import nbconvert, ipykernel, matplotlib, pandas' || { echo "Debian's packages python3-nbconvert and python3-ipykernel are missing"; exit 1; }
run_python -m nbconvert --to notebook --execute --ExecutePreprocessor.timeout=300 --output-dir . --output done "$SOURCE_DIR/python/rectifier.ipynb" >log 2>&1 ||
    { tail -30 log; fail "the notebook"; }
for shown in 'image/png' '<table>' 'accepted' 'too many equations' 'DataFrame\|dataframe'; do
    grep -q "$shown" done.ipynb || fail "the notebook shows no $shown"
done
grep -q '"output_type": "error"' done.ipynb && fail "a cell failed"
exit $((failures > 0))
