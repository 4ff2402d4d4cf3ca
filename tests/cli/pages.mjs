// The pages of one model, of `report` and of `serve` -> whether anything goes wrong in them, and screenshots.
//   node pages.mjs PLAYWRIGHT CHROMIUM NAME PAGE ADDRESS PICTURES
// Prints every failure; the exit status tells whether there was one.
import { createRequire } from "module";
import process from "process";
import { seriousFindings } from "../support/axe.mjs";

const [playwright, executablePath, name, page, address, pictures] = process.argv.slice(2);
const { chromium } = createRequire(import.meta.url)(playwright);
let failures = 0;

function check(good, text) {
    if (good)
        return;
    console.log(`FAILED: ${name}: ${text}`);
    failures++;
}

async function until(text, condition) {
    for (let i = 0; i < 200; i++) {
        if (await condition())
            return;
        await new Promise(resolve => setTimeout(resolve, 100));
    }
    check(false, text);
}

async function open(browser, url, width, colorScheme) {
    const view = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
    view.setDefaultTimeout(120000); // other tests may want both cores
    view.on("console", message => check(message.type() !== "error", `console: ${message.text()}`));
    view.on("pageerror", error => check(false, `page: ${error.message}`));
    view.on("request", request => check(/^(file|data|blob):/.test(request.url()) || request.url().startsWith(new URL(address).origin),
                                        `asks for ${request.url()}`));
    await view.goto(url);
    await view.waitForSelector(".uplot");
    await view.waitForTimeout(300);
    return view;
}

// How many pixels of the stage are red and blue, and whether blue is above.
const coloursOf = view => view.evaluate(() => {
    const canvas = document.getElementById("stage"), context = canvas.getContext("2d"), found = {red: 0, blue: 0};
    const {data, width, height} = context.getImageData(0, 0, canvas.width, canvas.height);
    let reds = 0, blues = 0;
    for (let y = 0; y < height; y++)
        for (let x = 0; x < width; x++) {
            const i = 4 * (y * width + x);
            if (data[i] === 255 && data[i + 1] === 0 && data[i + 2] === 0) { found.red++; reds += y; }
            if (data[i] === 0 && data[i + 1] === 0 && data[i + 2] === 255) { found.blue++; blues += y; }
        }
    return {...found, above: blues / found.blue < reds / found.red};
});

async function checkImage(view, where) {
    await until(`${where}: the image is not there`, async () => (await coloursOf(view)).red > 100);
    const {red, blue, above} = await coloursOf(view);
    check(Math.abs(red - blue) < 0.1 * red, `${where}: halves of the image: ${red} and ${blue} pixels`);
    check(above, `${where}: the image stands on its head`);
}

const own = {
    image: {report: view => checkImage(view, "report"), serve: view => checkImage(view, "serve")},
    // Cars are one plot for each quantity, not one for every six of them.
    traffic: {report: async view => check(await view.locator("#charts .chart .family").count() === 2 &&
                                          await view.locator("#charts .chart").count() === 2, "cars are in many plots")},
    population: {
        report: async view => check(await view.locator("#charts .chart .family").count() === 1, "life forms are in many plots"),
        serve: async view => until("life forms are not folded", async () => /lives\[…\], \d+ of them/.test(await view.textContent("#tree")))
    },
    rectifier: {report: async view => check(!(await view.textContent("#strips")).includes("initial"), "strips of the start")},
    trebuchet: {
        serve: async view => { // the two angles over each other, and a video
            await view.click("#pairs summary");
            await until("nothing is drawn over another variable", async () => view.evaluate(() => {
                const canvas = document.getElementById("pair-plot");
                return canvas.width > 0 && canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some(one => one > 0);
            }));
            check(/pair-x=R1.phi/.test(view.url()), `the link does not say what is chosen: ${view.url()}`);
            const saved = view.waitForEvent("download");
            await view.click("#stage-video");
            await view.waitForTimeout(500);
            await view.click("#stage-video");
            check(/^animation\.(mp4|webm)$/.test((await saved).suggestedFilename()), "no video");
        }
    }
};

async function look(browser, kind, url) {
    const view = await open(browser, url, 1400, "light");
    if (own[name] && own[name][kind])
        await own[name][kind](view);
    for (const [width, colorScheme] of [[1400, "light"], [1400, "dark"], [420, "dark"], [420, "light"]]) {
        const which = `${kind} ${width} ${colorScheme}`;
        await view.emulateMedia({ colorScheme });
        await view.setViewportSize({ width, height: 900 });
        await view.waitForTimeout(200);
        const over = await view.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        check(over <= 0, `${which}: ${over} pixels wider than the screen`);
        if ((width === 1400) === (colorScheme === "light"))
            (await seriousFindings(view, playwright)).forEach(text => check(false, `${which}: ${text}`));
        const text = view.locator("#model-frame"); // its lines are measured when they are seen
        if (await text.count())
            await text.scrollIntoViewIfNeeded();
        await view.waitForTimeout(200);
        await view.evaluate(() => window.scrollTo(0, 0)); // the head of a page stays in sight
        await view.screenshot({ path: `${pictures}/${name}_${kind}_${width}_${colorScheme}.png`, fullPage: true });
    }
    await view.close();
}

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
await look(browser, "report", `file://${page}`);
const running = await open(browser, address, 1400, "light");
await running.selectOption("#speed", "max");
await running.click("#play");
const clock = async () => +(await running.textContent("#clock")).replace("t = ", "");
const far = {trebuchet: 1.1, rectifier: 0.05, traffic: 100, population: 100, fourbar: 2, image: 1}[name];
await until("time does not go on", async () => await clock() > far);
await running.click("#play");
await look(browser, "serve", address);
await browser.close();
process.exit(failures > 0 ? 1 : 0);
