// serve_editor.js: the text of the running model, in which changed lines become an edit, with the verdict beside them.
// The editor itself is CodeMirror (tools/page/editor.js).
"use strict";

const editor = (() => {
    const base = {version: 0, lines: [""], statements: [], seen: false};
    const verdicts = new Map(); // line, from 1 -> reply
    let area = null;

    const linesOf = text => text.split("\n");
    const isTaken = reply => reply && /^(accepted|incomplete|ok)$/.test(reply.answer);

    // From the first line that differs to the last: [first, last of the old, last of the new], from 0.
    function difference(old, now) {
        let first = 0, back = 0;
        while (first < old.length && first < now.length && old[first] === now[first])
            first++;
        if (first === old.length && first === now.length)
            return null;
        while (back < old.length - first && back < now.length - first && old[old.length - 1 - back] === now[now.length - 1 - back])
            back++;
        return [first, old.length - 1 - back, now.length - 1 - back];
    }

    // Whole statements: one that goes over several lines is changed as one.
    function widen([first, last, lastNow], statements) {
        let from = first + 1, to = last + 1, grows = true;
        while (grows) {
            const met = statements.filter(one => one.from <= to && one.to >= from && (one.from < from || one.to > to));
            from = Math.min(from, ...met.map(one => one.from));
            to = Math.max(to, ...met.map(one => one.to));
            grows = met.length > 0;
        }
        return {from, to, now: [from - 1, lastNow + (to - last - 1)]};
    }

    // What was wrong, and in a line below what it has to do with.
    function wordsOf(reply) {
        const list = reply.messages || [], box = element("span", undefined, "message");
        const put = (some, className) => { if (some.length) box.append(element("span", some.map(one => one.text).join("; "), className)); };
        put(list.filter(one => one.severity !== "note"), "wrong");
        put(list.filter(one => one.severity === "note"), "notes");
        if (!list.length)
            box.textContent = (reply.text || "").trim();
        return box;
    }

    function verdictElement([line, reply]) {
        const entry = element("div", undefined, `entry ${reply.answer}`), close = element("button", "×");
        close.type = "button";
        close.setAttribute("aria-label", "Hide this verdict");
        close.addEventListener("click", () => { verdicts.delete(line); showMarks(); });
        entry.append(element("span", `line ${reply.line}: ${reply.answer}`, "word"), wordsOf(reply), close);
        return [line, entry];
    }

    function showMarks() {
        const lines = linesOf(area.text()), changed = difference(base.lines, lines), runs = new Set(), list = [];
        base.statements.forEach(one => { for (let i = one.from; i <= one.to; i++) runs.add(i); });
        for (let i = changed ? changed[0] : 1; changed && i <= Math.max(changed[2], changed[0]); i++)
            list.push(i + 1);
        $("model-apply").disabled = !changed;
        area.mark({runs: changed ? new Set([...runs].filter(line => line <= changed[0])) : runs, changed: list,
                   verdicts: new Map([...verdicts].map(verdictElement))});
    }

    async function refresh() {
        const reply = await talk.tell("text");
        if (!reply || !reply.data || !area)
            return;
        const untouched = area.text() === base.lines.join("\n"), data = reply.data;
        base.statements = data.statements;
        $("source").hidden = !data.text;
        if (data.version !== base.version) {
            base.version = data.version;
            base.lines = linesOf(data.text);
            if (untouched)
                area.setText(data.text);
        }
        showMarks();
        if (!base.seen && data.first)
            area.show(Math.max(data.first - 2, 1));
        base.seen = true;
    }

    async function apply() {
        const now = linesOf(area.text()), found = difference(base.lines, now);
        if (!found)
            return;
        const {from, to, now: [first, last]} = widen(found, base.statements);
        const text = now.slice(first, last + 1).map(line => line + "↵").join("");
        verdicts.clear(); // the old one is of another text
        showMarks();
        const reply = await talk.tell(`change ${from} ${to}: ${text}`);
        if (reply)
            verdicts.set(Math.max(last + 1, 1), {...reply, line: found[0] + 1}); // below the statement, about the line that was changed
        if (isTaken(reply))
            base.lines = now; // what the program has now, too
        await refresh();
    }

    function revert() {
        verdicts.clear();
        area.setText(base.lines.join("\n"));
        showMarks();
    }

    // Members of what stands before the last point, with their values.
    async function complete(path) {
        const reply = await talk.tell(`tree ${path}`);
        if (!reply || !reply.data)
            return [];
        const name = full => full.slice(full.lastIndexOf(".") + 1);
        return [...reply.data.variables.map(one => ({label: name(one.path), type: "variable", detail: one.unit || one.type})),
                ...reply.data.instances.filter(full => /^\w+$/.test(name(full))).map(full => ({label: name(full), type: "class"}))];
    }

    async function open() {
        const reply = area ? null : await talk.tell("words");
        if (!reply || !reply.data || area)
            return;
        area = window.solsticeEditor({parent: $("model-frame"), label: "Text of the model", nonce: document.querySelector("script").nonce,
                                      words: reply.data, complete, onChange: showMarks, onApply: apply});
        window.solsticeText = area; // for tests
        refresh();
    }

    talk.on("open", open);
    $("model-apply").addEventListener("click", apply);
    $("model-revert").addEventListener("click", revert);
    return {refresh};
})();
