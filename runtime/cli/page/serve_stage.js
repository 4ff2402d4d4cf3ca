// serve_stage.js: frames of shapes -> the animation, now and at any time that was.
"use strict";

const stage = (() => {
    const ENTRY = 6, MOST = 3000; // numbers of a shape: instance, look, places
    const film = {looks: [], times: [], shapes: []};
    const PLACES = {line: 4, rectangle: 4, ellipse: 4, text: 2, point: 3, ground: 1, image: 4};
    const redraw = inNextFrame(draw);
    let reach = new Reach(), views = null, chosen = false, drawn = 0;

    const each = (shapes, draw) => {
        for (let i = 0; i < shapes.length; i += ENTRY) {
            const look = film.looks[shapes[i + 1] - 1];
            if (look)
                draw(shapes[i], look, shapes.slice(i + 2, i + 2 + PLACES[look.kind]));
        }
    };

    const scene = {times: film.times, each: (frame, part, draw) => each(film.shapes[frame] || [], draw)};

    function thin() {
        const n = film.times.length, kept = list => list.filter((_, i) => i >= n / 2 || i % 2 === 0);
        film.times = scene.times = kept(film.times);
        film.shapes = kept(film.shapes);
    }

    function take(frames) {
        if (frames.anew) {
            Object.assign(film, {looks: [], times: [], shapes: []});
            reach = new Reach();
        }
        film.looks.splice(frames.known, Infinity, ...frames.looks);
        frames.t.forEach((time, i) => {
            while (film.times.length && film.times[film.times.length - 1] >= time) { // it is otherwise now
                film.times.pop();
                film.shapes.pop();
            }
            film.times.push(time);
            film.shapes.push(frames.shapes[i]);
            each(frames.shapes[i], (key, look, place) => reach.meet(key, look, place));
        });
        scene.times = film.times;
        if (film.times.length > MOST)
            thin();
        redraw();
    }

    // A view stays while everything is in it: it would tremble otherwise.
    function holdView(before, now) {
        const inside = before && now.left >= before.left && now.right <= before.right && now.bottom >= before.bottom &&
            now.top <= before.top && extent(before) < 2 * extent(now);
        const room = 0.05 * extent(now);
        return inside ? before : {left: now.left - room, right: now.right + room, bottom: now.bottom - (reach.ground === null ? room : 0),
                                  top: now.top + room};
    }

    function look() {
        const next = reach.views();
        views = {whole: holdView(views && views.whole, next.whole), near: holdView(views && views.near, next.near), far: next.far};
        if (!chosen && next.far)
            $("near").checked = true;
        $("near").parentElement.hidden = !next.far;
    }

    const onlyPoints = () => film.looks.length > 0 && film.looks.every(one => one.kind === "point");

    function pointsUntil(frame) {
        const x = [], y = [], value = [];
        let coloured = false, count = 0;
        film.shapes.forEach((shapes, i) => {
            each(shapes, (key, one, place) => {
                x.push(place[0]);
                y.push(place[1]);
                value.push(place[2]);
                coloured = coloured || place[2] !== 0;
            });
            if (i <= frame)
                count = x.length;
        });
        return {x, y, value: coloured ? value : null, count, axes: film.looks.map(one => one.axes).find(axes => axes)};
    }

    function drawMoment(pen, width, height) {
        const frame = indexAt(film.times, presentTime());
        if (onlyPoints())
            drawPoints(pen, width, height, pointsUntil(frame));
        else
            drawScene(pen, width, height, scene, frame, 0,
                      {box: $("near").checked ? views.near : views.whole, trails: $("trails").checked ? 150 : 0});
    }

    function draw() {
        if (!film.times.length)
            return;
        if (onlyPoints() && film.shapes.length > 100 && performance.now() - drawn < 300) {
            setTimeout(redraw, 50);
            return;
        }
        drawn = performance.now();
        $("animation").hidden = false;
        $("trails").parentElement.hidden = onlyPoints();
        look();
        const {context, width, height} = prepareCanvas($("stage"));
        drawMoment(new CanvasPen(context), width, height);
    }

    pictures.arrived = redraw;
    talk.on("frames", take);
    $("near").addEventListener("change", () => { chosen = true; redraw(); });
    $("trails").addEventListener("change", redraw);
    darkMode.addEventListener("change", redraw);
    window.addEventListener("resize", redraw);
    // As a link says it; without a word the page chooses.
    function choose(view) {
        chosen = view === "near" || view === "whole";
        $("near").checked = view === "near";
    }
    return {redraw, choose, view: () => chosen ? ($("near").checked ? "near" : "whole") : "", save: how => how(drawMoment, $("stage").clientWidth, $("stage").clientHeight, "animation"),
            from: () => film.times.length ? film.times[0] : null};
})();
