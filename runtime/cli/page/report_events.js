// report_events.js: the events of a run -> a table.
"use strict";

function trigger(text) {
    const colon = text.indexOf(": ");
    return colon < 0 ? text : `${text.slice(0, colon)}: ${within(text.slice(0, colon), text.slice(colon + 2))}`;
}

// Changes of modes by time, each with the choice before: time -> [{number, before, after}].
function modesByTime(data) {
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

function describeMode(data, change) {
    const branch = data.ifs[change.number];
    if (!branch || isOfStart(branch))
        return "";
    return `${branch.path ? branch.path + ": " : ""}${within(branch.path, branch.condition)}: ` +
           `${choiceName(branch, change.before)} → ${choiceName(branch, change.after)}`;
}

// Statistics and result list the same events in the same order; the time is compared all the same.
function costOf(data, stats, index) {
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

function eventRow(data, stats, index, modes, setTime) {
    const event = data.events[index];
    const row = element("tr", undefined, event.structural ? "structural" : "");
    const numbers = [event.updates, stateSteps(event),
                     `+${event.entered} −${event.removed}`, event.visited];
    const cost = costOf(data, stats, index);
    if (stats)
        numbers.push(...(cost ? [`${cost.blocks_kept} / ${cost.blocks_rebuilt}`,
                                 cost.structure_us.toFixed(0), cost.restart_us.toFixed(0)]
                              : ["", "", ""]));
    row.append(element("td", short(event.time), "number"), linesCell(event.triggers.map(trigger)),
               linesCell((modes.get(event.time) || []).map(change => describeMode(data, change)).filter(text => text)));
    numbers.forEach(text => row.append(element("td", String(text), "number")));
    row.addEventListener("click", () => setTime(event.time));
    return row;
}

function showEvents(data, stats, setTime) {
    const modes = modesByTime(data), head = element("tr");
    const columns = ["Time", "Triggers", "Modes: before → after", "Updates", "States", "Relations",
                     "Visited"];
    if (stats)
        columns.push("Blocks kept / rebuilt", "Structure µs", "Restart µs");
    columns.forEach((name, i) => head.append(element("th", name, i === 1 || i === 2 ? "" : "number")));
    $("event-table").tHead.append(head);
    $("event-table").hidden = data.events_total === 0;
    const body = $("event-table").tBodies[0];
    data.events.forEach((_, i) => body.append(eventRow(data, stats, i, modes, setTime)));
    $("event-table").classList.toggle("no-triggers", !data.events.some(event => event.triggers.length));
    $("event-table").classList.toggle("no-modes", !data.changes.length);
    $("events-remark").textContent =
        data.events_total > data.events.length
            ? `The first ${data.events.length} of ${data.events_total} events.`
            : data.events_total ? "" : "There were none.";
    if (!stats && data.events_total)
        $("events-remark").textContent += " What each event cost is known with --stats.";
}
