// A page of `solstice serve` -> what a browser makes of it, while the model runs.
//   node serve_page.mjs PLAYWRIGHT CHROMIUM ADDRESS PICTURES
// Prints every failure; the exit status tells whether there was one. Screenshots go into the folder PICTURES.
import { createRequire } from "module";
import process from "process";
import { seriousFindings } from "../support/axe.mjs";

const [playwright, executablePath, address, pictures] = process.argv.slice(2);
const { chromium } = createRequire(import.meta.url)(playwright);
let failures = 0;

function check(good, text) {
    if (good)
        return;
    console.log(`FAILED: ${text}`);
    failures++;
}

async function open(browser, width, colorScheme) {
    const view = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
    view.on("console", message => check(message.type() !== "error", `console: ${message.text()}`));
    view.on("pageerror", error => check(false, `page: ${error.message}`));
    view.on("request", request =>
        check(request.url().startsWith(new URL(address).origin) || request.url().startsWith("data:"),
              `asks for ${request.url()}`));
    await view.goto(address);
    await view.waitForSelector(".uplot");
    return view;
}

// Seven digits are shown.
const clock = async view => +(await view.textContent("#clock")).replace("t = ", "");
const verdict = view => view.locator("#verdict .entry").first();

async function until(text, condition) {
    for (let i = 0; i < 150; i++) {
        if (await condition())
            return true;
        await new Promise(resolve => setTimeout(resolve, 100));
    }
    check(false, text);
    return false;
}

async function enter(view, text, word) {
    const before = await view.locator("#verdict .entry").count();
    await view.fill("#edit-text", text);
    await view.press("#edit-text", "Enter");
    await until(`no verdict on ${text}`, async () => await view.locator("#verdict .entry").count() > before);
    const said = await verdict(view).innerText();
    check(said.startsWith(word), `${text}: ${said}, not ${word}`);
    return said;
}

// Of many points in a column of pixels those are drawn that are seen; a gap stays one.
async function checkLines(view) {
    const drawn = await view.evaluate(() => {
        const line = new ColumnLine(false), calls = [];
        line.path = {moveTo: (x, y) => calls.push(["M", x, y]), lineTo: (x, y) => calls.push(["L", x, y])};
        for (let i = 0; i < 1000; i++)
            line.point(7 + i / 2500, i === 300 ? -50 : i === 600 ? 70 : 10);
        line.point(9, 20);
        line.gap();
        line.point(9.1, 30);
        line.point(11, 40);
        line.leave();
        return calls.map(([how, x, y]) => `${how}${x.toFixed(1)} ${y}`).join(", ");
    });
    check(drawn === "M7.0 10, L7.4 -50, L7.4 70, L7.4 10, L9.0 20, M9.1 30, L11.0 40", `a line by columns: ${drawn}`);
}

// Nothing is drawn while nothing happens.
async function checkRest(view) {
    await view.waitForTimeout(500);
    const before = await view.evaluate(() => window.solsticeFrames());
    await view.waitForTimeout(500);
    check(await view.evaluate(() => window.solsticeFrames()) - before < 3, "a page at rest goes on drawing");
}

async function checkClock(view) {
    await view.click("#play");
    await until("time does not go on", async () => await clock(view) > 0.05);
    await view.click("#play");
    await until("it does not pause", async () => await view.textContent("#play") === "Run");
    const paused = await clock(view);
    await view.waitForTimeout(300);
    check(await clock(view) === paused, "time goes on while it is paused");
}

// The curve bends: the variable that the parameter drives has another value soon after.
async function checkSlider(view) {
    const value = async () =>
        +(await view.locator('.variable[data-path="y"] .value').innerText());
    check(Math.abs(await value() - 2 * await clock(view)) < 1e-5, `y = ${await value()} at ${await clock(view)}`);
    const edits = await view.locator("#edits li:not(.undone)").count();
    for (const place of [2.4, 2.8, 3.2, 3]) {
        await view.locator(".parameter input[type=range]").first().evaluate((slider, to) => {
            slider.value = to;
            slider.dispatchEvent(new Event("input"));
        }, place);
        await until(`the slider does not come to ${place}`, async () => Math.abs(await value() - place * await clock(view)) < 1e-5);
    }
    check(await view.locator("#edits li:not(.undone)").count() === edits + 1, "a slider that moves is more than one edit");
    await until("the slider moves nothing", async () => Math.abs(await value() - 3 * await clock(view)) < 1e-5);
    check((await view.textContent("#edits")).includes("set k = 3"), "the slider is not among the edits");
}

