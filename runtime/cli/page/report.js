// report.js: the data of a result file -> plots, animation, strips of modes, tables.
// The data is the JSON that report_json.c writes; the plots are drawn by uPlot.
"use strict";

(function () {

const data = JSON.parse($("data").textContent);
const stats = JSON.parse($("stats").textContent);

// Whoever shows the present time is told when it changes.
const clock = {time: data.from, listeners: []};
function setTime(time) {
    clock.time = Math.min(Math.max(time, data.from), data.to);
    clock.listeners.forEach(listener => listener(clock.time));
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

const plots = []; // {chart, plot}
const span = {from: data.from, to: data.to};
let sharing = false;

function drawVertical(plot, time, look) {
    if (time < plot.scales.x.min || time > plot.scales.x.max)
        return;
    const x = Math.round(plot.valToPos(time, "x", true)) + 0.5, box = plot.bbox;
    new CanvasPen(plot.ctx).path([[x, box.top], [x, box.top + box.height]], look);
}

// The more events are in sight, the paler their lines.
function drawMarks(plot) {
    const {min, max} = plot.scales.x, ratio = window.devicePixelRatio || 1;
    if ($("marks").checked) {
        const seen = data.marks.filter(mark => mark.t >= min && mark.t <= max);
        const alpha = Math.min(0.75, 10 / seen.length, 0.12 * plot.bbox.width / seen.length);
        seen.forEach(mark => drawVertical(plot, mark.t, {stroke: css("--faint"), width: ratio, alpha,
                                                         dash: mark.structural ? [] : [ratio, 3 * ratio]}));
    }
    drawVertical(plot, clock.time, {stroke: css("--trail"), width: ratio});
}

// All plots show the same span of time, with as many of their points as the screen can show.
function shareZoom(from, to) {
    if (sharing || (from === span.from && to === span.to))
        return;
    sharing = true;
    Object.assign(span, {from, to});
    plots.forEach(({chart, plot}) => plot.batch(() => {
        plot.setData(tableOf(chart.curves, from, to, plot.width), false);
        plot.setScale("x", {min: from, max: to});
    }));
    drawPairPlot();
    writeLink();
    sharing = false;
}

function zoom(factor) {
    const middle = clock.time >= span.from && clock.time <= span.to ? clock.time : (span.from + span.to) / 2;
    shareZoom(Math.max(data.from, middle + (span.from - middle) * factor),
              Math.min(data.to, middle + (span.to - middle) * factor));
}

const wholeTime = () => shareZoom(data.from, data.to);

function makePlot(chart, box) {
    const family = tellFamily(chart);
    const plot = new uPlot({
        focus: family.focus, width: box.clientWidth || 560, height: CHART_HEIGHT,
        scales: {x: {time: false, range: (u, low, high) => [low, high]}, y: {range: rangeOf(chart)}},
        cursor: {...family.cursor, sync: {key: "time"}, drag: {x: true, y: false}, bind: {dblclick: () => wholeTime}},
        axes: axes(),
        hooks: {
            drawAxes: [drawMarks],
            setScale: [(u, scale) => { if (scale === "x" && !sharing) shareZoom(u.scales.x.min, u.scales.x.max); }],
            setSeries: [family.tell, (u, i, change) => {
                if (i !== null && change.show !== undefined) {
                    chart.curves[i - 1].hidden = !change.show;
                    writeLink();
                }
            }]
        },
        legend: {show: !chart.family},
        series: seriesOf(chart, () => clock.time)
    }, tableOf(chart.curves, span.from, span.to, box.clientWidth || 560), box);
    chart.curves.forEach((curve, i) => { if (curve.hidden) plot.setSeries(i + 1, {show: false}); });
    plots.push({chart, plot});
}

function showPlots() {
    plots.splice(0).forEach(({plot}) => plot.destroy());
    $("charts").replaceChildren();
    sharing = true;
    groupCurves(data.curves.filter(curve => curve.t.length)).forEach(chart => {
        const box = element("div", undefined, "chart");
        box.append(element("h3", chart.name));
        $("charts").append(box);
        makePlot(chart, box);
        if (chart.family)
            box.append(familyNote(chart));
    });
    plots.forEach(({plot}) => plot.setScale("x", {min: span.from, max: span.to}));
    sharing = false;
}

function remarkOnPlots() {
    const samples = data.curves.reduce((sum, curve) => sum + curve.samples, 0);
    const shown = data.curves.reduce((sum, curve) => sum + curve.t.length, 0);
    const left = data.selectable > data.curves.length
        ? ` ${data.curves.length} of ${data.selectable} variables are here; 'solstice report --vars' selects others.` : "";
    $("plots-remark").textContent = (data.thinned
        ? `Thinned for this page: of each of ${data.bins} intervals of time a curve keeps its first, ` +
          `lowest, highest and last value, ${shown} of ${samples} values in all.`
        : `All ${samples} values of these ${data.curves.length} variables are here.`) + left;
}

function resizePlots() {
    plots.forEach(({plot}) => {
        const width = plot.root.parentElement.clientWidth;
        if (width && width !== plot.width)
            plot.setSize({width, height: CHART_HEIGHT});
    });
}

const redrawPlots = () => plots.forEach(({plot}) => plot.redraw(false, false));
const showLegends = () => plots.forEach(({plot}) => { if (plot.cursor.idx == null) plot.setLegend({idx: null}); });

function savePlots(save) {
    const width = 900;
    save(pen => drawCharts(pen, plots.map(({chart}) => chart), width, span.from, span.to), width, 260 * plots.length + 16,
         "plots");
}

// ---- one variable over another ----

const pairCurve = id => data.curves[$(id).selectedIndex];

function drawPairPlot() {
    if (!$("pairs").open || data.curves.length < 2)
        return;
    const {context, width, height} = prepareCanvas($("pair-plot"));
    drawPairs(new CanvasPen(context), width, height, pairCurve("pair-x"), pairCurve("pair-y"), [span.from, span.to],
              clock.time);
}

function offerPairs() {
    $("pairs").hidden = data.curves.length < 2;
    ["pair-x", "pair-y"].forEach((id, nth) => {
        $(id).append(...data.curves.map(curve => element("option", curve.path)));
        $(id).selectedIndex = nth;
        $(id).addEventListener("change", drawPairPlot);
    });
    $("pairs").addEventListener("toggle", drawPairPlot);
    clock.listeners.push(drawPairPlot);
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

const playing = {now: false, last: 0, speed: 1, recording: null};
const reach = new Reach();
let views = null;

const at = (list, frame) => list[list.length === 1 ? 0 : frame];

// A coordinate between two frames; null where the shape is not there.
function coordinate(list, frame, part) {
    const a = at(list, frame), b = at(list, Math.min(frame + 1, data.frames.length - 1));
    return a === null || b === null || part === 0 ? a : a + part * (b - a);
}

const scene = {
    times: data.frames,
    each(frame, part, draw) {
        data.shapes.forEach((shape, key) => {
            const place = shape.places.map(list => coordinate(list, frame, part));
            if (!place.includes(null))
                draw(key, shape, place);
        });
    }
};

function prepareShapes() {
    data.shapes.forEach(shape => {
        shape.places = [shape.sx, shape.sy, shape.dx, shape.dy].filter(list => list);
    });
    data.frames.forEach((_, frame) => scene.each(frame, 0, (key, look, place) => reach.meet(key, look, place)));
    views = reach.views();
    $("near").checked = views.far;
    $("near").parentElement.hidden = !views.far;
}

// The points up to now, of all moments.
function pointsNow() {
    const {moments, x, y, value} = data.points, times = moments.filter((_, i) => i % 2 === 0);
    const next = indexAt(times, clock.time) + 1;
    return {x, y, value, axes: data.points.axes, count: next < times.length ? moments[2 * next + 1] : x.length};
}

function drawAnimation(pen, width, height) {
    if (!data.shapes.length) {
        drawPoints(pen, width, height, pointsNow());
        return;
    }
    const frame = indexAt(data.frames, clock.time), begin = data.frames[frame], end = data.frames[frame + 1];
    const part = end > begin ? Math.min(Math.max((clock.time - begin) / (end - begin), 0), 1) : 0;
    drawScene(pen, width, height, scene, frame, part,
              {box: $("near").checked ? views.near : views.whole, trails: $("trails").checked ? trailLength() : 0});
}

// Near: a second of the model or so; whole: all of the way.
const trailLength = () => $("near").checked ? Math.max(20, Math.round(data.frames.length / 12)) : data.frames.length;

function drawStage() {
    const {context, width, height} = prepareCanvas($("stage"));
    drawAnimation(new CanvasPen(context), width, height);
}

function showMoment(time) {
    $("scrub").value = time;
    $("clock").textContent = `t = ${time.toFixed(3)}`;
    drawStage();
    if (!playing.now)
        redrawPlots();
    showLegends();
}

function setPlaying(now) {
    playing.now = now;
    $("play").textContent = now ? "Pause" : "Play";
    if (!now) {
        redrawPlots();
        writeLink();
        if (playing.recording)
            playing.recording();
        playing.recording = null;
        return;
    }
    if (clock.time >= data.to)
        setTime(data.from);
    playing.last = performance.now();
    requestAnimationFrame(advance);
}

function advance(now) {
    if (!playing.now)
        return;
    const time = clock.time + Math.max(now - playing.last, 0) / 1000 * playing.speed;
    playing.last = now;
    setTime(time);
    if (time >= data.to)
        setPlaying(false);
    else
        requestAnimationFrame(advance);
}

function saveStage(save) {
    save(drawAnimation, $("stage").clientWidth, $("stage").clientHeight, "animation");
}

// From the beginning, or from here, to the end or until Pause.
function saveVideo() {
    setPlaying(false);
    playing.recording = recordVideo($("stage"), "animation");
    setPlaying(true);
}

// What moves or shows points is worth seeing in the middle of things: points when all are there, shapes before the second
// change of structure, shortly: a stone is still in its sling.
function worthSeeing() {
    if (!data.shapes.length)
        return data.to;
    const changed = data.events.filter(event => event.structural && event.time > data.from).map(event => event.time);
    if (changed.length < 2)
        return changed.length ? changed[0] : data.from + 0.3 * (data.to - data.from);
    return changed[0] + 0.93 * (changed[1] - changed[0]);
}

function remarkOnAnimation() {
    const count = data.shapes.length + data.points.dots;
    const some = data.shapes_total > count ? `, the first of ${data.shapes_total}` : "";
    $("animation-remark").textContent = data.shapes.length
        ? `${data.frames.length} frames of ${count} shapes${some}; between frames positions are interpolated.`
        : `${count} points${some}, each drawn at up to ${data.points.moments.length / 2} moments: ${data.points.x.length} places in all.`;
}

function showAnimation() {
    if (!data.shapes.length && !data.points.x.length)
        return;
    $("animation").hidden = false;
    prepareShapes();
    $("stage").classList.toggle("tall", !data.shapes.length);
    $("trails").parentElement.hidden = !data.shapes.length;
    const length = data.to - data.from;
    offerSpeeds($("speed"), length > 60 || length < 1 ? length / 10 : 1);
    playing.speed = +$("speed").value;
    $("scrub").min = data.from;
    $("scrub").max = data.to;
    $("play").addEventListener("click", () => setPlaying(!playing.now));
    $("scrub").addEventListener("input", () => { setPlaying(false); setTime(+$("scrub").value); });
    $("scrub").addEventListener("change", writeLink);
    $("speed").addEventListener("change", () => { playing.speed = +$("speed").value; });
    $("trails").addEventListener("change", drawStage);
    $("near").addEventListener("change", () => { drawStage(); writeLink(); });
    $("stage-png").addEventListener("click", () => saveStage(savePng));
    $("stage-svg").addEventListener("click", () => saveStage(saveSvg));
    pictures.arrived = drawStage;
    $("stage-video").hidden = !canRecord();
    $("stage-video").addEventListener("click", saveVideo);
    remarkOnAnimation();
}

// ---- the link ----

function writeLink() {
    const hidden = data.curves.filter(curve => curve.hidden).map(curve => curve.path).join(" ");
    const whole = span.from === data.from && span.to === data.to;
    link.write({t: clock.time, from: whole ? "" : span.from, to: whole ? "" : span.to, hide: hidden,
                view: views && views.far ? ($("near").checked ? "near" : "whole") : ""});
}

function readLink() {
    const parts = link.read(), hidden = (parts.hide || "").split(" ");
    data.curves.forEach(curve => { curve.hidden = hidden.includes(curve.path); });
    if (Number.isFinite(+parts.from) && +parts.to > +parts.from)
        Object.assign(span, {from: Math.max(data.from, +parts.from), to: Math.min(data.to, +parts.to)});
    if (parts.view && views)
        $("near").checked = parts.view === "near";
    return parts.t !== undefined && Number.isFinite(+parts.t) ? +parts.t : worthSeeing();
}

// ---- all of it ----

function redrawAll() {
    showPlots();
    strips.forEach(redraw => redraw());
    drawPairPlot();
    if (!$("animation").hidden)
        drawStage();
}

function resizeAll() {
    resizePlots();
    strips.forEach(redraw => redraw());
    drawPairPlot();
    if (!$("animation").hidden)
        drawStage();
}

showHead();
showAnimation();
const opening = readLink();
showPlots();
remarkOnPlots();
offerPairs();
showModes(data);
showEvents(data, stats, setTime);
showTexts();
$("unzoom").addEventListener("click", wholeTime);
$("marks").addEventListener("change", redrawPlots);
$("plots-png").addEventListener("click", () => savePlots(savePng));
$("plots-svg").addEventListener("click", () => savePlots(saveSvg));
clock.listeners.push($("animation").hidden ? () => { redrawPlots(); showLegends(); } : showMoment);
setTime(opening);
listenToKeys({
    toggle: () => { if (!$("animation").hidden) setPlaying(!playing.now); },
    step: direction => { setPlaying(false); setTime(clock.time + direction * (span.to - span.from) / 200); writeLink(); },
    zoom
});
darkMode.addEventListener("change", redrawAll);
window.addEventListener("resize", resizeAll);

})();
