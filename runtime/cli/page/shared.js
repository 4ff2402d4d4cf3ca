// shared.js: what the pages of `report` and `serve` have in common: elements, colours, axes.
"use strict";

const LIGHT = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00"];
const DARK = ["#56b4e9", "#e69f00", "#2fc296", "#e59ac4", "#8ecbff", "#f0c060"];
const CURVES_PER_CHART = 6;

const $ = id => document.getElementById(id);
const darkMode = window.matchMedia("(prefers-color-scheme: dark)");
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const short = x => Number(x.toPrecision(7)).toString();
const palette = () => darkMode.matches ? DARK : LIGHT;

function element(tag, text, className) {
    const made = document.createElement(tag);
    if (text !== undefined)
        made.textContent = text;
    if (className)
        made.className = className;
    return made;
}

// Curves of one component belong together: [{name, curves}], each curve with a path.
function groupCurves(curves) {
    const groups = new Map();
    curves.forEach(curve => {
        const dot = curve.path.indexOf(".");
        const key = dot < 0 ? "" : curve.path.slice(0, dot);
        if (!groups.has(key))
            groups.set(key, []);
        groups.get(key).push(curve);
    });
    const charts = [];
    groups.forEach((list, key) => {
        for (let i = 0; i < list.length; i += CURVES_PER_CHART)
            charts.push({name: key || "top model", curves: list.slice(i, i + CURVES_PER_CHART)});
    });
    return charts;
}

function axes() {
    const axis = {stroke: css("--ink"), grid: {stroke: css("--line"), width: 1},
                  ticks: {stroke: css("--line"), width: 1}};
    return [{...axis}, {...axis, size: 70}];
}

function seriesOf(curves) {
    const colours = palette();
    return [{label: "time", value: (u, x) => x == null ? "" : short(x)}].concat(
        curves.map((curve, i) => ({
            label: curve.unit ? `${curve.path} [${curve.unit}]` : curve.path, stroke: colours[i % colours.length], width: 1.5,
            points: {show: false}, value: (u, y) => y == null ? "" : short(y)
        })));
}
