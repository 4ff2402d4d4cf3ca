// report_modes.js: which branch each `if` had chosen when -> strips over time.
"use strict";

const GONE = 0, ELSE = 1, THEN = 2; // ResultChoice
const CHOICES = ["–", "no", "yes"];  // whether the condition held

// What the model calls a branch; where it says nothing, whether the condition held.
const choiceName = (branch, choice) => (choice === THEN && branch.then) || (choice === ELSE && branch.else) || CHOICES[choice];

// A condition without the path of its component, which stands beside it anyway.
function within(path, condition) {
    const place = path.replace(/#\d+$/, ""); // a later instance born there
    return place ? condition.split(place + ".").join("") : condition;
}

// Spans of one `if`: [{from, to, choice}], from the changes, which are triples of numbers.
function spansOf(data, number) {
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
function stateSpans(data) {
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

const strips = []; // each draws itself

function addStrip(data, name, condition, draw, className) {
    const label = element("div", name, "name");
    if (condition)
        label.append(" ", element("span", condition, "condition"));
    const canvas = element("canvas", undefined, className || "strip");
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `${name} ${condition}`);
    $("strips").append(label, canvas);
    const redraw = () => {
        const {context, width, height} = prepareCanvas(canvas);
        const x = time => (time - data.from) / (data.to - data.from || 1) * width;
        draw(context, x, height, width);
    };
    strips.push(redraw);
    redraw();
}

function drawSpan(context, x, span, height, colour, text) {
    const left = x(span.from), right = Math.max(x(span.to), left + 1);
    context.fillStyle = colour;
    context.fillRect(left, 1, right - left, height - 2);
    context.font = `12px ${FONT}`;
    if (!text || context.measureText(text).width + 6 > right - left)
        return;
    context.fillStyle = colour === css("--then") ? css("--paper") : css("--ink");
    context.fillText(text, left + 4, height - 5);
}

function drawTimeAxis(data, context, x, height, width) {
    context.fillStyle = css("--faint");
    context.font = `12px ${FONT}`;
    roundTicks(data.from, data.to, width / 110).forEach(time => {
        const text = short(time), room = context.measureText(text).width;
        context.fillText(text, Math.min(Math.max(x(time) - room / 2, 0), width - room), height - 5);
    });
}

// `if initial()` says something at the start alone.
const isOfStart = branch => /^(not )?initial\(\)$/.test(within(branch.path, branch.condition));

function showModes(data) {
    strips.splice(0);
    $("strips").replaceChildren();
    const states = stateSpans(data);
    addStrip(data, "number of states", "", (context, x, height) => states.forEach((span, i) =>
        drawSpan(context, x, span, height, css(i % 2 ? "--else" : "--line"), String(span.count))));
    const left = [], starts = data.ifs.filter(isOfStart).length;
    data.ifs.forEach((branch, number) => {
        if (isOfStart(branch))
            return;
        const spans = spansOf(data, number).filter(span => span.choice !== GONE);
        addStrip(data, branch.path || "top model", within(branch.path, branch.condition), (context, x, height) =>
            spans.forEach(span => drawSpan(context, x, span, height,
                css(span.choice === THEN ? "--then" : "--else"),
                choiceName(branch, span.choice))));
    });
    addStrip(data, "time", "", (...to) => drawTimeAxis(data, ...to), "axis");
    if (starts)
        left.push(`Those that ask for the start alone, ${starts}, are left out.`);
    if (data.ifs_total > data.ifs.length)
        left.push(`${data.ifs.length} of ${data.ifs_total} conditions are shown.`);
    if (data.changes_total * 3 > data.changes.length)
        left.push(`Only the first ${data.changes.length / 3} of ${data.changes_total} changes are shown.`);
    $("modes-remark").textContent = (data.ifs.length
        ? "Each line is an if: its branch by name, or whether its condition held; nothing while it did not exist. "
        : "The model has no if. ") + left.join(" ");
}
