// serve.js: the clock of a running model and its state -> the page of `solstice serve`. The other serve_*.js do the parts.
"use strict";

(function () {

let edited = null; // the edits that the page shows

// ---- time ----

const toggle = () => { lookAt(null); talk.tell(session.state.playing ? "pause" : "play"); };

// At a time that was, or at the present (null).
function lookAt(time) {
    session.time = time !== null && time < session.state.time ? time : null;
    $("now").hidden = session.time === null;
    showTime();
    stage.redraw();
    curves.redraw();
}

function showTime() {
    const first = [stage.from(), curves.from()].filter(time => time !== null);
    $("scrub").min = first.length ? Math.min(...first) : 0;
    $("scrub").max = session.state.time;
    $("scrub").value = presentTime();
    showText($("clock"), `t = ${short(presentTime())}`);
}

function step(direction) {
    const span = (session.natural || 1) / 10;
    if (session.state.playing)
        talk.tell("pause");
    if (direction > 0 && session.time === null)
        talk.tell(`run to ${session.state.time + span}`);
    else
        lookAt(Math.max(+$("scrub").min, presentTime() + direction * span));
}

// + and -: another choice of "Show"
function zoom(factor) {
    const list = $("window"), next = list.selectedIndex + (factor < 1 ? -1 : 1);
    list.selectedIndex = Math.min(Math.max(next, 0), list.options.length - 1);
    curves.redraw();
    writeLink();
}

// ---- state ----

const count = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;

// Another client may have chosen it.
function showSpeed(speed) {
    const value = speed === null ? "max" : String(+speed.toPrecision(3)), list = $("speed");
    if (list.value !== value && document.activeElement !== list && [...list.options].some(option => option.value === value))
        list.value = value;
}

// Spans in the time of the model: with --stop 4, 0.8, 4 and 20 s.
function offerWindows() {
    [...$("window").options].filter(option => option.value !== "all")
        .forEach(option => { option.textContent = `${short(session.natural * +option.value, 3)} s`; });
}

// Edits are told when there are others.
function takeState(told) {
    const before = session.state, next = {...before, ...told};
    session.state = next;
    if (!session.natural) {
        session.natural = next.natural || 1;
        offerSpeeds($("speed"), session.natural);
        const fast = element("option", "fastest");
        fast.value = "max";
        $("speed").append(fast);
        offerWindows();
    }
    showSpeed(next.speed);
    showText($("play"), next.playing ? "Pause" : "Run");
    showText($("summary"), [count(next.relations, "relation"), count(next.states, "state"), count(next.events, "event")].join(", "));
    showText($("warnings"), next.failure ||
        (next.complete ? "" : "Some variables lack an equation: time goes on when they have one."));
    const done = next.edits.filter(edit => !edit.undone).length;
    $("undo").disabled = done === 0;
    $("redo").disabled = done === next.edits.length;
    showTime();
    const mark = JSON.stringify(next.edits);
    if (mark !== edited) {
        edited = mark;
        edits.showList(next.edits);
        model.refresh();
        parameters.refresh();
        edits.refreshStatements();
        editor.refresh();
        graph.refresh();
    } else if (before.playing && !next.playing) {
        model.refresh();
        refreshParameters();
    }
}

// Instances come and go with their parameters.
let listed = null; // how many relations there were
function refreshParameters() {
    if (listed !== session.state.relations)
        parameters.refresh();
    listed = session.state.relations;
}

// ---- video ----

let recording = null; // ends it

function toggleVideo() {
    const button = $("stage-video");
    if (recording)
        recording();
    recording = recording ? null : recordVideo($("stage"), "animation");
    button.textContent = recording ? "Stop and save" : "Video";
    button.setAttribute("aria-pressed", String(recording !== null));
    stage.redraw();
}

// ---- the link ----

function writeLink() {
    const pair = $("pairs").open ? [$("pair-x").value, $("pair-y").value] : ["", ""];
    link.write({show: $("window").value, t: session.time === null ? "" : session.time, view: stage.view(), of: $("graph-path").value,
                "pair-x": pair[0], "pair-y": pair[1]});
}

function readLink() {
    const parts = link.read();
    if ([...$("window").options].some(option => option.value === parts.show))
        $("window").value = parts.show;
    stage.choose(parts.view);
    $("pairs").open = parts["pair-x"] !== undefined;
    if (parts.of)
        graph.select(parts.of);
    if (parts.t !== undefined && Number.isFinite(+parts.t))
        session.time = +parts.t;
}

// ---- all of it ----

$("title").textContent = window.solsticeTitle;
document.title = `${window.solsticeTitle} – Solstice`;
talk.on("state", takeState);
talk.on("open", () => { $("play").disabled = false; $("warnings").textContent = ""; edited = null; });
talk.on("closed", () => {
    $("play").disabled = true;
    $("warnings").textContent = "The connection to the program is lost; trying again.";
});
$("play").addEventListener("click", toggle);
$("speed").addEventListener("change", () => talk.tell(`speed ${$("speed").value}`));
$("window").addEventListener("change", () => { curves.redraw(); writeLink(); });
$("scrub").addEventListener("input", () => {
    if (session.state.playing)
        talk.tell("pause");
    lookAt(+$("scrub").value);
});
$("scrub").addEventListener("change", writeLink);
$("now").addEventListener("click", () => { lookAt(null); writeLink(); });
$("stage-png").addEventListener("click", () => stage.save(savePng));
$("stage-svg").addEventListener("click", () => stage.save(saveSvg));
$("stage-video").hidden = !canRecord();
$("stage-video").addEventListener("click", toggleVideo);
["near", "pair-x", "pair-y"].forEach(id => $(id).addEventListener("change", writeLink));
$("pairs").addEventListener("toggle", writeLink);
$("graph-form").addEventListener("submit", writeLink);
$("plots-png").addEventListener("click", () => curves.save(savePng));
$("plots-svg").addEventListener("click", () => curves.save(saveSvg));
listenToKeys({toggle, step, zoom});
setInterval(() => { if (session.state.playing) model.refresh(); }, 500);
setInterval(refreshParameters, 2000);
readLink();
talk.connect();
curves.redraw();
stage.redraw();
window.solsticeFrames = curves.frames;

})();
