"""A page of docs/ -> its listings run: ```sol becomes the file that its first line names, ```python runs, all in one namespace, and what it
prints must be the ```text block behind it."""
import contextlib
import io
import re
import sys

page = open(sys.argv[1]).read()
blocks = re.findall(r"^```(sol|python|text)\n(.*?)^```$", page, flags=re.S | re.M)
space: dict = {"__name__": "__main__"}
counts = {"sol": 0, "python": 0, "text": 0}
failed = 0
for at, (kind, text) in enumerate(blocks):
    counts[kind] += 1
    if kind == "sol":
        open(re.match(r"// (\S+)", text).group(1), "w").write(text)
    if kind != "python":
        continue
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(text, f"{sys.argv[1]}, listing {counts['python']}", "exec"), space)
    wanted = blocks[at + 1][1] if at + 1 < len(blocks) and blocks[at + 1][0] == "text" else ""
    if out.getvalue() != wanted:
        print(f"listing {counts['python']} prints\n{out.getvalue()}and not\n{wanted}")
        failed += 1
print(counts)
sys.exit(failed > 0 or counts["python"] < int(sys.argv[2]))
