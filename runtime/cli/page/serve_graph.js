// serve_graph.js: the causality graph around the variable that is selected: what it follows from on the left, what
// follows from it on the right. Blocks that were rebuilt since the last look flash.
"use strict";

const graph = (() => {
    const WIDE = 132, HIGH = 40, ACROSS = 30, DOWN = 12, ROOM = 6, SIDE = 28, FEW = 4;
    const FLASH = 1200; // milliseconds, as in serve.css
    let selected = "", made = new Map(), flashes = new Map(), events = -1, busy = false, again = false, centred = false;

    function shape(tag, attributes, className) {
        const one = document.createElementNS("http://www.w3.org/2000/svg", tag);
        Object.entries(attributes).forEach(([key, value]) => one.setAttribute(key, value));
        if (className)
            one.setAttribute("class", className);
        return one;
    }

    const cut = (text, most) => text.length > most ? `…${text.slice(text.length - most + 1)}` : text;

    // Many blocks of one depth whose variables are members of one array, or born at one place, are one.
    function fold(blocks, edges) {
        const families = new Map(), stands = new Map();
        const key = block => `${block.depth} ${block.kind} ${familyOf(block.path)}`;
        blocks.filter(block => block.depth !== 0).forEach(block => families.set(key(block), [...families.get(key(block)) || [], block]));
        const kept = blocks.flatMap(block => {
            const members = families.get(key(block)) || [block];
            if (block.depth === 0 || members.length <= FEW)
                return [block];
            stands.set(block.id, members[0].id);
            return block === members[0] ? [{...block, path: familyOf(block.path), members: members.length, value: null,
                                            first: block.path, text: ""}] : [];
        });
        const at = id => stands.has(id) ? stands.get(id) : id, seen = new Set();
        const left = edges.map(edge => [at(edge[0]), at(edge[1]), edge[2]])
            .filter(edge => edge[0] !== edge[1] && !seen.has(edge.join()) && seen.add(edge.join()));
        return {blocks: kept, edges: left};
    }

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
        place.forEach(at => { at.x += SIDE; at.y += ROOM - top; });
        return place;
    }

    function drawEdge(edge, place) {
        const a = place.get(edge[0]), b = place.get(edge[1]);
        const from = [a.x + WIDE, a.y + HIGH / 2], to = [b.x, b.y + HIGH / 2];
        const bend = Math.max(ACROSS, to[0] - from[0]) / 2, round = SIDE - 2, low = Math.max(a.y, b.y) + HIGH + DOWN / 2;
        const forwards = `C${from[0] + bend} ${from[1]} ${to[0] - bend} ${to[1]} ${to[0]} ${to[1]}`;
        const back = `C${from[0] + round} ${from[1]} ${from[0] + round} ${low} ${from[0]} ${low}` +
                     `L${to[0]} ${low}C${to[0] - round} ${low} ${to[0] - round} ${to[1]} ${to[0]} ${to[1]}`;
        return shape("path", {d: `M${from[0]} ${from[1]}${to[0] > from[0] ? forwards : back}`,
                              "marker-end": "url(#graph-arrow)"}, edge[2] ? "edge integrates" : "edge");
    }

    const KINDS = {equation: "", loop: "loop", state: "state", held: "held", given: "given", clock: "clock"};

    function drawBlock(block, at) {
        const elapsed = performance.now() - (flashes.get(block.path) || -Infinity), rebuilt = elapsed < FLASH;
        const group = shape("g", {transform: `translate(${at.x} ${at.y})`, tabindex: "0", role: "button"},
                            `block ${block.kind}${block.depth === 0 ? " chosen" : ""}${rebuilt ? " rebuilt" : ""}`);
        const value = block.value === null ? "" : ` = ${short(block.value, 4)}${block.unit ? " " + block.unit : ""}`;
        const kind = block.members ? `${block.members} of them` : block.kind === "loop" ? `loop of ${block.variables}` : KINDS[block.kind];
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
        group.addEventListener("click", () => select(block.first || block.path));
        group.addEventListener("keydown", event => { if (event.key === "Enter") select(block.first || block.path); });
        return group;
    }

    function draw(told) {
        const svg = $("graph-picture"), {blocks, edges} = fold(told.blocks, told.edges);
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
        svg.setAttribute("width", Math.max(...all.map(at => at.x)) + WIDE + SIDE);
        svg.setAttribute("height", Math.max(...all.map(at => at.y)) + HIGH + DOWN);
        edges.forEach(edge => svg.append(drawEdge(edge, place)));
        blocks.forEach(block => svg.append(drawBlock(block, place.get(block.id))));
        const chosen = blocks.find(block => block.depth === 0);
        if (chosen && !centred)
            showInMiddle(place.get(chosen.id));
        centred = true;
    }

    function showInMiddle(at) {
        const frame = $("graph-frame");
        frame.scrollTo(at.x + WIDE / 2 - frame.clientWidth / 2, at.y + HIGH / 2 - frame.clientHeight / 2);
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
        centred = false;
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
