// serve_model.js: what exists -> a tree with values and units, in which curves are chosen.
"use strict";

const model = (() => {
    function valueText(variable) {
        if (variable.value === null)
            return "–";
        if (variable.type === "Boolean")
            return variable.value ? "true" : "false";
        const text = typeof variable.value === "number" ? short(variable.value) : variable.value;
        return variable.unit ? `${text} ${variable.unit}` : text;
    }

    function makeVariable(variable) {
        const row = element("div", undefined, "variable"), box = element("input");
        const label = element("label", variable.path.slice(variable.path.lastIndexOf(".") + 1));
        box.type = "checkbox";
        box.dataset.path = variable.path;
        box.id = `plot-${variable.path}`;
        box.checked = curves.plotted(variable.path);
        box.disabled = variable.type === "String";
        label.htmlFor = box.id;
        if (variable.kind)
            label.append(" ", element("span", variable.kind, "kind"));
        box.addEventListener("change", () => talk.tell(`${box.checked ? "plot" : "unplot"} ${variable.path}`));
        const why = element("button", "why", "why");
        why.type = "button";
        why.setAttribute("aria-label", `Causality of ${variable.path}`);
        why.addEventListener("click", () => graph.select(variable.path));
        row.append(box, label, element("span", valueText(variable), "value"), why);
        row.dataset.path = variable.path;
        return row;
    }

    // Values change in place; where members came or went, the list is made anew.
    function fillNode(node, data) {
        const body = node.querySelector(":scope > .members");
        const rows = [...body.querySelectorAll(":scope > .variable")];
        const children = [...body.querySelectorAll(":scope > details")];
        const same = rows.map(row => row.dataset.path).join() === data.variables.map(v => v.path).join() &&
            children.map(child => child.dataset.path).join() === data.instances.join();
        if (same) {
            data.variables.forEach((variable, i) => { showText(rows[i].querySelector(".value"), valueText(variable)); });
            return;
        }
        const open = new Set(children.filter(child => child.open).map(child => child.dataset.path));
        body.replaceChildren(...data.variables.map(makeVariable), ...data.instances.map(path => makeNode(path, open.has(path))));
    }

    async function refreshNode(node) {
        const reply = await talk.tell(`tree ${node.dataset.path}`);
        if (reply && reply.data)
            fillNode(node, reply.data);
    }

    function makeNode(path, open) {
        const node = element("details");
        node.dataset.path = path;
        node.append(element("summary", path ? path.slice(path.lastIndexOf(".") + 1) : "top model"),
                    element("div", undefined, "members"));
        node.addEventListener("toggle", event => { if (event.target === node && node.open) refreshNode(node); });
        node.open = open;
        return node;
    }

    const refresh = () => document.querySelectorAll("#tree details[open]").forEach(refreshNode);
    $("tree").append(makeNode("", true));
    return {refresh};
})();
