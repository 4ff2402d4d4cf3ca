// stage.js: shapes at a moment -> a drawing with ground, grid and scale; points of all moments -> one picture.
//
// A scene is what both pages give: {times, each(frame, part, draw), points}. each() calls draw(key, look, place) for every
// shape that is there, `part` of the way to the next frame; a look has kind, width, colour, fill, text, size and source.
"use strict";

const SHAPE_COLOURS = {
    black: ["#1b1f24", "#e4e8ee"], grey: ["#6b7684", "#9aa5b3"], white: ["#ffffff", "#ffffff"],
    red: ["#c0392b", "#f07167"], orange: ["#d55e00", "#ff9a4d"], yellow: ["#e9c46a", "#f0d080"],
    green: ["#0a8f66", "#2fc296"], blue: ["#0072b2", "#56b4e9"], purple: ["#8e5aa8", "#c79be0"],
    brown: ["#8d6237", "#c2935f"]
};

function shapeColour(name, otherwise) {
    const pair = Object.hasOwn(SHAPE_COLOURS, name || "") ? SHAPE_COLOURS[name] : null;
    if (pair)
        return pair[darkMode.matches ? 1 : 0];
    return /^#[0-9a-fA-F]{6}$/.test(name || "") ? name : otherwise;
}

// Pictures that the model brings along as texts "data:image/..": none is asked for anywhere else. They are there a moment later.
const pictures = {
    known: new Map(), arrived: () => {},
    of(source) {
        if (!/^data:image\/(png|jpeg|gif|webp|svg\+xml)[;,]/.test(source || ""))
            return null;
        if (!this.known.has(source)) {
            const picture = new Image();
            picture.onload = () => this.arrived();
            picture.src = source;
            this.known.set(source, picture);
        }
        const picture = this.known.get(source);
        return picture.complete && picture.width > 0 ? picture : null;
    }
};

// From red through yellow to blue, readable on light and dark: part 0 to 1.
const SCALE = [[200, 35, 40], [238, 120, 45], [224, 186, 60], [70, 170, 150], [45, 110, 190]];
function scaleColour(part) {
    const at = Math.min(Math.max(part, 0), 1) * (SCALE.length - 1), i = Math.min(Math.floor(at), SCALE.length - 2);
    const mix = SCALE[i].map((from, j) => Math.round(from + (at - i) * (SCALE[i + 1][j] - from)));
    return `rgb(${mix.join(",")})`;
}

const extent = box => Math.max(box.right - box.left, box.top - box.bottom);
const emptyBox = () => ({left: Infinity, right: -Infinity, bottom: Infinity, top: -Infinity});
const isEmpty = box => !(box.left <= box.right && box.bottom <= box.top);

function growBox(box, x, y) {
    if (x === null || y === null || Number.isNaN(x) || Number.isNaN(y))
        return;
    box.left = Math.min(box.left, x);
    box.right = Math.max(box.right, x);
    box.bottom = Math.min(box.bottom, y);
    box.top = Math.max(box.top, y);
}

// How far shapes went: of each a rectangle, and so a view of all of them, and one without those that go
// much further than most do.
class Reach {
    constructor() {
        this.boxes = new Map();
        this.ground = null;
    }
    meet(key, look, place) {
        if (look.kind === "ground") {
            this.ground = place[0];
            return;
        }
        if (!this.boxes.has(key))
            this.boxes.set(key, emptyBox());
        const box = this.boxes.get(key);
        growBox(box, place[0], place[1]);
        if (place.length === 4)
            growBox(box, place[2], place[3]);
        if (look.kind === "image") { // as if it were a square
            const [x, y, dx, dy] = place;
            growBox(box, x - (dy - y), y + (dx - x));
            growBox(box, dx - (dy - y), dy + (dx - x));
        }
    }
    around(boxes) {
        const all = emptyBox();
        boxes.forEach(box => { growBox(all, box.left, box.bottom); growBox(all, box.right, box.top); });
        if (isEmpty(all))
            return {left: 0, right: 1, bottom: 0, top: 1};
        if (this.ground !== null)
            all.bottom = Math.min(all.bottom, this.ground);
        return all;
    }
    views() {
        const boxes = [...this.boxes.values()].filter(box => !isEmpty(box));
        const sorted = boxes.map(extent).sort((a, b) => a - b), usual = sorted[sorted.length >> 1] || 0;
        const whole = this.around(boxes);
        const near = this.around(boxes.filter(box => extent(box) <= 4 * usual));
        return {whole, near, far: extent(whole) > 2.5 * extent(near)};
    }
}

