// serve_editor.js: the text of the running model, in which changed lines become an edit, with the verdict beside them.
"use strict";

const editor = (() => {
    const base = {version: 0, lines: [], statements: []};
    const verdicts = new Map(); // line, from 1 -> reply
    const area = $("model-text");

    const linesOf = text => text.split("\n");

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

    function showGutter() {
        const lines = linesOf(area.value), active = new Set();
        base.statements.forEach(one => { for (let i = one.from; i <= one.to; i++) active.add(i); });
        const changed = difference(base.lines, lines);
        $("model-gutter").replaceChildren(...lines.map((_, i) => {
            const mark = element("span", String(i + 1), active.has(i + 1) ? "active" : "");
            if (changed && i >= changed[0] && i <= Math.max(changed[2], changed[0]))
                mark.classList.add("changed");
            if (verdicts.has(i + 1))
                mark.classList.add(verdicts.get(i + 1).answer);
            return mark;
        }));
        area.rows = lines.length;
        $("model-apply").disabled = !changed;
    }

    const wordsOf = reply => (reply.messages || []).map(message => message.text).join("; ") || (reply.text || "").trim();

    function showVerdicts() {
        $("model-verdicts").replaceChildren(...[...verdicts].map(([line, reply]) => {
            const entry = element("div", undefined, `entry ${reply.answer}`), words = wordsOf(reply);
            entry.append(element("span", `line ${line}: ${reply.answer}`, "word"), element("span", words, "message"));
            entry.style.top = `calc(${line - 1} * var(--line-height) + 0.4rem)`;
            entry.title = words;
            $("model-frame").scrollTop = (line - 4) * $("model-gutter").firstChild.offsetHeight;
            return entry;
        }));
    }

    async function refresh() {
        const reply = await talk.tell("text");
        if (!reply || !reply.data)
            return;
        const untouched = area.value === base.lines.join("\n");
        base.statements = reply.data.statements;
        $("source").hidden = !reply.data.text;
        if (reply.data.version !== base.version) {
            base.version = reply.data.version;
            base.lines = linesOf(reply.data.text);
            if (untouched || !area.value)
                area.value = reply.data.text;
        }
        showGutter();
    }

    async function apply() {
        const now = linesOf(area.value), found = difference(base.lines, now);
        if (!found)
            return;
        const {from, to, now: [first, last]} = widen(found, base.statements);
        const text = now.slice(first, last + 1).map(line => line + "↵").join("");
        verdicts.clear(); // the old one is of another text
        showVerdicts();
        const reply = await talk.tell(`change ${from} ${to}: ${text}`);
        if (reply)
            verdicts.set(from, reply);
        if (reply && (reply.answer === "accepted" || reply.answer === "incomplete" || reply.answer === "ok"))
            base.lines = now; // what the program has now, too
        showVerdicts();
        await refresh();
    }

    area.addEventListener("input", showGutter);
    area.addEventListener("keydown", event => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            apply();
        }
    });
    $("model-apply").addEventListener("click", apply);
    $("model-revert").addEventListener("click", () => {
        area.value = base.lines.join("\n");
        verdicts.clear();
        showVerdicts();
        showGutter();
    });
    return {refresh};
})();
