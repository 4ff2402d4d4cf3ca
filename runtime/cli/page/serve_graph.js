// serve_graph.js: the causality graph around the variable that is selected: what it follows from on the left, what
// follows from it on the right. Blocks that were rebuilt since the last look flash.
"use strict";

const graph = (() => {
    const WIDE = 132, HIGH = 40, ACROSS = 30, DOWN = 12, ROOM = 6;
    const FLASH = 1200; // milliseconds, as in serve.css
    let selected = "", made = new Map(), flashes = new Map(), events = -1, busy = false, again = false;

    function shape(tag, attributes, className) {
        const one = document.createElementNS("http://www.w3.org/2000/svg", tag);
        Object.entries(attributes).forEach(([key, value]) => one.setAttribute(key, value));
        if (className)
            one.setAttribute("class", className);
        return one;
    }

    const cut = (text, most) => text.length > most ? `…${text.slice(text.length - most + 1)}` : text;

    // Columns by depth; in each, near to what they are connected with.
    function layOut(blocks, edges) {
        const columns = new Map(), place = new Map();
        blocks.forEach(block => columns.set(block.depth, [...(columns.get(block.depth) || []), block]));
        const depths = [...columns.keys()].sort((a, b) => a - b), order = [...depths].sort((a, b) => Math.abs(a) - Math.abs(b));
        order.forEach(depth => {
            const wish = block => {
                const near = edges.filter(edge => edge[0] === block.id || edge[1] === block.id)
                    .map(edge => place.get(edge[0] === block.id ? edge[1] : edge[0])).filter(at => at);
                return near.length ? near.reduce((sum, at) => sum + at.y, 0) / near.length : 0;
            };
            const list = columns.get(depth).map(block => ({block, wish: wish(block)})).sort((a, b) => a.wish - b.wish);
            list.forEach(({block}, i) => place.set(block.id, {x: depths.indexOf(depth) * (WIDE + ACROSS), y: (i - (list.length - 1) / 2) * (HIGH + DOWN)}));
        });
        const top = Math.min(...[...place.values()].map(at => at.y));
        place.forEach(at => { at.x += ROOM; at.y += ROOM - top; });
        return place;
    }

    function drawEdge(edge, place) {
        const a = place.get(edge[0]), b = place.get(edge[1]);
        const from = [a.x + WIDE, a.y + HIGH / 2], to = [b.x, b.y + HIGH / 2];
        const bend = Math.max(30, Math.abs(to[0] - from[0]) / 2);
        const back = to[0] <= from[0] ? HIGH : 0;
        return shape("path", {d: `M${from[0]} ${from[1]}C${from[0] + bend} ${from[1] + back} ${to[0] - bend} ${to[1] + back} ${to[0]} ${to[1]}`,
                              "marker-end": "url(#graph-arrow)"}, edge[2] ? "edge integrates" : "edge");
    }

    const KINDS = {equation: "", loop: "loop", state: "state", held: "held", given: "given", clock: "clock"};

    function drawBlock(block, at) {
        const elapsed = performance.now() - (flashes.get(block.path) || -Infinity), rebuilt = elapsed < FLASH;
        const group = shape("g", {transform: `translate(${at.x} ${at.y})`, tabindex: "0", role: "button"},
                            `block ${block.kind}${block.depth === 0 ? " chosen" : ""}${rebuilt ? " rebuilt" : ""}`);
        const value = block.value === null ? "" : ` = ${short(block.value, 4)}${block.unit ? " " + block.unit : ""}`;
        const kind = block.kind === "loop" ? `loop of ${block.variables}` : KINDS[block.kind];
        group.append(shape("rect", {width: WIDE, height: HIGH, rx: block.kind === "state" ? HIGH / 2 : block.kind === "equation" || block.kind === "loop" ? 4 : 12}));
        if (block.kind === "loop")
            group.append(shape("rect", {x: 3, y: 3, width: WIDE - 6, height: HIGH - 6, rx: 3}, "inner"));
        const name = shape("text", {x: WIDE / 2, y: 17, "text-anchor": "middle"}, "name"), what = shape("text", {x: WIDE / 2, y: 32, "text-anchor": "middle"}, "what");
        name.textContent = cut(block.path, 20);
        what.textContent = `${kind}${value}`.trim();
        const title = shape("title", {});
        title.textContent = [block.path + value, kind, block.text].filter(text => text).join("\n");
        group.setAttribute("aria-label", title.textContent.replace(/\n/g, ", "));
        group.append(title, name, what);
        if (rebuilt)
            group.firstChild.style.animationDelay = `${-elapsed}ms`; // it goes on where it was
        group.addEventListener("click", () => select(block.path));
        group.addEventListener("keydown", event => { if (event.key === "Enter") select(block.path); });
        return group;
    }

    function draw({blocks, edges}) {
        const svg = $("graph-picture");
        $("graph-empty").hidden = blocks.length > 0;
        svg.querySelectorAll(".block, .edge").forEach(one => one.remove());
        if (!blocks.length)
            return;
        const identity = block => `${block.id}/${block.made}`;
        blocks.forEach(block => {
            if (made.has(block.path) && made.get(block.path) !== identity(block))
                flashes.set(block.path, performance.now());
        });
        made = new Map(blocks.map(block => [block.path, identity(block)]));
        const place = layOut(blocks, edges), all = [...place.values()];
        svg.setAttribute("width", Math.max(...all.map(at => at.x)) + WIDE + ROOM);
        svg.setAttribute("height", Math.max(...all.map(at => at.y)) + HIGH + ROOM);
        edges.forEach(edge => svg.append(drawEdge(edge, place)));
        blocks.forEach(block => svg.append(drawBlock(block, place.get(block.id))));
    }

    // Who asks while an answer is awaited has what it asked for with the next one.
    async function refresh() {
        again = busy;
        if (!selected || busy || !$("graph").open)
            return;
        busy = true;
        const asked = selected, reply = await talk.tell(`graph ${asked}`);
        busy = false;
        if (reply && reply.data && asked === selected)
            draw(reply.data);
        if (again)
            refresh();
    }

    function select(path) {
        selected = path;
        made = new Map();
        flashes = new Map();
        $("graph-path").value = path;
        refresh();
    }

    // The first curve, until somebody chooses; when something happened, at most twice a second.
    setInterval(() => {
        if (!selected && curves.first())
            select(curves.first());
        if (session.state.events !== events || session.state.playing) {
            events = session.state.events;
            refresh();
        }
    }, 500);
    $("graph-form").addEventListener("submit", event => { event.preventDefault(); select($("graph-path").value.trim()); });
    $("graph").addEventListener("toggle", refresh);
    return {select, refresh, selected: () => selected};
})();
