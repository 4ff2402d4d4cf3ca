// serve_curves.js: rows of values -> curves that move.
"use strict";

const curves = (() => {
    const table = {paths: [], curves: [], t: []};
    const MOST = 12000, LEGEND = 100; // milliseconds for which a legend stays while time goes on
    const redraw = inNextFrame(draw);
    let charts = [], frames = 0, groups = "", legend = {at: -Infinity, time: 0};

    function push(time) {
        const n = table.t.length;
        table.t.push(n && time <= table.t[n - 1] ? after(table.t[n - 1]) : time);
    }

    function begin(rows) {
        table.paths = rows.paths;
        table.t = [];
        table.curves = rows.paths.map((path, i) => ({path, unit: rows.units[i], steps: rows.steps[i], t: table.t, y: []}));
    }

    function take(rows) {
        if (rows.anew)
            begin(rows);
        rows.t.forEach(push);
        rows.y.forEach((column, i) => { for (const y of column) table.curves[i].y.push(y); });
        if (table.t.length > MOST) { // as the program does: every second of the older half goes
            const n = table.t.length, kept = list => list.filter((_, i) => i >= n / 2 || i % 2 === 0);
            table.t = kept(table.t);
            table.curves.forEach(curve => { curve.y = kept(curve.y); curve.t = table.t; });
        }
        redraw();
    }

    function legendTime() {
        const now = performance.now();
        if (!session.state.playing || session.time !== null || now > legend.at + LEGEND)
            legend = {at: now, time: presentTime()};
        return legend.time;
    }

    function windowOfTime() {
        const n = table.t.length, start = session.state.start || 0, last = n ? table.t[n - 1] : start, first = n ? table.t[0] : start;
        if ($("window").value === "all")
            return [first, Math.max(last, first + 1e-9)];
        const span = (session.natural || 1) * +$("window").value;
        const end = session.time === null ? last : Math.min(last, Math.max(session.time + span / 2, first + span));
        return [Math.max(first, end - span), Math.max(end, first + span)];
    }

    function drawPresent(plot) {
        if (session.time === null || session.time < plot.scales.x.min)
            return;
        const x = Math.round(plot.valToPos(session.time, "x", true)) + 0.5, ratio = window.devicePixelRatio || 1;
        new CanvasPen(plot.ctx).path([[x, plot.bbox.top], [x, plot.bbox.top + plot.bbox.height]],
                                     {stroke: css("--trail"), width: ratio});
    }

    // Where the curves are now: at the start there is nothing else of them.
    function drawHeads(chart, plot) {
        const last = table.t[table.t.length - 1], time = Math.min(presentTime(), last), {min, max} = plot.scales.x, ratio = window.devicePixelRatio || 1, pen = new CanvasPen(plot.ctx);
        if (chart.family || time < min || time > max)
            return;
        chart.curves.forEach((curve, i) => {
            const value = plot.series[i + 1].show ? valueAt(curve, time) : null;
            if (Number.isFinite(value))
                pen.ellipse(plot.valToPos(time, "x", true), plot.valToPos(value, "y", true), 3.5 * ratio, 3.5 * ratio, {fill: colourIn(chart, i)});
        });
    }

    // While time goes on, charts that are scrolled out of sight wait.
    const sight = new IntersectionObserver(changes => {
        changes.forEach(change => { change.target.away = !change.isIntersecting; });
        redraw();
    }, {rootMargin: "100px"});

    function makeChart(chart) {
        const box = element("div", undefined, "chart");
        box.append(element("h3", chart.name));
        $("charts").append(box);
        sight.observe(box);
        const family = tellFamily(chart);
        const plot = new uPlot({
            focus: family.focus, width: box.clientWidth || 560, height: 200,
            scales: {x: {time: false, range: windowOfTime}, y: {range: rangeOf(chart)}},
            cursor: {...family.cursor, sync: {key: "time"}, drag: {x: false, y: false}},
            hooks: {drawAxes: [drawPresent], draw: [u => drawHeads(chart, u)], setSeries: [family.tell]},
            axes: axes(), legend: {show: !chart.family}, series: seriesOf(chart, legendTime)
        }, [[], ...chart.curves.map(() => [])], box);
        if (chart.family)
            box.append(familyNote(chart));
        return {...chart, box, plot};
    }

    function dropCharts() {
        charts.forEach(chart => { sight.unobserve(chart.box); chart.plot.destroy(); chart.box.remove(); });
        charts = [];
        groups = "";
    }

    // What has no value in the time that is seen takes no room, unless nothing else is there.
    function shownCurves() {
        const [from, to] = windowOfTime(), first = indexAt(table.t, from), end = indexAt(table.t, to) + 1;
        const some = table.curves.filter(curve => curve.y.slice(first, end).some(Number.isFinite));
        return some.length ? some : table.curves;
    }

    // Sizes change as curves grow; what belongs together is looked at again now and then.
    function arrange() {
        const wanted = groupCurves(shownCurves()), text = JSON.stringify(wanted.map(one => one.curves.map(curve => curve.path)));
        if (text === groups && charts.every(chart => chart.curves.every(curve => table.curves.includes(curve))))
            return;
        dropCharts();
        charts = wanted.map(makeChart);
        groups = text;
    }

    function tick() {
        document.querySelectorAll(".variable input").forEach(box => { box.checked = table.paths.includes(box.dataset.path); });
    }

    // Only what is seen, and one point before.
    function draw() {
        if (frames++ % 30 === 0 || charts.some(chart => chart.curves.some(curve => !table.curves.includes(curve))) || !charts.length) {
            arrange();
            tick();
            offerPairs();
        }
        const [from, to] = windowOfTime(), first = Math.max(indexAt(table.t, from) - 1, 0);
        const end = Math.min(indexAt(table.t, to) + 2, table.t.length), t = table.t.slice(first, end);
        charts.filter(chart => !chart.box.away || !session.state.playing).forEach(chart => {
            chart.plot.setData(t.length > 4000 ? tableOf(chart.curves, from, to, 800)
                                               : [t, ...chart.curves.map(curve => curve.y.slice(first, end))]);
            if (chart.plot.cursor.idx == null) // nobody points at it: the present
                chart.plot.setLegend({idx: null});
        });
        drawPairPlot();
    }

    // ---- one variable over another ----

    // Curves come and go; what was chosen stays chosen while it is there.
    function offerPairs() {
        $("pairs").hidden = table.paths.length < 2;
        ["pair-x", "pair-y"].forEach((id, nth) => {
            const list = $(id), before = list.value || link.read()[id];
            if ([...list.options].map(option => option.value).join("\n") === table.paths.join("\n"))
                return;
            list.replaceChildren(...table.paths.map(path => element("option", path)));
            list.selectedIndex = table.paths.includes(before) ? table.paths.indexOf(before) : Math.min(nth, table.paths.length - 1);
        });
    }

    function drawPairPlot() {
        const a = table.curves[$("pair-x").selectedIndex], b = table.curves[$("pair-y").selectedIndex];
        if (!$("pairs").open || !a || !b)
            return;
        const {context, width, height} = prepareCanvas($("pair-plot"));
        drawPairs(new CanvasPen(context), width, height, a, b, windowOfTime(), presentTime());
    }

    function resize() {
        charts.forEach(chart => chart.plot.setSize({width: chart.box.clientWidth, height: 200}));
    }

    function save(how) {
        const [from, to] = windowOfTime(), width = 900;
        how(pen => drawCharts(pen, charts, width, from, to), width, 260 * charts.length + 16, "plots");
    }

    talk.on("rows", take);
    darkMode.addEventListener("change", () => { dropCharts(); redraw(); });
    window.addEventListener("resize", () => { resize(); drawPairPlot(); });
    ["pair-x", "pair-y"].forEach(id => $(id).addEventListener("change", redraw));
    $("pairs").addEventListener("toggle", redraw);
    return {redraw, save, first: () => table.paths[0], plotted: path => table.paths.includes(path),
            frames: () => frames, from: () => table.t.length ? table.t[0] : null};
})();
