// Pages in a browser -> pictures for docs/pictures. See page_pictures.sh.
//   node page_pictures.mjs PLAYWRIGHT CHROMIUM report PAGE FOLDER NAME
//   node page_pictures.mjs PLAYWRIGHT CHROMIUM serve ADDRESS FOLDER NAME
import { createRequire } from "module";
import process from "process";

const [playwright, executablePath, kind, what, folder, name] = process.argv.slice(2);
const { chromium } = createRequire(import.meta.url)(playwright);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const wait = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds));

async function report() {
    for (const colorScheme of ["light", "dark"]) {
        const view = await browser.newPage({ viewport: { width: 1100, height: 900 }, colorScheme });
        await view.goto(`file://${what}`);
        await wait(500);
        await view.screenshot({ path: `${folder}/${name}-${colorScheme}.png` });
        await view.close();
    }
}

async function clockReaches(view, time) {
    for (let i = 0; i < 600 && +(await view.textContent("#clock")).replace("t = ", "") < time; i++)
        await wait(50);
}

// The beam is let go; while it swings, the sling becomes shorter: the line is changed, and its verdict stands beside it.
async function serve() {
    const view = await browser.newPage({ viewport: { width: 1100, height: 780 }, colorScheme: "light" });
    let frames = 0;
    const take = () => view.screenshot({ path: `${folder}/${name}-${String(frames++).padStart(2, "0")}.png` });
    const runTo = async time => {
        await view.evaluate(line => talk.tell(line), `run to ${time}`);
        await clockReaches(view, time);
        await wait(200);
        await take();
    };
    await view.goto(what);
    await wait(800);
    await view.evaluate(() => { // the line that will be changed
        const lines = window.solsticeText.text().split("\n");
        window.solsticeText.show(lines.findIndex(line => line.includes("l << 7,")) + 1);
    });
    await wait(300);
    await take();
    for (const time of [0.15, 0.3, 0.42])
        await runTo(time);
    await view.evaluate(() => window.solsticeText.setText(window.solsticeText.text().replace("l << 7,", "l << 5,")));
    await wait(200);
    await take();
    await view.evaluate(() => document.getElementById("model-apply").click()); // the page is not scrolled
    await wait(600);
    await take();
    await take();
    for (let time = 0.55; time < 2.3; time += 0.125)
        await runTo(time);
    await view.close();
}

await (kind === "report" ? report() : serve());
await browser.close();
