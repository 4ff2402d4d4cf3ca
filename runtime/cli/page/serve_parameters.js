// serve_parameters.js: parameters of the running model -> sliders and numbers.
"use strict";

const parameters = (() => {
    // As the model says by min and max; else from 0 to a round number of at least twice the value, so that the ends stay when
    // the value moves a little; what is 0 goes both ways, an angle by half a turn.
    function rangeOf({value, min, max, unit}) {
        const far = value === 0 ? (unit === "rad" ? Math.PI : 1) : roundStep(2 * Math.abs(value));
        const low = min !== undefined ? min : value > 0 ? 0 : -far, high = max !== undefined ? max : value < 0 ? 0 : far;
        return low < high ? [low, high] : min === undefined ? [high - far, high] : [low, low + far];
    }

    const ranges = new Map(); // path -> [low, high]: they stay while the value is inside
    function heldRange(parameter) {
        const before = ranges.get(parameter.path);
        if (!before || parameter.value < before[0] || parameter.value > before[1])
            ranges.set(parameter.path, rangeOf(parameter));
        return ranges.get(parameter.path);
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
            const reply = await talk.tell(`set ${path} = ${value}`);
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

    function makeTruth(parameter, i, send) {
        const box = element("input");
        box.type = "checkbox";
        box.id = `parameter-${i}`;
        box.checked = parameter.value !== 0;
        box.addEventListener("change", () => send(box.checked ? "true" : "false"));
        return [box];
    }

    function makeNumber(parameter, i, send) {
        const number = element("input"), slider = element("input");
        number.type = "number";
        number.step = "any";
        number.id = `parameter-${i}`;
        number.value = parameter.value;
        number.addEventListener("change", () => { slider.value = number.value; send(number.value); });
        slider.type = "range";
        slider.setAttribute("aria-label", parameter.path);
        [slider.min, slider.max] = heldRange(parameter);
        slider.step = parameter.type === "Real" ? roundStep((slider.max - slider.min) / 500) : 1;
        slider.value = parameter.value;
        slider.addEventListener("input", () => { number.value = slider.value; send(slider.value); });
        return [slider, number];
    }

    function make(parameter, i) {
        const row = element("div", undefined, "parameter"), label = element("label", parameter.path);
        const send = sender(parameter.path, reply => {
            if (reply && (reply.answer === "refused" || reply.answer === "error"))
                edits.showVerdict(`set ${parameter.path}`, reply);
        });
        label.htmlFor = `parameter-${i}`;
        if (parameter.unit)
            label.append(" ", element("span", parameter.unit, "kind"));
        if (parameter.idle) // its value was handed on when something was made, or is a start value
            label.append(" ", element("span", "for what is made later", "later"));
        row.append(label, ...(parameter.type === "Boolean" ? makeTruth : makeNumber)(parameter, i, send));
        return row;
    }

    const drawn = /(^|\.)(Line|Rectangle|Ellipse|Text)(#\d+)?\.(width|size)$/; // how something looks

    const isTop = one => !one.path.includes(".");
    const isInner = one => one.path.split(".").length > 2; // of a part of a component
    const MANY = 12;

    async function refresh() {
        const reply = await talk.tell("parameters");
        if (!reply || !reply.data || $("turning").contains(document.activeElement))
            return;
        const list = reply.data.filter(one => one.value !== null && one.type !== "String" && !drawn.test(one.path));
        const members = new Map();
        list.forEach(one => members.set(familyOf(one.path), (members.get(familyOf(one.path)) || 0) + 1));
        const idle = one => one.idle && !isTop(one), crowd = one => members.get(familyOf(one.path)) > 4;
        const few = list.filter(one => !idle(one) && !crowd(one)).length <= MANY;
        const aside = one => idle(one) || crowd(one) || (isInner(one) && !few);
        const inner = list.filter(aside), outer = list.filter(one => !aside(one)), more = $("inner-parameters");
        inner.sort((a, b) => byNumber.compare(a.path, b.path));
        $("turning").hidden = list.length === 0;
        more.hidden = inner.length === 0;
        more.querySelector("summary").textContent = `${inner.length} more: start values, parts of components, members of arrays`;
        const rank = one => one.idle ? 2 : isTop(one) ? 0 : 1; // what acts comes first, and of that the top's own
        outer.sort((a, b) => rank(a) - rank(b));
        $("parameters").replaceChildren(...outer.map(make));
        const fill = () => more.querySelector("div").replaceChildren(...(more.open ? inner.map((one, i) => make(one, outer.length + i)) : []));
        more.ontoggle = fill;
        fill();
    }

    return {refresh};
})();
