// shared.js: what the pages of `report` and `serve` have in common: elements, colours, numbers, canvases, keys.
"use strict";

// Told apart also by people who see few colours (Okabe and Ito), brightened for dark pages.
const LIGHT = ["#0072b2", "#d55e00", "#009e73", "#b8468a", "#3b8fc4", "#9a6a00"];
const DARK = ["#56b4e9", "#ff9a4d", "#2fc296", "#e59ac4", "#8ecbff", "#f0c060"];

const $ = id => document.getElementById(id);
const darkMode = window.matchMedia("(prefers-color-scheme: dark)");
const cssValues = new Map(); // asked for at every stroke
darkMode.addEventListener("change", () => cssValues.clear());
function css(name) {
    if (!cssValues.has(name))
        cssValues.set(name, getComputedStyle(document.documentElement).getPropertyValue(name).trim());
    return cssValues.get(name);
}
const short = (x, digits) => Number(x.toPrecision(digits || 7)).toString();
const palette = () => darkMode.matches ? DARK : LIGHT;
const FONT = "system-ui, sans-serif";

function element(tag, text, className) {
    const made = document.createElement(tag);
    if (text !== undefined)
        made.textContent = text;
    if (className)
        made.className = className;
    return made;
}

// A text that is set again is laid out and painted again, even if it is the same.
function showText(element, text) {
    if (element.textContent !== text)
        element.textContent = text;
}

// "cars[9]" before "cars[10]".
const byNumber = new Intl.Collator("en", {numeric: true});

// What draws -> what asks for it: in the next frame of the screen, once, however often it is asked for.
function inNextFrame(draw) {
    let asked = false;
    return () => {
        if (!asked)
            requestAnimationFrame(() => { asked = false; draw(); });
        asked = true;
    };
}

// 1, 2 or 5 times a power of ten, at least so large.
function roundStep(least) {
    const power = 10 ** Math.floor(Math.log10(least));
    return [1, 2, 5, 10].map(factor => factor * power).find(step => step >= least * (1 - 1e-9)) || 10 * power;
}

// Round numbers from `low` to `high`, about `count` of them.
function roundTicks(low, high, count) {
    if (!(high > low))
        return [low];
    const step = roundStep((high - low) / Math.max(count, 1)), ticks = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++)
        ticks.push(+(i * step).toPrecision(12));
    return ticks;
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

// The last index of an ascending list whose value is not behind `wanted`; 0 when all are.
function indexAt(list, wanted) {
    let low = 0, high = list.length - 1;
    while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (list[middle] <= wanted)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

// Speeds from very slow to very fast around one that suits the run.
function offerSpeeds(select, natural) {
    [0.1, 0.25, 0.5, 1, 2, 5, 10].forEach(factor => {
        const speed = +(factor * natural).toPrecision(3), option = element("option", `${speed}×`);
        option.value = speed;
        option.selected = factor === 1;
        select.append(option);
    });
}

// Space runs and stops, arrows go back and forth, + and - zoom; not where something is typed or chosen.
function listenToKeys(actions) {
    const does = {" ": () => actions.toggle(), "ArrowLeft": () => actions.step(-1), "ArrowRight": () => actions.step(1),
                  "+": () => actions.zoom(0.5), "=": () => actions.zoom(0.5), "-": () => actions.zoom(2)};
    document.addEventListener("keydown", event => {
        const target = event.target;
        if (!does[event.key] || event.ctrlKey || event.metaKey || event.altKey || target.isContentEditable ||
            /^(TEXTAREA|SELECT)$/.test(target.tagName) ||
            (target.tagName === "INPUT" && !(target.type === "checkbox" && event.key !== " ")) ||
            (event.key === " " && /^(BUTTON|SUMMARY|A)$/.test(target.tagName)))
            return;
        event.preventDefault();
        does[event.key]();
    });
}

// What is seen, in the address behind "#": {time: "1.5", ..}.
const link = {
    read: () => Object.fromEntries(new URLSearchParams(location.hash.slice(1))),
    write(parts) {
        const text = "#" + new URLSearchParams(Object.entries(parts).filter(pair => pair[1] !== "")).toString();
        try {
            history.replaceState(null, "", text);
        } catch (refused) {
            location.replace(text);
        }
    }
};