// Place on the screen of what lies in `box`, as large as it fits.
function fit(box, width, height) {
    const margin = 0.06 * Math.min(width, height) + 12;
    const wide = box.right - box.left || 1e-9, high = box.top - box.bottom || 1e-9;
    let scale = Math.min((width - 2 * margin) / wide, (height - 2 * margin) / high);
    if (!(scale > 0) || !Number.isFinite(scale))
        scale = 1;
    return {
        scale, width, height,
        x: value => width / 2 + (value - (box.left + box.right) / 2) * scale,
        y: value => height / 2 - (value - (box.bottom + box.top) / 2) * scale,
        left: (box.left + box.right) / 2 - width / 2 / scale, right: (box.left + box.right) / 2 + width / 2 / scale,
        bottom: (box.bottom + box.top) / 2 - height / 2 / scale, top: (box.bottom + box.top) / 2 + height / 2 / scale
    };
}

function drawGrid(pen, view) {
    const step = roundStep(90 / view.scale), line = {stroke: css("--grid"), width: 1};
    const words = {fill: css("--faint"), size: 11};
    for (let i = Math.ceil(view.left / step); i * step < view.right; i++) {
        const x = Math.round(view.x(i * step)) + 0.5;
        pen.path([[x, 0], [x, view.height]], line);
        if (x > 24 && x < view.width - 24)
            pen.text(x, view.height - 5, short(i * step, 6), {...words, align: "center"});
    }
    for (let i = Math.ceil(view.bottom / step); i * step < view.top; i++) {
        const y = Math.round(view.y(i * step)) + 0.5;
        pen.path([[0, y], [view.width, y]], line);
        if (y > 14 && y < view.height - 20)
            pen.text(5, y - 3, short(i * step, 6), words);
    }
}

function drawGround(pen, view, height) {
    const y = view.y(height);
    if (y > view.height)
        return;
    const top = Math.max(y, 0);
    pen.rectangle(0, top, view.width, view.height - top, {fill: css("--ground")});
    pen.path([[0, y], [view.width, y]], {stroke: css("--faint"), width: 1.5});
    pen.within(0, y, view.width, 12, () => {
        for (let x = -12; x < view.width; x += 14)
            pen.path([[x, y + 12], [x + 12, y]], {stroke: css("--faint"), width: 1, alpha: 0.5});
    });
}

// A bar of a round length.
function drawScale(pen, view, unit) {
    const length = roundStep(70 / view.scale), wide = length * view.scale, right = view.width - 14, y = 20;
    const look = {stroke: css("--ink"), width: 2};
    pen.path([[right - wide, y - 4], [right - wide, y], [right, y], [right, y - 4]], look);
    pen.text(right - wide / 2, y + 15, `${short(length, 6)}${unit ? " " + unit : ""}`,
             {fill: css("--ink"), size: 12, align: "center"});
}

function drawShape(pen, view, look, place) {
    const x = view.x(place[0]), y = view.y(place[1]), own = shapeColour(look.colour, css("--shape"));
    if (look.kind === "text") {
        pen.text(x, y, look.text || "", {fill: own, size: Math.max((look.size || 1) * view.scale, 9)});
        return;
    }
    if (look.kind === "point") {
        pen.ellipse(x, y, 3, 3, {fill: css("--trail")});
        return;
    }
    const dx = view.x(place[2]), dy = view.y(place[3]);
    if (look.kind === "image") {
        const picture = pictures.of(look.source);
        if (picture)
            pen.image(picture, x, y, dx, dy);
        return;
    }
    const width = look.width > 0 ? Math.max(look.width * view.scale, 1.5) : 2;
    if (look.kind === "line") {
        if (width > 4) // a beam has an edge
            pen.path([[x, y], [dx, dy]], {stroke: css("--edge"), width: width + 2, round: true});
        pen.path([[x, y], [dx, dy]], {stroke: own, width, round: true});
        return;
    }
    const wide = Math.max(Math.abs(dx - x), 3), high = Math.max(Math.abs(dy - y), 3);
    const middle = [(x + dx) / 2, (y + dy) / 2];
    const inside = {fill: shapeColour(look.fill, own), stroke: look.colour ? own : css("--edge"),
                    width: look.width > 0 ? width : 1.5};
    if (look.kind === "rectangle")
        pen.rectangle(middle[0] - wide / 2, middle[1] - high / 2, wide, high, inside);
    else
        pen.ellipse(middle[0], middle[1], wide / 2, high / 2, inside);
}

