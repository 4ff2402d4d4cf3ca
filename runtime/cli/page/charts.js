// charts.js: curves -> plots grouped by what they measure; thin enough for the screen at every zoom.
// A curve is {path, unit, steps, t, y}: ascending times, null in y where it does not exist.
"use strict";

const CURVES_PER_CHART = 6, CHART_HEIGHT = 240;

const QUANTITIES = {
    "V": "Voltage", "A": "Current", "Ohm": "Resistance", "F": "Capacitance", "H": "Inductance", "W": "Power", "J": "Energy",
    "m": "Place", "m/s": "Speed", "m/s2": "Acceleration", "rad": "Angle", "rad/s": "Angular velocity",
    "rad/s2": "Angular acceleration", "N": "Force", "N.m": "Torque", "kg": "Mass", "s": "Time", "K": "Temperature",
    "Pa": "Pressure", "Hz": "Frequency", "C": "Charge", "Wb": "Flux", "m3": "Volume", "kg/s": "Mass flow", "mol": "Amount"
};

const lastName = path => path.slice(path.lastIndexOf(".") + 1).replace(/[#[].*$/, "");

// What is measured alike belongs into one plot: by unit; without one, by the variable's own name.
// Truth values and counts are steps and have a plot of their own.
function quantityOf(curve) {
    if (curve.unit)
        return {key: `unit ${curve.unit}`, name: `${QUANTITIES[curve.unit] || lastName(curve.path)} [${curve.unit}]`};
    if (curve.steps)
        return {key: "steps", name: "Modes and counts"};
    return {key: `name ${lastName(curve.path)}`, name: lastName(curve.path)};
}

function sizeOf(curve) {
    let most = 0;
    for (const y of curve.y)
        if (y !== null && Math.abs(y) > most)
            most = Math.abs(y);
    return most;
}

// Those of like size together: one that is thirty times smaller would be a flat line.
function splitBySize(curves) {
    const sorted = curves.map(curve => ({curve, size: sizeOf(curve)})).sort((a, b) => b.size - a.size), groups = [];
    sorted.forEach(({curve, size}) => {
        const group = groups.find(one => one.size <= 30 * size || size === 0);
        if (group)
            group.curves.push(curve);
        else
            groups.push({size, curves: [curve]});
    });
    groups.forEach(group => group.curves.sort((a, b) => curves.indexOf(a) - curves.indexOf(b)));
    return groups.map(group => group.curves);
}

const pieces = (list, size) => Array.from({length: Math.ceil(list.length / size)}, (_, i) => list.slice(i * size, (i + 1) * size));

// Members of an array, or what was born at one place one after the other: "cars[3].x", "last.car.x#3".
const familyOf = path => path.replace(/\[\d+\]/g, "[…]").replace(/#\d+/g, "");

// More alike than one plot has room for, by family; and the others.
function takeFamilies(curves) {
    const families = new Map();
    curves.forEach(curve => families.set(familyOf(curve.path), [...families.get(familyOf(curve.path)) || [], curve]));
    const large = [...families].filter(([, list]) => list.length > CURVES_PER_CHART);
    const taken = new Set(large.flatMap(([, list]) => list));
    return {large, others: curves.filter(curve => !taken.has(curve))};
}

// [{name, curves, family}]; a family, if there is one, has the colours of a scale and no legend.
function groupCurves(curves) {
    const groups = new Map(), charts = [];
    curves.forEach(curve => {
        const {key, name} = quantityOf(curve);
        if (!groups.has(key))
            groups.set(key, {name, curves: []});
        groups.get(key).curves.push(curve);
    });
    groups.forEach(group => {
        const {large, others} = takeFamilies(group.curves);
        large.forEach(([family, list]) => charts.push({name: `${group.name}: ${family}`, curves: list, family}));
        const lists = splitBySize(others).flatMap(list => pieces(list, CURVES_PER_CHART));
        lists.forEach((list, i) => charts.push({name: lists.length > 1 ? `${group.name}, ${i + 1} of ${lists.length}` : group.name,
                                                curves: list}));
    });
    return joinLonely(charts);
}

// Plots of one curve without a unit would be many small ones: up to three of like size share one.
function joinLonely(charts) {
    const result = [], open = [];
    charts.forEach(chart => {
        const curve = chart.curves[0], lonely = chart.curves.length === 1 && !curve.unit && !curve.steps;
        const size = lonely ? sizeOf(curve) : 0;
        const host = lonely && open.find(one => one.chart.curves.length < 3 && size <= 8 * one.size && one.size <= 8 * size);
        if (host) {
            host.chart.curves.push(curve);
            host.chart.name += `, ${chart.name}`;
            return;
        }
        result.push(chart);
        if (lonely)
            open.push({chart, size});
    });
    return result;
}

// The value at a time, between two points on the line between them, at an event the one behind it.
function valueAt(curve, time) {
    const {t, y} = curve;
    if (!t.length || time < t[0])
        return null;
    let i = indexAt(t, time);
    while (i + 1 < t.length && t[i + 1] - time <= 1e-11 * Math.abs(time) + 1e-290) // of points of one time the last
        i++;
    const a = y[i], b = i + 1 < t.length ? y[i + 1] : null;
    if (a === null || b === null || curve.steps || !(t[i + 1] > t[i]))
        return a;
    return a + (time - t[i]) / (t[i + 1] - t[i]) * (b - a);
}

// At an event there are two points of the same time. Plots want times that ascend, so the second is
// moved to the next number a double can hold.
const after = time => time + Math.max(Math.abs(time), 1e-300) * 2 * Number.EPSILON;

// A curve from `from` to `to`: all of its points, or of each of `bins` intervals the first, lowest, highest and last.
function thinned(curve, from, to, bins) {
    const {t, y} = curve, start = Math.max(indexAt(t, from) - 1, 0);
    const end = Math.min(indexAt(t, to) + 2, t.length), times = [], values = [];
    const push = i => {
        const last = times.length ? times[times.length - 1] : -Infinity;
        times.push(t[i] > last ? t[i] : after(last));
        values.push(y[i]);
    };
    if (end - start <= 4 * bins) {
        for (let i = start; i < end; i++)
            push(i);
        return [times, values];
    }
    for (let bin = 0; bin < bins; bin++) {
        const first = start + Math.floor(bin * (end - start) / bins);
        const last = start + Math.floor((bin + 1) * (end - start) / bins) - 1, kept = new Set([first, last]);
        let low = first, high = first;
        for (let i = first; i <= last; i++) {
            if (y[i] === null)
                kept.add(i);
            else if (y[i] < y[low] || y[low] === null)
                low = i;
            else if (y[i] > y[high] || y[high] === null)
                high = i;
        }
        [...kept.add(low).add(high)].sort((a, b) => a - b).forEach(push);
    }
    return [times, values];
}

function tableOf(curves, from, to, bins) {
    const tables = curves.map(curve => thinned(curve, from, to, bins));
    return tables.length > 1 ? uPlot.join(tables) : tables[0];
}

// Of two colours for the same curve, none: hidden curves keep their place in the palette.
const colourOf = i => palette()[i % palette().length];
const colourIn = (chart, i) => chart.family ? scaleColour(i / (chart.curves.length - 1)) : colourOf(i);

function axes() {
    const axis = {stroke: css("--ink"), grid: {stroke: css("--grid"), width: 1}, ticks: {stroke: css("--grid"), width: 1},
                  font: `12px ${FONT}`};
    return [{...axis, size: 34}, {...axis, size: 62}];
}

// ---- lines that are drawn quickly ----

const WIDTH = 1.8; // of a curve

// Points in pixels -> a line, of each column of pixels no more than where it comes in, its lowest and highest place and where it goes out.
class ColumnLine {
    constructor(steps) {
        this.path = new Path2D();
        this.steps = steps;
        this.column = NaN; // of the last point; NaN: there is none, or a gap
    }
    point(x, y) {
        const column = Math.round(x), open = this.column === this.column;
        if (column === this.column) {
            this.low = Math.min(this.low, y);
            this.high = Math.max(this.high, y);
        } else {
            this.leave();
            if (open && this.steps)
                this.path.lineTo(x, this.last);
            if (open)
                this.path.lineTo(x, y);
            else
                this.path.moveTo(x, y);
            this.column = column;
            this.first = this.low = this.high = y;
        }
        this.last = y;
        this.x = x;
    }
    leave() {
        if (this.column !== this.column)
            return;
        if (this.low < Math.min(this.first, this.last))
            this.path.lineTo(this.x, this.low);
        if (this.high > Math.max(this.first, this.last))
            this.path.lineTo(this.x, this.high);
        if (this.high - this.low > 0.5)
            this.path.lineTo(this.x, this.last);
    }
    gap() {
        this.leave();
        this.column = NaN;
    }
}

// Without a graphics processor a line of up to one pixel is drawn several times as fast as a wider one. So where pixels are large a curve is
// three such lines, side by side in every direction.
const fineLines = () => (window.devicePixelRatio || 1) <= 1;
const BESIDE = [0, 1, 2].map(i => 2 * Math.PI * i / 3)
    .map(angle => new DOMMatrix([1, 0, 0, 1, (WIDTH - 1) / 2 * Math.sin(angle), (WIDTH - 1) / 2 * Math.cos(angle)]));

const pathsOf = steps => (u, series, from, to) => {
    const [t, y] = [u.data[0], u.data[series]], line = new ColumnLine(steps), stroke = new Path2D();
    for (let i = from; i <= to; i++)
        if (y[i] === null)
            line.gap();
        else if (y[i] !== undefined) // a time of another curve
            line.point(u.valToPos(t[i], "x", true), u.valToPos(y[i], "y", true));
    line.leave();
    (fineLines() ? BESIDE : [new DOMMatrix()]).forEach(place => stroke.addPath(line.path, place));
    return {stroke, fill: null, clip: null, band: null, gaps: null, flags: 0};
};

// Without a pointer the legend shows the values at the present time.
function seriesOf(chart, present) {
    const now = (u, idx) => idx == null ? present() : u.data[0][idx];
    const text = x => x === null || x === undefined ? "–" : short(x, 6);
    return [{label: "time", value: (u, x, s, idx) => text(now(u, idx))}].concat(
        chart.curves.map((curve, i) => ({
            label: curve.path, stroke: colourIn(chart, i), width: fineLines() ? 1 : WIDTH, points: {show: false},
            paths: pathsOf(curve.steps),
            value: (u, y, s, idx) => text(valueAt(curve, now(u, idx)))
        })));
}

// What stands below a family's plot in place of a legend; who points at a curve is told which one it is.
function familyText(chart) {
    const [first, last] = [chart.curves[0], chart.curves[chart.curves.length - 1]];
    return `${chart.curves.length} curves, from ${first.path} (red) to ${last.path} (blue)`;
}

const familyNote = chart => element("p", `${familyText(chart)}; point at one to see which it is`, "remark family");

// For a family: the curve under the pointer stands out and has its name and value below.
function tellFamily(chart) {
    const tell = (u, i, change) => {
        if (!change || !("focus" in change))
            return;
        const curve = i ? chart.curves[i - 1] : null, note = u.root.parentElement.querySelector(".family");
        const time = u.cursor.idx == null ? null : u.data[0][u.cursor.idx], value = curve && time !== null ? valueAt(curve, time) : null;
        if (note)
            note.textContent = value === null ? familyNote(chart).textContent : `${curve.path} = ${short(value, 6)}${curve.unit ? ` ${curve.unit}` : ""} at ${short(time, 6)}`;
    };
    return chart.family ? {focus: {alpha: 0.25}, cursor: {focus: {prox: 30}}, tell} : {focus: {alpha: 1}, cursor: {}, tell: () => {}};
}

// Truth values go from 0 to 1 even if they do not change.
const rangeOf = chart => (u, low, high) =>
    chart.curves.every(curve => curve.steps) && low >= 0 && high <= 1 ? rangeWithRoom(u, 0, 1) : rangeWithRoom(u, low, high);

// Room above and below, and for a line that does not move, around it.
function rangeWithRoom(u, low, high) {
    if (low === null || high === null)
        return [0, 1];
    const room = high > low ? 0.06 * (high - low) : Math.max(0.1 * Math.abs(low), 1e-9);
    return [low - room, high + room];
}

// ---- a chart drawn with a pen, to be saved ----

function drawChart(pen, chart, place, from, to) {
    const shown = chart.curves.filter(curve => curve.t.length && !curve.hidden);
    const tables = shown.map(curve => thinned(curve, from, to, 1200));
    const values = tables.flatMap(([t, y]) => y.filter((one, i) => one !== null && t[i] >= from && t[i] <= to));
    const [low, high] = rangeWithRoom(null, values.length ? values.reduce((a, b) => Math.min(a, b)) : null,
                                      values.length ? values.reduce((a, b) => Math.max(a, b)) : null);
    const box = {left: place.x + 62, top: place.y + 28, width: place.width - 76, height: place.height - 88};
    const x = t => box.left + (t - from) / (to - from || 1) * box.width;
    const y = v => box.top + box.height - (v - low) / (high - low) * box.height;
    const line = {stroke: css("--grid"), width: 1}, words = {fill: css("--ink"), size: 12};
    pen.text(box.left, place.y + 18, chart.name, {...words, size: 14, bold: true});
    roundTicks(from, to, box.width / 90).forEach(tick => {
        pen.path([[x(tick), box.top], [x(tick), box.top + box.height]], line);
        pen.text(x(tick), box.top + box.height + 16, short(tick), {...words, align: "center"});
    });
    roundTicks(low, high, box.height / 40).forEach(tick => {
        pen.path([[box.left, y(tick)], [box.left + box.width, y(tick)]], line);
        pen.text(box.left - 6, y(tick) + 4, short(tick), {...words, align: "right"});
    });
    pen.within(box.left, box.top, box.width, box.height, () => shown.forEach((curve, i) => {
        const [t, v] = tables[i], points = [];
        t.forEach((time, j) => {
            if (curve.steps && j && v[j] !== null && v[j - 1] !== null)
                points.push([x(time), y(v[j - 1])]);
            points.push(v[j] === null ? null : [x(time), y(v[j])]);
        });
        pen.path(points, {stroke: colourIn(chart, chart.curves.indexOf(curve)), width: 1.8, round: true});
    }));
    if (chart.family) {
        pen.text(box.left, box.top + box.height + 39, familyText(chart), words);
        return;
    }
    let at = box.left;
    shown.forEach(curve => {
        pen.rectangle(at, box.top + box.height + 28, 12, 12, {fill: colourOf(chart.curves.indexOf(curve))});
        pen.text(at + 17, box.top + box.height + 39, curve.path, words);
        at += 34 + 7 * curve.path.length;
    });
}

function drawCharts(pen, charts, width, from, to) {
    charts.forEach((chart, i) => drawChart(pen, chart, {x: 0, y: i * 260 + 8, width, height: 260}, from, to));
}

// ---- one variable over another ----

function pairsOf(a, b, from, to) {
    const times = [...new Set([...a.t, ...b.t])].filter(t => t >= from && t <= to).sort((p, q) => p - q);
    return times.map(time => {
        const x = valueAt(a, time), y = valueAt(b, time);
        return x === null || y === null ? null : [x, y];
    });
}

function drawPairs(pen, width, height, a, b, span, now) {
    const pairs = pairsOf(a, b, span[0], span[1]), box = emptyBox();
    pairs.forEach(pair => { if (pair) growBox(box, pair[0], pair[1]); });
    if (isEmpty(box))
        return;
    const [left, right] = rangeWithRoom(null, box.left, box.right), [low, high] = rangeWithRoom(null, box.bottom, box.top);
    const frame = {left: 66, top: 12, width: width - 80, height: height - 60};
    const x = v => frame.left + (v - left) / (right - left) * frame.width;
    const y = v => frame.top + frame.height - (v - low) / (high - low) * frame.height;
    const line = {stroke: css("--grid"), width: 1}, words = {fill: css("--ink"), size: 12};
    roundTicks(left, right, frame.width / 90).forEach(tick => {
        pen.path([[x(tick), frame.top], [x(tick), frame.top + frame.height]], line);
        pen.text(x(tick), frame.top + frame.height + 16, short(tick), {...words, align: "center"});
    });
    roundTicks(low, high, frame.height / 45).forEach(tick => {
        pen.path([[frame.left, y(tick)], [frame.left + frame.width, y(tick)]], line);
        pen.text(frame.left - 6, y(tick) + 4, short(tick), {...words, align: "right"});
    });
    const label = curve => curve.unit ? `${curve.path} [${curve.unit}]` : curve.path;
    pen.text(frame.left + frame.width / 2, height - 8, `${label(b)} over ${label(a)}`, {...words, align: "center"});
    pen.path(pairs.map(pair => pair && [x(pair[0]), y(pair[1])]), {stroke: colourOf(0), width: 1.6, round: true});
    const here = [valueAt(a, now), valueAt(b, now)];
    if (here[0] !== null && here[1] !== null)
        pen.ellipse(x(here[0]), y(here[1]), 5, 5, {fill: css("--trail")});
}
