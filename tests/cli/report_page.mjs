// A page of `solstice report` -> what a browser makes of it.
//   node report_page.mjs PLAYWRIGHT CHROMIUM PAGE PICTURES
// Prints every failure; the exit status is their number. Screenshots go into the folder PICTURES.
import { createRequire } from "module";
import process from "process";
import { seriousFindings } from "../support/axe.mjs";

const [playwright, executablePath, page, pictures] = process.argv.slice(2);
const { chromium } = createRequire(import.meta.url)(playwright);
let failures = 0;

function check(good, text) {
    if (good)
        return;
    console.log(`FAILED: ${text}`);
    failures++;
}

// Bytes of the animation's canvas as a text.
const stage = view => view.evaluate(() => document.getElementById("stage").toDataURL());
const clock = view => view.evaluate(() => document.getElementById("clock").textContent);

async function open(browser, width, colorScheme) {
    const view = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
    view.on("console", message => check(message.type() !== "error", `console: ${message.text()}`));
    view.on("pageerror", error => check(false, `page: ${error.message}`));
    view.on("request", request =>
        check(/^(file|data):/.test(request.url()), `asks the network for ${request.url()}`));
    await view.goto(`file://${page}`);
    await view.waitForTimeout(200);
    return view;
}

async function checkContents(view) {
    const found = await view.evaluate(() => ({
        curves: document.querySelectorAll(".u-legend .u-series").length -
            document.querySelectorAll(".u-legend").length, // one of each legend is the time
        strips: document.querySelectorAll("#strips canvas.strip").length,
        events: document.querySelectorAll("#event-table tbody tr").length,
        structural: document.querySelectorAll("#event-table tbody tr.structural").length,
        modes: document.querySelector("#event-table").textContent,
        parameters: document.querySelector("#parameter-table").textContent,
        notes: document.querySelector("#note-table").textContent,
        shapes: document.querySelector("#animation-remark").textContent,
        costs: document.querySelector("#event-table thead").textContent
    }));
    check(found.curves === 4, `${found.curves} curves, not 4`);
    check(found.shapes.includes("of 2 shapes"), `animation: ${found.shapes}`);
    check(found.strips === 3, `${found.strips} strips, not those of the states and two ifs`);
    check(found.events === 3 && found.structural === 3, `${found.events} events`);
    check(found.modes.includes("arm: turns < 0.5: yes → no"), "the first change of mode");
    check(found.modes.includes("arm: turns < 0.8: – → half way"), "birth of the inner if");
    check(found.modes.includes("arm: turns < 0.8: half way → round"), "the last change of mode");
    check(found.parameters.includes("arm.length3"), "parameters");
    check(found.notes.includes("a </script><!-- b"), "output of the model");
    check(found.costs.includes("Structure"), "costs of events");
}

// The picture moves while it plays, stands when it is paused, and goes where it is sent.
async function checkAnimation(view) {
    await view.selectOption("#speed", { index: 0 }); // slow: a busy machine must not reach the end
    const first = await stage(view);
    await view.click("#play");
    await view.waitForTimeout(300);
    const second = await stage(view), then = await clock(view);
    check(second !== first, "the animation does not move");
    await view.waitForTimeout(200);
    check(await clock(view) !== then, "the clock does not move");
    await view.click("#play");
    const paused = await stage(view), time = await clock(view);
    await view.waitForTimeout(300);
    check(await stage(view) === paused && await clock(view) === time, "the animation does not stop");
    await view.evaluate(() => {
        const scrub = document.getElementById("scrub");
        scrub.value = 2.5;
        scrub.dispatchEvent(new Event("input"));
    });
    check(await clock(view) === "t = 2.500", `scrubbed to ${await clock(view)}`);
    const without = await stage(view);
    await view.click("#trails");
    check(await stage(view) !== without, "no trails");
}

// A drag shows less of the time in every plot, the button all of it.
async function checkZoom(view) {
    const plot = view.locator(".u-over").first();
    const picture = () => view.evaluate(() =>
        [...document.querySelectorAll(".uplot canvas")].map(canvas => canvas.toDataURL()));
    const before = await picture(), box = await plot.boundingBox();
    await plot.scrollIntoViewIfNeeded();
    const at = await plot.boundingBox() || box;
    await view.mouse.move(at.x + 0.3 * at.width, at.y + at.height / 2);
    await view.mouse.down();
    await view.mouse.move(at.x + 0.6 * at.width, at.y + at.height / 2, { steps: 4 });
    await view.mouse.up();
    await view.waitForTimeout(100);
    const zoomed = await picture();
    check(zoomed.every((text, i) => text !== before[i]), "a drag does not zoom all plots");
    await view.click("#unzoom");
    await view.waitForTimeout(100);
    const after = await picture();
    check(after.every((text, i) => text !== zoomed[i]), "the whole time does not come back");
}

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
for (const [name, width, scheme] of [["wide_light", 1300, "light"], ["wide_dark", 1300, "dark"],
                                     ["narrow_light", 390, "light"], ["narrow_dark", 390, "dark"]]) {
    const view = await open(browser, width, scheme);
    await checkContents(view);
    if (name === "wide_light")
        await checkZoom(view);
    await checkAnimation(view);
    (await seriousFindings(view, playwright)).forEach(text => check(false, `${name}: ${text}`));
    const over = await view.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    check(over <= 0, `${name}: ${over} pixels wider than the screen`);
    await view.screenshot({ path: `${pictures}/report_${name}.png`, fullPage: true });
    await view.close();
}
await browser.close();
process.exit(failures > 0 ? 1 : 0);
