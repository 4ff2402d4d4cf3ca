// report.js: the data of a result file -> plots, animation, strips of modes, tables.
// The data is the JSON that report_json.c writes; the plots are drawn by uPlot.
"use strict";

(function () {

const data = JSON.parse(document.getElementById("data").textContent);
const stats = JSON.parse(document.getElementById("stats").textContent);
const GONE = 0, ELSE = 1, THEN = 2; // ResultChoice
// A condition without the path of its component, which stands beside it anyway.
function within(path, condition) {
    const place = path.replace(/#\d+$/, ""); // a later instance born there
    return place ? condition.split(place + ".").join("") : condition;
}

function trigger(text) {
    const colon = text.indexOf(": ");
    return colon < 0 ? text : `${text.slice(0, colon)}: ${within(text.slice(0, colon), text.slice(colon + 2))}`;
}

// Whoever shows the present time of the animation is told when it changes.
const clock = {time: data.from, listeners: []};
function setTime(time) {
    clock.time = Math.min(Math.max(time, data.from), data.to);
    clock.listeners.forEach(listener => listener(clock.time));
}

// A canvas has as many pixels as the screen uses for it; drawing is in CSS pixels.
function prepareCanvas(canvas) {
    const ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
        canvas.width = Math.round(width * ratio);
        canvas.height = Math.round(height * ratio);
    }
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    return {context, width, height};
}

// ---- head ----

function showHead() {
    const head = new Map(data.head.map(pair => [pair.key, pair.text]));
    const structural = data.events.filter(event => event.structural).length;
    $("title").textContent = head.get("model") || data.name;
    document.title = $("title").textContent + " – Solstice report";
    $("summary").textContent =
        `${data.name}: time ${short(data.from)} to ${short(data.to)}, ${data.rows} rows, ` +
        `${data.columns} variables, ${data.events_total} events` +
        (data.events_total === data.events.length ? ` (${structural} structural)` : "");
    const warnings = [];
    if (data.warning)
        warnings.push(data.warning);
    if (data.ended && data.end_status !== 0)
        warnings.push(`The run ended with status ${data.end_status} at time ${short(data.end_time)}.`);
    $("audit").textContent = data.end_text || "";
    $("warnings").textContent = warnings.join(" ");
}

// ---- plots ----

// At an event there are two points of the same time. Plots want times that ascend, so the second is
// moved to the next number a double can hold.
function ascending(times) {
    const result = times.slice();
    for (let i = 1; i < result.length; i++)
        if (result[i] <= result[i - 1])
            result[i] = result[i - 1] + Math.max(Math.abs(result[i - 1]), 1e-300) * Number.EPSILON;
    return result;
}

function drawMarks(plot) {
    const context = plot.ctx, box = plot.bbox;
    const vertical = (time, colour, dash) => {
        if (time < plot.scales.x.min || time > plot.scales.x.max)
            return;
        const x = Math.round(plot.valToPos(time, "x", true)) + 0.5;
        context.strokeStyle = colour;
        context.setLineDash(dash);
        context.beginPath();
        context.moveTo(x, box.top);
        context.lineTo(x, box.top + box.height);
        context.stroke();
    };
    context.save();
    context.lineWidth = 1;
    data.marks.forEach(mark => vertical(mark.t, css("--faint"), mark.structural ? [] : [1, 3]));
    if (data.shapes.length)
        vertical(clock.time, css("--trail"), []);
    context.restore();
}

const plots = [];
let sharing = false;

// All plots show the same span of time.
function shareZoom(plot, scale) {
    if (scale !== "x" || sharing)
        return;
    sharing = true;
    const {min, max} = plot.scales.x;
    plots.forEach(other => {
        if (other !== plot && (other.scales.x.min !== min || other.scales.x.max !== max))
            other.setScale("x", {min, max});
    });
    sharing = false;
}

function chartOptions(chart, width) {
    return {
        width, height: 260,
        scales: {x: {time: false, range: (u, low, high) => [low, high]}},
        cursor: {sync: {key: "time"}, drag: {x: true, y: false}},
        axes: axes(),
        hooks: {drawAxes: [drawMarks], setScale: [shareZoom]},
        series: seriesOf(chart.curves)
    };
}

function makePlot(chart, box) {
    const tables = chart.curves.filter(curve => curve.t.length).map(
        curve => [ascending(curve.t), curve.y]);
    const drawn = {curves: chart.curves.filter(curve => curve.t.length)};
    const joined = tables.length > 1 ? uPlot.join(tables) : tables[0] || [[data.from], []];
    const plot = new uPlot(chartOptions(drawn, box.clientWidth || 560), joined, box);
    plot.setScale("x", {min: data.from, max: data.to});
    plot.over.addEventListener("dblclick", wholeTime);
    plots.push(plot);
    return plot;
}

function wholeTime() {
    plots.forEach(plot => plot.setScale("x", {min: data.from, max: data.to}));
}

function showPlots() {
    plots.splice(0).forEach(plot => plot.destroy());
    $("charts").replaceChildren();
    groupCurves(data.curves).forEach(chart => {
        const box = element("div", undefined, "chart");
        box.append(element("h3", chart.name));
        $("charts").append(box);
        makePlot(chart, box);
    });
}

function remarkOnPlots() {
    const samples = data.curves.reduce((sum, curve) => sum + curve.samples, 0);
    const shown = data.curves.reduce((sum, curve) => sum + curve.t.length, 0);
    $("plots-remark").textContent = data.thinned
        ? `Thinned for this page: of each of ${data.bins} intervals of time a curve keeps its first, ` +
          `lowest, highest and last value, ${shown} of ${samples} values in all.`
        : `All ${samples} values of these ${data.curves.length} variables are shown.`;
}

function resizePlots() {
    plots.forEach(plot => {
        const width = plot.root.parentElement.clientWidth;
        if (width && width !== plot.width)
            plot.setSize({width, height: 260});
    });
}

// ---- modes ----

// Spans of one `if`: [{from, to, choice}], from the changes, which are triples of numbers.
function spansOf(number) {
    const spans = [];
    for (let i = 0; i < data.changes.length; i += 3) {
        if (data.changes[i + 1] !== number)
            continue;
        const last = spans[spans.length - 1];
        if (last)
            last.to = data.changes[i];
        spans.push({from: data.changes[i], to: data.to, choice: data.changes[i + 2]});
    }
    return spans.filter(span => span.to > span.from || span.to === data.to);
}

// Spans of equal numbers of states of the whole model.
function stateSpans() {
    const first = data.events.length ? data.events[0].states_before : data.states;
    const spans = [{from: data.from, to: data.to, count: first}];
    data.events.forEach(event => {
        const last = spans[spans.length - 1];
        if (event.states_after === last.count)
            return;
        last.to = event.time;
        spans.push({from: event.time, to: data.to, count: event.states_after});
    });
    return spans;
}

function addStrip(name, condition, draw, className) {
    const label = element("div", name, "name");
    if (condition)
        label.append(" ", element("span", condition, "condition"));
    const canvas = element("canvas", undefined, className || "strip");
    $("strips").append(label, canvas);
    const redraw = () => {
        const {context, width, height} = prepareCanvas(canvas);
        const x = time => (time - data.from) / (data.to - data.from || 1) * width;
        draw(context, x, height, width);
    };
    strips.push(redraw);
    redraw();
}

const strips = [];

function drawSpan(context, x, span, height, colour, text) {
    const left = x(span.from), right = Math.max(x(span.to), left + 1);
    context.fillStyle = colour;
    context.fillRect(left, 1, right - left, height - 2);
    context.font = "12px system-ui, sans-serif";
    if (!text || context.measureText(text).width + 6 > right - left)
        return;
    context.fillStyle = colour === css("--then") ? css("--paper") : css("--ink");
    context.fillText(text, left + 4, height - 5);
}

function drawTimeAxis(context, x, height, width) {
    const count = Math.max(2, Math.floor(width / 110));
    context.fillStyle = css("--faint");
    context.font = "12px system-ui, sans-serif";
    for (let i = 0; i <= count; i++) {
        const time = data.from + (data.to - data.from) * i / count, text = short(+time.toPrecision(4));
        const room = context.measureText(text).width;
        context.fillText(text, Math.min(Math.max(x(time) - room / 2, 0), width - room), height - 5);
    }
}

function showModes() {
    strips.splice(0);
    $("strips").replaceChildren();
    const states = stateSpans();
    addStrip("number of states", "", (context, x, height) => states.forEach((span, i) =>
        drawSpan(context, x, span, height, css(i % 2 ? "--else" : "--line"), String(span.count))));
    data.ifs.forEach((branch, number) => {
        const spans = spansOf(number).filter(span => span.choice !== GONE);
        addStrip(branch.path || "top model", within(branch.path, branch.condition), (context, x, height) =>
            spans.forEach(span => drawSpan(context, x, span, height,
                css(span.choice === THEN ? "--then" : "--else"),
                span.choice === THEN ? "then" : "else")));
    });
    addStrip("time", "", drawTimeAxis, "axis");
    const left = [];
    if (data.ifs_total > data.ifs.length)
        left.push(`${data.ifs.length} of ${data.ifs_total} conditions are shown.`);
    if (data.changes_total * 3 > data.changes.length)
        left.push(`Only the first ${data.changes.length / 3} of ${data.changes_total} changes are shown.`);
    $("modes-remark").textContent = (data.ifs.length
        ? "Each line is an if of a component: which branch it had chosen when, nothing where it did not exist. "
        : "The model has no if. ") + left.join(" ");
}

// ---- events ----

// Changes of modes by time, each with the choice before: time -> [{number, before, after}].
function modesByTime() {
    const present = new Map(), byTime = new Map();
    for (let i = 0; i < data.changes.length; i += 3) {
        const [time, number, after] = data.changes.slice(i, i + 3);
        const before = present.get(number) || GONE;
        present.set(number, after);
        if (!byTime.has(time))
            byTime.set(time, []);
        byTime.get(time).push({number, before, after});
    }
    return byTime;
}

const CHOICES = ["–", "else", "then"];

function describeMode(change) {
    const branch = data.ifs[change.number];
    if (!branch)
        return "";
    return `${branch.path ? branch.path + ": " : ""}${within(branch.path, branch.condition)}: ` +
           `${CHOICES[change.before]} → ${CHOICES[change.after]}`;
}

// Statistics and result list the same events in the same order; the time is compared all the same.
function costOf(index) {
    const event = stats && stats.events && stats.events[index];
    return event && event.time === data.events[index].time ? event : null;
}

function linesCell(lines) {
    const cell = element("td", undefined, "lines");
    lines.forEach(line => cell.append(element("span", line, "line")));
    return cell;
}

// Numbers of states: before, in brackets after updates on the way, at the end.
function stateSteps(event) {
    const between = event.states.slice(0, -1).map(count => `[${count}]`);
    return [event.states_before, ...between, event.states_after].join(" → ");
}

function eventRow(event, index, modes) {
    const row = element("tr", undefined, event.structural ? "structural" : "");
    const numbers = [event.updates, stateSteps(event),
                     `+${event.entered} −${event.removed}`, event.visited];
    const cost = costOf(index);
    if (stats)
        numbers.push(...(cost ? [`${cost.blocks_kept} / ${cost.blocks_rebuilt}`,
                                 cost.structure_us.toFixed(0), cost.restart_us.toFixed(0)]
                              : ["", "", ""]));
    row.append(element("td", short(event.time), "number"), linesCell(event.triggers.map(trigger)),
               linesCell((modes.get(event.time) || []).map(describeMode).filter(text => text)));
    numbers.forEach(text => row.append(element("td", String(text), "number")));
    if (data.shapes.length)
        row.addEventListener("click", () => setTime(event.time));
    return row;
}

function showEvents() {
    const modes = modesByTime(), head = element("tr");
    const columns = ["Time", "Triggers", "Modes: before → after", "Updates", "States", "Relations",
                     "Visited"];
    if (stats)
        columns.push("Blocks kept / rebuilt", "Structure µs", "Restart µs");
    columns.forEach((name, i) => head.append(element("th", name, i === 1 || i === 2 ? "" : "number")));
    $("event-table").tHead.append(head);
    const body = $("event-table").tBodies[0];
    data.events.forEach((event, i) => body.append(eventRow(event, i, modes)));
    $("events-remark").textContent =
        data.events_total > data.events.length
            ? `The first ${data.events.length} of ${data.events_total} events.`
            : data.events_total ? "" : "There were none.";
    if (!stats && data.events_total)
        $("events-remark").textContent += " What each event cost is known with --stats.";
}

// ---- texts ----

function showPairs(table, pairs) {
    pairs.forEach(pair => {
        const row = element("tr");
        row.append(element("td", pair.key !== undefined ? pair.key : short(pair.time)),
                   element("td", pair.text));
        table.tBodies[0].append(row);
    });
}

function showTexts() {
    showPairs($("head-table"), data.head.concat({key: "page made by", text: data.program}));
    showPairs($("parameter-table"), data.parameters);
    $("parameters-summary").textContent = data.parameters_total > data.parameters.length
        ? `The first ${data.parameters.length} of ${data.parameters_total} parameters`
        : `${data.parameters.length} parameters`;
    $("notes").hidden = data.notes.length === 0;
    showPairs($("note-table"), data.notes);
}

// ---- animation ----

const at = (list, frame) => list[list.length === 1 ? 0 : frame];

// The frame at or before a time, by bisection.
function frameAt(time) {
    let low = 0, high = data.frames.length - 1;
    while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (data.frames[middle] <= time)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

// A coordinate between two frames; null where the shape is not there.
function coordinate(list, frame, part) {
    const a = at(list, frame), next = Math.min(frame + 1, data.frames.length - 1);
    const b = at(list, next);
    return a === null || b === null || part === 0 ? a : a + part * (b - a);
}

const view = {frame: 0, part: 0, speed: 1, playing: false, last: 0};

const extent = box => Math.max(box.right - box.left, box.top - box.bottom);

// The smallest rectangle around everything that some shapes ever fill.
function bounds(shapes) {
    const box = {left: Infinity, right: -Infinity, bottom: Infinity, top: -Infinity};
    const meet = (xs, ys) => {
        for (let i = 0; i < data.frames.length; i++) {
            const x = at(xs, i), y = at(ys, i);
            if (x === null || y === null)
                continue;
            box.left = Math.min(box.left, x);
            box.right = Math.max(box.right, x);
            box.bottom = Math.min(box.bottom, y);
            box.top = Math.max(box.top, y);
        }
    };
    shapes.forEach(shape => {
        meet(shape.sx, shape.sy);
        if (shape.dx)
            meet(shape.dx, shape.dy);
    });
    if (!(box.left <= box.right))
        return {left: 0, right: 1, bottom: 0, top: 1};
    return box;
}

// Near view: without the shapes that go much further than most do.
const stage = {whole: null, near: null};
function findViews() {
    const extents = data.shapes.map(shape => extent(bounds([shape])));
    const sorted = extents.slice().sort((a, b) => a - b), usual = sorted[sorted.length >> 1];
    stage.whole = bounds(data.shapes);
    stage.near = bounds(data.shapes.filter((shape, i) => extents[i] <= 4 * usual));
    $("near").checked = extent(stage.whole) > 4 * extent(stage.near);
}

function drawShape(context, shape, x, y, scale) {
    const {frame, part} = view;
    const sx = coordinate(shape.sx, frame, part), sy = coordinate(shape.sy, frame, part);
    if (sx === null || sy === null)
        return;
    if (shape.kind === "text") {
        context.font = `${Math.max(shape.size * scale, 9)}px system-ui, sans-serif`;
        context.fillText(shape.text, x(sx), y(sy));
        return;
    }
    if (shape.kind === "point") {
        context.fillRect(x(sx) - 2, y(sy) - 2, 4, 4);
        return;
    }
    const dx = coordinate(shape.dx, frame, part), dy = coordinate(shape.dy, frame, part);
    if (dx === null || dy === null)
        return;
    context.beginPath();
    if (shape.kind === "line") {
        context.moveTo(x(sx), y(sy));
        context.lineTo(x(dx), y(dy));
        context.stroke();
        return;
    }
    const width = Math.max(Math.abs(x(dx) - x(sx)), 2), height = Math.max(Math.abs(y(dy) - y(sy)), 2);
    const centre = [(x(sx) + x(dx)) / 2, (y(sy) + y(dy)) / 2];
    if (shape.kind === "rectangle")
        context.rect(centre[0] - width / 2, centre[1] - height / 2, width, height);
    else
        context.ellipse(centre[0], centre[1], width / 2, height / 2, 0, 0, 2 * Math.PI);
    context.fill();
    context.stroke();
}

// The way of every shape's centre (of a line, of its far end) up to now.
function drawTrail(context, shape, x, y) {
    const far = shape.kind === "line", middle = shape.dx && !far;
    let open = false;
    context.beginPath();
    for (let i = 0; i <= view.frame; i++) {
        const px = middle ? (at(shape.sx, i) + at(shape.dx, i)) / 2 : at(far ? shape.dx : shape.sx, i);
        const py = middle ? (at(shape.sy, i) + at(shape.dy, i)) / 2 : at(far ? shape.dy : shape.sy, i);
        const there = at(shape.sx, i) !== null && px !== null && py !== null;
        if (there && open)
            context.lineTo(x(px), y(py));
        else if (there)
            context.moveTo(x(px), y(py));
        open = there;
    }
    context.stroke();
}

function drawStage() {
    const {context, width, height} = prepareCanvas($("stage"));
    const box = $("near").checked ? stage.near : stage.whole, margin = 24;
    const scale = Math.min((width - 2 * margin) / (box.right - box.left || 1),
                           (height - 2 * margin) / (box.top - box.bottom || 1));
    const x = value => width / 2 + (value - (box.left + box.right) / 2) * scale;
    const y = value => height / 2 - (value - (box.bottom + box.top) / 2) * scale;
    if ($("trails").checked) {
        context.strokeStyle = css("--trail");
        context.lineWidth = 1;
        data.shapes.filter(shape => shape.kind !== "text").forEach(
            shape => drawTrail(context, shape, x, y));
    }
    context.strokeStyle = css("--shape");
    context.fillStyle = css("--shape");
    context.lineWidth = 2;
    context.globalAlpha = 0.85;
    data.shapes.forEach(shape => drawShape(context, shape, x, y, scale));
    context.globalAlpha = 1;
}

function showMoment(time) {
    view.frame = frameAt(time);
    const begin = data.frames[view.frame], end = data.frames[view.frame + 1];
    view.part = end > begin ? Math.min(Math.max((time - begin) / (end - begin), 0), 1) : 0;
    $("scrub").value = time;
    $("clock").textContent = `t = ${time.toFixed(3)}`;
    drawStage();
    if (!view.playing)
        plots.forEach(plot => plot.redraw(false, false));
}

function setPlaying(playing) {
    view.playing = playing;
    $("play").textContent = playing ? "Pause" : "Play";
    if (!playing) {
        plots.forEach(plot => plot.redraw(false, false));
        return;
    }
    if (clock.time >= data.to)
        setTime(data.from);
    view.last = performance.now();
    requestAnimationFrame(advance);
}

function advance(now) {
    if (!view.playing)
        return;
    const time = clock.time + Math.max(now - view.last, 0) / 1000 * view.speed;
    view.last = now;
    setTime(time);
    if (time >= data.to)
        setPlaying(false);
    else
        requestAnimationFrame(advance);
}

// At speed 1 a second is a second of the model; others are offered from very slow to a run in ten
// seconds or less.
function offerSpeeds() {
    const span = data.to - data.from, natural = span > 60 || span < 1 ? span / 10 : 1;
    [0.1, 0.25, 0.5, 1, 2, 5, 10].forEach(factor => {
        const speed = +(factor * natural).toPrecision(3);
        const option = element("option", `${speed}×`);
        option.value = speed;
        option.selected = factor === 1;
        $("speed").append(option);
    });
    view.speed = +$("speed").value;
}

function showAnimation() {
    if (!data.shapes.length)
        return;
    $("animation").hidden = false;
    findViews();
    offerSpeeds();
    $("scrub").min = data.from;
    $("scrub").max = data.to;
    $("play").addEventListener("click", () => setPlaying(!view.playing));
    $("scrub").addEventListener("input", () => { setPlaying(false); setTime(+$("scrub").value); });
    $("speed").addEventListener("change", () => { view.speed = +$("speed").value; });
    $("trails").addEventListener("change", drawStage);
    $("near").addEventListener("change", drawStage);
    $("animation-remark").textContent =
        `${data.frames.length} frames of ${data.shapes.length} shapes` +
        (data.shapes_total > data.shapes.length ? `, the first of ${data.shapes_total}` : "") +
        `; between frames positions are interpolated.`;
    clock.listeners.push(showMoment);
}

// ---- all of it ----

function redrawAll() {
    showPlots();
    strips.forEach(redraw => redraw());
    if (data.shapes.length)
        drawStage();
}

function resizeAll() {
    resizePlots();
    strips.forEach(redraw => redraw());
    if (data.shapes.length)
        drawStage();
}

showHead();
showAnimation();
showPlots();
remarkOnPlots();
showModes();
showEvents();
showTexts();
$("unzoom").addEventListener("click", wholeTime);
if (data.shapes.length)
    setTime(data.from);
darkMode.addEventListener("change", redrawAll);
window.addEventListener("resize", resizeAll);

})();
