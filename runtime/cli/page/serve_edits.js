// serve_edits.js: what is typed -> edits of the running model, their verdicts, and the list of what was done.
"use strict";

const edits = (() => {
    const COMMANDS = /^(add|remove|replace|set|begin|commit|abort|try|mark|back|show|why|uses|list|states|events|undo|redo)\b/;

    function showVerdict(line, reply) {
        const entry = element("div", undefined, `entry ${reply.answer}`);
        entry.append(element("span", reply.answer, "word"), " ", element("code", line));
        if (reply.microseconds !== undefined && reply.answer !== "refused")
            entry.append(element("span", ` ${reply.entered} relations entered, ${reply.removed} removed, ` +
                                         `${Math.round(reply.microseconds)} µs`, "message"));
        (reply.messages || []).forEach(message =>
            entry.append(element("span", (message.file ? `${message.file}:${message.line}: ` : "") + message.text, "message")));
        if (reply.text)
            entry.append(element("span", reply.text.trim(), "message"));
        $("verdict").prepend(entry);
        while ($("verdict").children.length > 20)
            $("verdict").lastChild.remove();
    }

    async function enter(line) {
        const reply = await talk.tell(line);
        if (reply)
            showVerdict(line, reply);
        return reply;
    }

    async function submit() {
        const text = $("edit-text").value.trim().replace(/\s+/g, " "), scope = $("edit-scope").value.trim();
        if (!text)
            return;
        const within = scope ? `in ${scope}: ` : "";
        const reply = await enter(COMMANDS.test(text) ? text : `add ${within}${text}`);
        if (reply && reply.answer !== "refused" && reply.answer !== "error")
            $("edit-text").value = "";
    }

    function showList(list) {
        $("history").hidden = list.length === 0;
        $("edits").replaceChildren(...list.map(edit => {
            const item = element("li", `${edit.text}${edit.count > 1 ? ` (${edit.count} times)` : ""}`,
                                 edit.undone ? "undone" : "");
            item.title = `at time ${short(edit.time)}: ${edit.verdict}`;
            return item;
        }));
    }

    async function refreshStatements() {
        const reply = await talk.tell("list");
        if (!reply)
            return;
        $("statements").replaceChildren(...reply.text.split("\n").filter(line => line).map(line => {
            const [, handle, source] = line.match(/^(\S+)\s+(.*)$/) || ["", "", line];
            const row = element("div", undefined, "statement"), button = element("button", "Remove");
            button.type = "button";
            button.setAttribute("aria-label", `Remove ${source}`);
            button.addEventListener("click", () => enter(`remove ${handle}`));
            row.append(element("span", handle, "handle"), element("span", source, "source"), button);
            return row;
        }));
    }

    $("undo").addEventListener("click", () => enter("undo"));
    $("redo").addEventListener("click", () => enter("redo"));
    $("edit-form").addEventListener("submit", event => { event.preventDefault(); submit(); });
    $("edit-text").addEventListener("keydown", event => {
        if (event.key === "Enter" && !event.shiftKey) {
            event.preventDefault();
            submit();
        }
    });
    return {showVerdict, enter, showList, refreshStatements};
})();