async function checkEdits(view) {
    const before = await clock(view);
    await enter(view, "Real heat; heat = x*x", "accepted");
    check((await view.textContent("#tree")).includes("heat") ||
          await until("heat is not in the tree", async () => (await view.textContent("#tree")).includes("heat")), "tree");
    const said = await enter(view, "heat = 1", "refused");
    check(said.includes("one too many"), `no reason: ${said}`);
    await enter(view, "Real <img src=x onerror=alert(1)>", "refused");
    check(await view.locator("#verdict img").count() === 0, "a text became markup");
    await enter(view, "replace part by Part{c << 9}", "accepted");
    await view.click("#undo");
    await until("the replacement is not undone", async () => await view.locator("#edits .undone").count() === 1);
    await view.locator('.variable[data-path="heat"] input').check();
    await until("heat is not plotted", async () => (await view.textContent("#charts")).includes("heat"));
    check(await clock(view) === before, "an edit moved the clock");
}

const stage = view => view.evaluate(() => document.getElementById("stage").toDataURL());

// The animation is there from the first second; the past can be looked at, and the present comes back.
async function checkStage(view) {
    await until("no animation", async () => await view.locator("#animation").isVisible());
    const now = await stage(view), time = await clock(view);
    await view.evaluate(() => {
        const scrub = document.getElementById("scrub");
        scrub.value = +scrub.min;
        scrub.dispatchEvent(new Event("input"));
    });
    await until("the past looks like the present", async () => await stage(view) !== now);
    check(await clock(view) < time, "the clock does not show the past");
    await view.click("#now");
    await until("the present does not come back", async () => await clock(view) === time);
}

// Where time stands legends say what is there now, behind all edits.
async function checkLegends(view) {
    const told = () => view.evaluate(() => Object.fromEntries([...document.querySelectorAll("#charts .u-series")]
        .map(row => [row.querySelector(".u-label").textContent, +row.querySelector(".u-value").textContent])));
    for (const path of ["x", "y"])
        await until(`the legend of ${path} is not its value`, async () =>
            Math.abs((await told())[path] - await valueOf(view, path)) < 1e-5 * Math.max(1, Math.abs(await valueOf(view, path))));
}

// A parameter's range is that of the model.
async function checkRange(view) {
    const range = await view.locator(".parameter input[type=range]").first().evaluate(slider => [slider.min, slider.max]);
    check(range.join() === "0,8", `range of k: ${range}`);
    check((await view.locator(".parameter label").first().innerText()).includes("m/s"), "unit of k");
}

const textOf = view => view.evaluate(() => window.solsticeText.text());

async function applyText(view, from, to, word) {
    const text = await textOf(view);
    check(text.includes(from), `the text has no ${from}: ${text}`);
    await view.evaluate(now => window.solsticeText.setText(now), text.replace(from, to));
    check(await view.locator("#model-frame .cm-changed-line").count() > 0, `${to}: the changed line is not marked`);
    await view.click("#model-apply");
    await until(`no verdict beside ${to}`, async () => await view.locator("#model-frame .entry").count() === 1);
    const said = await view.locator("#model-frame .entry").innerText();
    check(said.includes(word), `${to}: ${said}, not ${word}`);
    return said;
}

const valueOf = async (view, path) => +(await view.locator(`.variable[data-path="${path}"] .value`).innerText());
const textBecomes = (view, what, condition) => until(`the text does not follow: ${what}`, async () => condition(await textOf(view)));

async function undo(view, before) {
    await view.click("#undo");
    await until("undo does not bring the text back", async () => await textOf(view) === before);
}

// A changed line is an edit with its verdict; undo brings the line back.
async function checkText(view) {
    const before = await textOf(view);
    check(before.startsWith("model Part") && before.includes("end Page;"), "the text is not the whole file");
    await applyText(view, "y = k*time;", "y = k*time + 10;", "accepted");
    await until("the changed line does not run", async () => await valueOf(view, "y") >= 10);
    await undo(view, before);
    const said = await applyText(view, "y = k*time;", "y = k*time; y = 1;", "refused");
    check(said.includes("too many") || said.includes("contradict"), `no reason: ${said}`);
    await view.click("#model-revert");
    await applyText(view, "end Page;", "end Other;", "error");
    await view.click("#model-revert");
    check(await textOf(view) === before, "the text is not what it was");
    await applyText(view, "<< 2;", "<< 4;", "accepted"); // a value, twice: the line is known again
    await applyText(view, "<< 4;", "<< 5;", "accepted");
    await view.click("#undo");
    await view.click("#undo");
    await until("two values are not undone", async () => await textOf(view) === before);
}

