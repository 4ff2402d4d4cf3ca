// serve_parameters.js: parameters of the running model -> sliders and numbers.
"use strict";

const parameters = (() => {
    // As the model says by min and max; else what is positive stays so, and what is 0 goes both ways.
    function rangeOf(parameter) {
        const value = parameter.value, own = value === 0 ? [-1, 1] : value > 0 ? [0, 2 * value] : [2 * value, 0];
        return [parameter.min === undefined ? Math.min(own[0], parameter.max === undefined ? own[0] : parameter.max - 1) : parameter.min,
                parameter.max === undefined ? Math.max(own[1], parameter.min === undefined ? own[1] : parameter.min + 1) : parameter.max];
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
        [slider.min, slider.max] = rangeOf(parameter);
        slider.step = parameter.type === "Real" ? (slider.max - slider.min) / 200 : 1;
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
        row.append(label, ...(parameter.type === "Boolean" ? makeTruth : makeNumber)(parameter, i, send));
        return row;
    }

    const drawn = /(^|\.)(Line|Rectangle|Ellipse|Text)(#\d+)?\.(width|size)$/; // how something looks

    async function refresh() {
        const reply = await talk.tell("parameters");
        if (!reply || !reply.data || $("parameters").contains(document.activeElement))
            return;
        const list = reply.data.filter(one => one.value !== null && one.type !== "String" && !drawn.test(one.path));
        $("turning").hidden = list.length === 0;
        $("parameters").replaceChildren(...list.map(make));
    }

    return {refresh};
})();
