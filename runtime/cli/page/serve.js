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

// Edits are told when there are others.
function takeState(told) {
    const before = session.state, next = {...before, ...told};
    session.state = next;
    if (!session.natural) {
        session.natural = next.speed || 1;
        offerSpeeds($("speed"), session.natural);
        const fast = element("option", "as fast as it goes");
        fast.value = "max";
        $("speed").append(fast);
    }
    showText($("play"), next.playing ? "Pause" : "Run");
    showText($("summary"), `${next.relations} relations, ${next.states} states, ${next.events} events`);
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
    }
}

// ---- the link ----

function writeLink() {
    link.write({show: $("window").value, t: session.time === null ? "" : session.time, view: $("near").checked ? "near" : ""});
}

function readLink() {
    const parts = link.read();
    if ([...$("window").options].some(option => option.value === parts.show))
        $("window").value = parts.show;
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
$("plots-png").addEventListener("click", () => curves.save(savePng));
$("plots-svg").addEventListener("click", () => curves.save(saveSvg));
listenToKeys({toggle, step, zoom});
setInterval(() => { if (session.state.playing) model.refresh(); }, 500);
readLink();
talk.connect();
curves.redraw();
stage.redraw();
window.solsticeFrames = curves.frames;

})();
