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

    const FEW = 8; // members of an array stand by themselves while they are so few

    // Elements that stand for paths; many members of an array, by number, in a fold of their own.
    function folded(paths, make, open) {
        const families = new Map();
        [...paths].forEach(path => families.set(familyOf(path), [...families.get(familyOf(path)) || [], path]));
        return [...families].flatMap(([family, members]) => {
            if (members.length <= FEW)
                return members.map(make);
            const fold = element("details"), body = element("div", undefined, "members");
            fold.dataset.family = family;
            fold.append(element("summary", `${family.slice(family.lastIndexOf(".") + 1)}, ${members.length} of them`), body);
            body.append(...members.sort(byNumber.compare).map(make));
            fold.open = open.has(`family ${family}`);
            return [fold];
        });
    }

    // Values change in place; where members came or went, the list is made anew.
    function fillNode(node, data) {
        const body = node.querySelector(":scope > .members"), values = new Map(data.variables.map(one => [one.path, one]));
        const there = JSON.stringify([[...values.keys()], data.instances, data.left_out]);
        if (node.there === there) {
            body.querySelectorAll(":scope > .variable, :scope > [data-family] > .members > .variable")
                .forEach(row => showText(row.querySelector(".value"), valueText(values.get(row.dataset.path))));
            return;
        }
        const open = new Set([...body.querySelectorAll("details[open]")]
            .map(one => one.dataset.family === undefined ? one.dataset.path : `family ${one.dataset.family}`));
        node.there = there;
        body.replaceChildren(...folded(values.keys(), path => makeVariable(values.get(path)), open),
                             ...folded(data.instances, path => makeNode(path, open.has(path)), open));
        if (data.left_out)
            body.append(element("p", `${data.left_out} more are not listed`, "remark"));
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

    const refresh = () => document.querySelectorAll("#tree details[open][data-path]").forEach(refreshNode);
    $("tree").append(makeNode("", true));
    return {refresh};
})();
