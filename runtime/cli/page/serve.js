// serve.js: messages of `solstice serve` (docs/protocol.md) -> curves that move, sliders, a tree, verdicts; and back.
"use strict";

(function () {

const COMMANDS = /^(add|remove|replace|set|begin|commit|abort|try|mark|back|show|why|uses|list|states|events|undo|redo)\b/;
const table = {paths: [], t: [], y: []};
let state = {time: 0, playing: false, edits: [], speed: 1, complete: true};
let natural = 0; // the speed that the program proposed
let socket = null, lastId = 0, charts = [], dirty = false, edited = -1;
const replies = new Map();

// ---- talking ----

function ask(line) {
    return new Promise((resolve, reject) => {
        if (!socket || socket.readyState !== WebSocket.OPEN) {
            reject(new Error("not connected"));
            return;
        }
        replies.set(++lastId, resolve);
        socket.send(`@${lastId} ${line}`);
    });
}
const tell = line => ask(line).catch(() => undefined);

function take(message) {
    if (message.rows)
        takeRows(message.rows);
    if (message.state)
        takeState(message.state);
    if (message.id && replies.has(message.id)) {
        replies.get(message.id)(message.reply);
        replies.delete(message.id);
    }
}

function connect() {
    socket = new WebSocket(`ws://${location.host}/ws${location.search}`, "solstice");
    socket.onopen = () => { $("play").disabled = false; $("warnings").textContent = ""; edited = -1; };
    socket.onmessage = event => take(JSON.parse(event.data));
    socket.onclose = () => {
        $("play").disabled = true;
        $("warnings").textContent = "The connection to the program is lost; trying again.";
        replies.clear();
        setTimeout(connect, 1000);
    };
}

// ---- state ----

function takeState(next) {
    const before = state;
    state = next;
    if (!natural)
        offerSpeeds(next.speed || 1);
    $("play").textContent = state.playing ? "Pause" : "Run";
    $("clock").textContent = `t = ${short(state.time)}`;
    $("summary").textContent = `${state.relations} relations, ${state.states} states, ${state.events} events`;
    $("warnings").textContent = state.failure ||
        (state.complete ? "" : "Some variables lack an equation: time goes on when they have one.");
    const done = state.edits.filter(edit => !edit.undone).length;
    $("undo").disabled = done === 0;
    $("redo").disabled = done === state.edits.length;
    const mark = JSON.stringify(state.edits);
    if (mark !== edited) {
        edited = mark;
        showEdits();
        refreshModel();
    } else if (before.playing && !state.playing) {
        refreshTree();
    }
}

function offerSpeeds(speed) {
    natural = speed;
    [0.1, 0.25, 0.5, 1, 2, 5, 10].forEach(factor => {
        const value = +(factor * speed).toPrecision(3);
        const option = element("option", `${value}×`);
        option.value = value;
        option.selected = factor === 1;
        $("speed").append(option);
    });
    const fast = element("option", "as fast as it goes");
    fast.value = "max";
    $("speed").append(fast);
}

function showEdits() {
    $("history").hidden = state.edits.length === 0;
    $("edits").replaceChildren(...state.edits.map(edit => {
        const item = element("li", `${edit.text}${edit.count > 1 ? ` (${edit.count} times)` : ""}`,
                             edit.undone ? "undone" : "");
        item.title = `at time ${short(edit.time)}: ${edit.verdict}`;
        return item;
    }));
}

// ---- curves ----

// Plots want times that ascend; at an event there are two points of the same time.
function push(time) {
    const n = table.t.length;
    if (n && time <= table.t[n - 1])
        time = table.t[n - 1] + Math.max(Math.abs(table.t[n - 1]), 1e-300) * Number.EPSILON;
    table.t.push(time);
}

const MOST = 12000;

function takeRows(rows) {
    if (rows.anew || rows.paths.length !== table.paths.length) {
        const same = rows.paths.join() === table.paths.join();
        table.paths = rows.paths;
        table.t = [];
        table.y = rows.paths.map(() => []);
        if (!same)
            charts = charts.filter(chart => { chart.plot.destroy(); chart.box.remove(); return false; });
    }
    rows.t.forEach(push);
    rows.y.forEach((column, i) => { for (const y of column) table.y[i].push(y); });
    if (table.t.length > MOST) { // as the program does: every second of the older half goes
        const n = table.t.length, kept = list => list.filter((_, i) => i >= n / 2 || i % 2 === 0);
        table.y = table.y.map(kept);
        table.t = kept(table.t);
    }
    dirty = true;
}

function makeCharts() {
    const curves = table.paths.map((path, index) => ({path, index}));
    charts = groupCurves(curves).map(chart => {
        const box = element("div", undefined, "chart");
        box.append(element("h3", chart.name));
        $("charts").append(box);
        const plot = new uPlot({
            width: box.clientWidth || 560, height: 220,
            scales: {x: {time: false, range: () => windowOfTime()}},
            cursor: {sync: {key: "time"}, drag: {x: false, y: false}},
            axes: axes(), series: seriesOf(chart.curves)
        }, [[], ...chart.curves.map(() => [])], box);
        return {...chart, box, plot};
    });
}

function windowOfTime() {
    const n = table.t.length, last = n ? table.t[n - 1] : 0, first = n ? table.t[0] : 0;
    if ($("window").value === "all")
        return [first, Math.max(last, first + 1e-9)];
    const speed = state.speed || natural || 1, span = 10 * speed;
    return [Math.max(first, last - span), Math.max(last, first + span)];
}

function drawCharts() {
    requestAnimationFrame(drawCharts);
    if (!dirty)
        return;
    dirty = false;
    frames++;
    if (!charts.length && table.paths.length)
        makeCharts();
    const [from] = windowOfTime();
    let first = 0;
    if ($("window").value !== "all") // only what is seen, and one point before
        while (first + 2 < table.t.length && table.t[first + 1] < from)
            first++;
    const t = table.t.slice(first);
    charts.forEach(chart => {
        chart.plot.setData([t, ...chart.curves.map(curve => table.y[curve.index].slice(first))]);
        if (chart.plot.cursor.idx == null && t.length) // nobody points at it: the present
            chart.plot.setLegend({idx: t.length - 1});
    });
    document.querySelectorAll(".variable input").forEach(box => {
        box.checked = table.paths.includes(box.dataset.path);
    });
}
let frames = 0;

function resize() {
    charts.forEach(chart => chart.plot.setSize({width: chart.box.clientWidth, height: 220}));
}

function recolour() {
    charts.forEach(chart => { chart.plot.destroy(); chart.box.remove(); });
    charts = [];
    dirty = true;
}

// ---- parameters ----

// What is positive stays so; what is 0 goes both ways.
function rangeOf(value) {
    if (value === 0)
        return [-1, 1];
    return value > 0 ? [0, 2 * value] : [2 * value, 0];
}

// At most one message on its way for each slider: the last place counts.
function sender(path, onVerdict) {
    let busy = false, next = null;
    const send = async value => {
        if (busy) {
            next = value;
            return;
        }
        busy = true;
        const reply = await tell(`set ${path} = ${value}`);
        busy = false;
        onVerdict(reply);
        if (next !== null) {
            const last = next;
            next = null;
            send(last);
        }
    };
    return send;
}

function makeParameter(parameter, i) {
    const row = element("div", undefined, "parameter"), label = element("label", parameter.path);
    const number = element("input");
    const send = sender(parameter.path, reply => {
        if (reply && (reply.answer === "refused" || reply.answer === "error"))
            showVerdict(`set ${parameter.path}`, reply);
    });
    number.type = "number";
    number.step = "any";
    number.id = `parameter-${i}`;
    number.value = parameter.value;
    label.htmlFor = number.id;
    number.addEventListener("change", () => send(number.value));
    const slider = element("input");
    slider.type = "range";
    slider.setAttribute("aria-label", parameter.path);
    [slider.min, slider.max] = rangeOf(parameter.value);
    slider.step = parameter.type === "Real" ? (slider.max - slider.min) / 200 : 1;
    slider.value = parameter.value;
    slider.addEventListener("input", () => { number.value = slider.value; send(slider.value); });
    row.append(label, slider, number);
    return row;
}

async function refreshParameters() {
    const reply = await tell("parameters");
    if (!reply || !reply.data || $("parameters").contains(document.activeElement))
        return;
    const list = reply.data.filter(parameter => parameter.value !== null && parameter.type !== "String");
    $("turning").hidden = list.length === 0;
    $("parameters").replaceChildren(...list.map(makeParameter));
}

// ---- what exists ----

function valueText(variable) {
    if (variable.value === null)
        return "–";
    if (variable.type === "Boolean")
        return variable.value ? "true" : "false";
    return typeof variable.value === "number" ? short(variable.value) : variable.value;
}

function makeVariable(variable) {
    const row = element("div", undefined, "variable"), box = element("input");
    const label = element("label", variable.path.slice(variable.path.lastIndexOf(".") + 1));
    box.type = "checkbox";
    box.dataset.path = variable.path;
    box.id = `plot-${variable.path}`;
    box.checked = table.paths.includes(variable.path);
    box.disabled = variable.type === "String";
    label.htmlFor = box.id;
    if (variable.kind)
        label.append(" ", element("span", variable.kind, "kind"));
    box.addEventListener("change", () => tell(`${box.checked ? "plot" : "unplot"} ${variable.path}`));
    row.append(box, label, element("span", valueText(variable), "value"));
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
        data.variables.forEach((variable, i) => {
            rows[i].querySelector(".value").textContent = valueText(variable);
        });
        return;
    }
    const open = new Set(children.filter(child => child.open).map(child => child.dataset.path));
    body.replaceChildren(...data.variables.map(makeVariable),
                         ...data.instances.map(path => makeNode(path, open.has(path))));
}

async function refreshNode(node) {
    const reply = await tell(`tree ${node.dataset.path}`);
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

function refreshTree() {
    document.querySelectorAll("#tree details[open]").forEach(refreshNode);
}

async function refreshStatements() {
    const reply = await tell("list");
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

function refreshModel() {
    refreshTree();
    refreshParameters();
    refreshStatements();
}

// ---- edits ----

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
    const reply = await tell(line);
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

// ---- all of it ----

const toggle = () => tell(state.playing ? "pause" : "play");

$("title").textContent = window.solsticeTitle;
document.title = `${window.solsticeTitle} – Solstice`;
$("play").addEventListener("click", toggle);
$("undo").addEventListener("click", () => enter("undo"));
$("redo").addEventListener("click", () => enter("redo"));
$("speed").addEventListener("change", () => tell(`speed ${$("speed").value}`));
$("window").addEventListener("change", () => { dirty = true; });
$("edit-form").addEventListener("submit", event => { event.preventDefault(); submit(); });
$("edit-text").addEventListener("keydown", event => {
    if (event.key === "Enter" && !event.shiftKey) {
        event.preventDefault();
        submit();
    }
});
document.addEventListener("keydown", event => {
    if (event.key === " " && !/^(INPUT|TEXTAREA|SELECT|BUTTON|SUMMARY)$/.test(event.target.tagName)) {
        event.preventDefault();
        toggle();
    }
});
$("tree").append(makeNode("", true));
darkMode.addEventListener("change", recolour);
window.addEventListener("resize", resize);
setInterval(() => { if (state.playing) refreshTree(); }, 500);
connect();
drawCharts();
window.solsticeFrames = () => frames;

})();
