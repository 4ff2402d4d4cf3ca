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
    check(Math.abs(await value() - 2 * await clock(view)) < 1e-6, `y = ${await value()} at ${await clock(view)}`);
    await view.locator(".parameter input[type=range]").first().evaluate(slider => {
        slider.value = 3;
        slider.dispatchEvent(new Event("input"));
    });
    await until("the slider moves nothing", async () => Math.abs(await value() - 3 * await clock(view)) < 1e-6);
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

// A parameter's range is that of the model.
async function checkRange(view) {
    const range = await view.locator(".parameter input[type=range]").first().evaluate(slider => [slider.min, slider.max]);
    check(range.join() === "0,8", `range of k: ${range}`);
    check((await view.locator(".parameter label").first().innerText()).includes("m/s"), "unit of k");
}

async function applyText(view, from, to, word) {
    const text = await view.inputValue("#model-text");
    check(text.includes(from), `the text has no ${from}`);
    await view.fill("#model-text", text.replace(from, to));
    await view.click("#model-apply");
    await until(`no verdict beside ${to}`, async () => await view.locator("#model-verdicts .entry").count() === 1);
    const said = await view.locator("#model-verdicts .entry").innerText();
    check(said.includes(word), `${to}: ${said}, not ${word}`);
    return said;
}

// A changed line is an edit with its verdict; undo brings the line back.
async function checkText(view) {
    const before = await view.inputValue("#model-text");
    await applyText(view, "y = k*time;", "y = k*time + 10;", "accepted");
    const value = async () => +(await view.locator('.variable[data-path="y"] .value').innerText());
    await until("the changed line does not run", async () => await value() >= 10);
    await view.click("#undo");
    await until("undo does not bring the line back", async () => await view.inputValue("#model-text") === before);
    const said = await applyText(view, "y = k*time;", "y = k*time; y = 1;", "refused");
    check(said.includes("too many") || said.includes("contradict"), `no reason: ${said}`);
    await view.click("#model-revert");
    await applyText(view, "end Page;", "end Other;", "error");
    await view.click("#model-revert");
    check(await view.inputValue("#model-text") === before, "the text is not what it was");
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
await checkStage(view);
await checkRange(view);
await checkText(view);
await checkSlider(view);
await checkEdits(view);
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