// The way of every ellipse's middle, paler the longer ago. Without ellipses, that of lines' far ends.
function drawTrails(pen, view, scene, frame, most) {
    const ways = new Map(), first = Math.max(0, frame - most);
    for (let i = first; i <= frame; i++) {
        const seen = new Set();
        scene.each(i, 0, (key, look, place) => {
            if (look.kind !== "ellipse" && look.kind !== "line")
                return;
            if (!ways.has(key))
                ways.set(key, {kind: look.kind, points: []});
            const way = ways.get(key), line = look.kind === "line";
            way.points.push([view.x(line ? place[2] : (place[0] + place[2]) / 2),
                             view.y(line ? place[3] : (place[1] + place[3]) / 2)]);
            seen.add(key);
        });
        ways.forEach((way, key) => { if (!seen.has(key)) way.points.push(null); });
    }
    const all = [...ways.values()], kind = all.some(way => way.kind === "ellipse") ? "ellipse" : "line";
    const pieces = 8;
    all.filter(way => way.kind === kind).forEach(way => {
        const size = Math.ceil(way.points.length / pieces);
        for (let i = 0; i < pieces && i * size < way.points.length; i++)
            pen.path(way.points.slice(i * size, (i + 1) * size + 1),
                     {stroke: css("--trail"), width: 1.5, alpha: 0.15 + 0.75 * (i + 1) / pieces});
    });
}

// options: {box, trails (how many frames; 0: none)}
function drawScene(pen, width, height, scene, frame, part, options) {
    const view = fit(options.box, width, height);
    pen.rectangle(0, 0, width, height, {fill: css("--sky")});
    drawGrid(pen, view);
    let unit = "";
    scene.each(frame, part, (key, look, place) => {
        if (look.kind !== "ground")
            return;
        drawGround(pen, view, place[0]);
        unit = look.unit;
    });
    if (options.trails)
        drawTrails(pen, view, scene, frame, options.trails);
    scene.each(frame, part, (key, look, place) => {
        if (look.kind !== "ground")
            drawShape(pen, view, look, place);
    });
    drawScale(pen, view, unit);
}

// ---- points of all moments ----

// picture: {x, y, value (or none), count, axes}, of which the first `count` are drawn; unit lengths differ, so each axis
// has a scale of its own.
function drawPoints(pen, width, height, picture) {
    const {x, y, value, count} = picture, box = emptyBox();
    const [acrossName, upName, valueName] = (picture.axes || "").split("|").map(name => name.trim());
    let low = Infinity, high = -Infinity;
    for (let i = 0; i < x.length; i++) {
        growBox(box, x[i], y[i]);
        if (value) {
            low = Math.min(low, value[i]);
            high = Math.max(high, value[i]);
        }
    }
    if (isEmpty(box))
        return;
    if (low > 0 && low < 0.6 * high) // a scale that could begin at 0 does
        low = 0;
    const head = upName || (value && valueName) ? 20 : 0;
    const frame = {left: 54, top: 12 + head, width: width - 54 - (value ? 76 : 14), height: height - 56 - head};
    const across = a => frame.left + (a - box.left) / (box.right - box.left || 1) * frame.width;
    const up = b => frame.top + frame.height - (b - box.bottom) / (box.top - box.bottom || 1) * frame.height;
    const faint = {fill: css("--faint"), size: 12}, line = {stroke: css("--grid"), width: 1};
    pen.rectangle(frame.left, frame.top, frame.width, frame.height, {fill: css("--sky")});
    roundTicks(box.left, box.right, frame.width / 110).forEach(tick => {
        pen.path([[across(tick), frame.top], [across(tick), frame.top + frame.height]], line);
        pen.text(across(tick), frame.top + frame.height + 17, short(tick), {...faint, align: "center"});
    });
    roundTicks(box.bottom, box.top, frame.height / 60).forEach(tick => {
        pen.path([[frame.left, up(tick)], [frame.left + frame.width, up(tick)]], line);
        pen.text(frame.left - 7, up(tick) + 4, short(tick), {...faint, align: "right"});
    });
    pen.text(frame.left + frame.width / 2, height - 8, acrossName || "x", {...faint, align: "center"});
    if (upName)
        pen.text(frame.left - 7, frame.top - 8, `↑ ${upName}`, faint);
    const size = Math.min(Math.max(Math.sqrt(frame.width * frame.height / (count + 1)) / 2, 1.5), 4);
    const colours = Array.from({length: 33}, (_, i) => scaleColour(i / 32)), plain = css("--shape");
    for (let i = 0; i < count; i++)
        pen.rectangle(across(x[i]) - size / 2, up(y[i]) - size / 2, size, size,
                      {fill: value ? colours[Math.round(32 * (value[i] - low) / (high - low || 1))] || plain : plain});
    if (value)
        drawColourBar(pen, width - 62, frame.top, 14, Math.min(frame.height, 220), low, high, valueName);
}

function drawColourBar(pen, x, y, width, height, low, high, name) {
    for (let i = 0; i < height; i += 2)
        pen.rectangle(x, y + i, width, 2.5, {fill: scaleColour(1 - i / height)});
    roundTicks(low, high, 5).forEach(tick =>
        pen.text(x + width + 5, y + height * (1 - (tick - low) / (high - low || 1)) + 4, short(tick),
                 {fill: css("--faint"), size: 12}));
    if (name)
        pen.text(x + 56, y - 8, name, {fill: css("--faint"), size: 12, align: "right"});
}