// Lines of another definition concern all its instances; what commands do is followed by the text.
async function checkWholeText(view) {
    const before = await textOf(view), time = await clock(view);
    await view.locator('#tree details[data-path="part"] > summary').click();
    await view.locator('#tree details[data-path="twin"] > summary').click();
    await until("no values of the parts", async () => Math.abs(await valueOf(view, "twin.z") - 3 * time) < 1e-5);
    await applyText(view, "z = c*time;", "z = c*time + 7;", "accepted");
    for (const [path, c] of [["part.z", 1], ["twin.z", 3]])
        await until(`${path} does not follow its definition`, async () => Math.abs(await valueOf(view, path) - c * time - 7) < 1e-5);
    await undo(view, before);
    await enter(view, "Real doubled; doubled = 2*x", "accepted");
    await textBecomes(view, "an addition", text => text.includes("doubled = 2*x;"));
    await applyText(view, "doubled = 2*x;", "doubled = 3*x;", "accepted");
    await view.click("#undo");
    await textBecomes(view, "undoing", text => text.includes("doubled = 2*x;"));
    await undo(view, before);
    await enter(view, "replace part by Part{c << 9}", "accepted");
    await textBecomes(view, "a replacement", text => text.includes("Part part{c << 9}") && !text.includes("static Part part;"));
    await undo(view, before);
    await enter(view, "set twin.c = 4", "accepted");
    await textBecomes(view, "a value", text => text.includes("Part twin{c << 4}"));
    await undo(view, before);
}

// Colours, and names that are offered.
async function checkEditor(view) {
    const weight = await view.evaluate(() => [...document.querySelectorAll("#model-frame .cm-line span")]
        .filter(one => one.textContent === "model").map(one => getComputedStyle(one).fontWeight)[0]);
    check(weight === "600", `'model' has no colour: ${weight}`);
    await view.click("#model-frame .cm-line >> nth=7");
    await view.keyboard.press("End");
    await view.keyboard.type(" part.");
    await view.keyboard.press("Control+Space");
    await until("no names are offered", async () => await view.locator(".cm-tooltip-autocomplete li").count() > 1);
    check((await view.textContent(".cm-tooltip-autocomplete")).includes("z"), "the members of 'part' are not offered");
    await view.keyboard.press("Escape");
    await view.click("#model-revert");
}

// Causes and effects of a variable; blocks that are rebuilt flash.
async function checkGraph(view) {
    await view.fill("#graph-path", "x");
    await view.press("#graph-path", "Enter");
    await until("no state in the graph", async () => await view.locator("#graph-picture .block.state.chosen").count() === 1);
    check(await view.locator("#graph-picture .edge.integrates").count() === 1, "nothing integrates to x");
    await view.fill("#graph-path", "y");
    await view.press("#graph-path", "Enter");
    await until("no block of y", async () => (await view.locator("#graph-picture .chosen").count()) === 1 && (await view.textContent("#graph-picture .chosen")).includes("y"));
    check((await view.textContent("#graph-picture")).includes("given"), "the parameter of y is not marked");
    const before = await textOf(view);
    await applyText(view, "y = k*time;", "y = k*time + 1;", "accepted");
    await until("nothing flashes", async () => await view.locator("#graph-picture .rebuilt").count() > 0);
    await undo(view, before);
}

async function checkSecond(browser, first) {
    const second = await open(browser, 1400, "light");
    await until("the second client sees other edits", async () =>
        await second.textContent("#edits") === await first.textContent("#edits"));
    await until("the second client sees other curves", async () => (await second.textContent("#charts")).includes("heat"));
    await second.click("#play");
    await until("the first client does not see that it runs", async () => await first.textContent("#play") === "Pause");
    await second.close();
    const time = await clock(first);
    await until("time stands when a client goes", async () => await clock(first) > time);
    await first.click("#play");
}

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
let view = await open(browser, 1400, "light");
await checkClock(view);
await checkRest(view);
await checkLines(view);
await checkStage(view);
await checkRange(view);
await checkText(view);
await checkWholeText(view);
await checkEditor(view);
await checkGraph(view);
await checkSlider(view);
await checkEdits(view);
await checkLegends(view);
await checkSecond(browser, view);
const edits = await view.textContent("#edits");
await view.close();
for (const [name, width, scheme] of [["wide_light", 1400, "light"], ["wide_dark", 1400, "dark"],
                                     ["narrow_light", 420, "light"], ["narrow_dark", 420, "dark"]]) {
    view = await open(browser, width, scheme);
    await until("edits are lost", async () => await view.textContent("#edits") === edits);
    await view.waitForTimeout(300);
    (await seriousFindings(view, playwright)).forEach(text => check(false, `${name}: ${text}`));
    const over = await view.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    check(over <= 0, `${name}: ${over} pixels wider than the screen`);
    await view.screenshot({ path: `${pictures}/serve_${name}.png`, fullPage: true });
    await view.close();
}
await browser.close();
process.exit(failures > 0 ? 1 : 0);
