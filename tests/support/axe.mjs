// A page in a browser -> what a person who sees or moves otherwise could not use: findings of axe-core that are serious or worse.
import { readFileSync } from "fs";

export async function seriousFindings(view, playwright) {
    await view.evaluate(readFileSync(`${playwright}/axe.min.js`, "utf8"));
    const result = await view.evaluate(() => axe.run());
    return result.violations.filter(one => one.impact === "serious" || one.impact === "critical")
        .map(one => `${one.id}: ${one.nodes[0].html.slice(0, 200)}`);
}
