// pen.js: the same calls -> a picture on a canvas, or an SVG text. What is seen is so saved in both ways.
// A look is {stroke, width, dash, fill, alpha, round}; lengths are in pixels.
"use strict";

class CanvasPen {
    constructor(context) { this.context = context; }
    finish(look) {
        const c = this.context;
        c.globalAlpha = look.alpha === undefined ? 1 : look.alpha;
        if (look.fill) {
            c.fillStyle = look.fill;
            c.fill();
        }
        if (look.stroke) {
            c.strokeStyle = look.stroke;
            c.lineWidth = look.width || 1;
            c.setLineDash(look.dash || []);
            c.lineCap = c.lineJoin = look.round ? "round" : "butt";
            if (!look.round)
                c.lineJoin = "miter";
            c.stroke();
        }
        c.globalAlpha = 1;
    }
    path(points, look) { // null in the list: a gap
        let open = false;
        this.context.beginPath();
        points.forEach(point => {
            if (point && open)
                this.context.lineTo(point[0], point[1]);
            else if (point)
                this.context.moveTo(point[0], point[1]);
            open = point !== null;
        });
        this.finish(look);
    }
    rectangle(x, y, width, height, look) {
        this.context.beginPath();
        this.context.rect(x, y, width, height);
        this.finish(look);
    }
    ellipse(x, y, rx, ry, look) {
        this.context.beginPath();
        this.context.ellipse(x, y, rx, ry, 0, 0, 2 * Math.PI);
        this.finish(look);
    }
    text(x, y, words, look) { // look: {size, fill, align}
        const c = this.context;
        c.font = `${look.bold ? "600 " : ""}${look.size || 12}px ${FONT}`;
        c.textAlign = look.align || "left";
        c.fillStyle = look.fill;
        c.fillText(words, x, y);
        c.textAlign = "left";
    }
    // The lower edge goes from (x, y) to (dx, dy).
    image(picture, x, y, dx, dy) {
        const c = this.context, width = Math.hypot(dx - x, dy - y), height = width * picture.height / picture.width;
        c.save();
        c.translate(x, y);
        c.rotate(Math.atan2(dy - y, dx - x));
        c.drawImage(picture, 0, -height, width, height);
        c.restore();
    }
    within(x, y, width, height, draw) {
        this.context.save();
        this.context.beginPath();
        this.context.rect(x, y, width, height);
        this.context.clip();
        draw();
        this.context.restore();
    }
}

class SvgPen {
    constructor(width, height) {
        this.size = [width, height];
        this.parts = [];
        this.clips = 0;
    }
    static escape(text) {
        return String(text).replace(/[&<>"']/g, letter => `&#${letter.charCodeAt(0)};`);
    }
    put(tag, attributes, look) {
        const all = {...attributes, fill: look.fill || "none"};
        if (look.stroke)
            Object.assign(all, {stroke: look.stroke, "stroke-width": look.width || 1});
        if (look.dash && look.dash.length)
            all["stroke-dasharray"] = look.dash.join(" ");
        if (look.round)
            Object.assign(all, {"stroke-linecap": "round", "stroke-linejoin": "round"});
        if (look.alpha !== undefined && look.alpha !== 1)
            all.opacity = look.alpha;
        this.parts.push(`<${tag} ${SvgPen.attributes(all)}/>`);
    }
    static attributes(all) {
        return Object.entries(all).map(([key, value]) =>
            `${key}="${SvgPen.escape(typeof value === "number" ? +value.toFixed(2) : value)}"`).join(" ");
    }
    path(points, look) {
        let open = false;
        const steps = points.map(point => {
            const step = point ? `${open ? "L" : "M"}${point[0].toFixed(2)} ${point[1].toFixed(2)}` : "";
            open = point !== null;
            return step;
        });
        this.put("path", {d: steps.join("")}, look);
    }
    rectangle(x, y, width, height, look) { this.put("rect", {x, y, width, height}, look); }
    ellipse(cx, cy, rx, ry, look) { this.put("ellipse", {cx, cy, rx, ry}, look); }
    text(x, y, words, look) {
        const anchor = {left: "start", center: "middle", right: "end"}[look.align || "left"];
        const attributes = {x, y, fill: look.fill, "font-size": look.size || 12, "text-anchor": anchor};
        if (look.bold)
            attributes["font-weight"] = 600;
        this.parts.push(`<text ${SvgPen.attributes(attributes)}>${SvgPen.escape(words)}</text>`);
    }
    image(picture, x, y, dx, dy) {
        const width = Math.hypot(dx - x, dy - y), height = width * picture.height / picture.width;
        const turn = Math.atan2(dy - y, dx - x) * 180 / Math.PI;
        this.parts.push(`<image ${SvgPen.attributes({
            x: 0, y: -height, width, height, href: picture.src,
            transform: `translate(${x.toFixed(2)} ${y.toFixed(2)}) rotate(${turn.toFixed(3)})`})}/>`);
    }
    within(x, y, width, height, draw) {
        const id = `clip${++this.clips}`;
        this.parts.push(`<clipPath id="${id}"><rect ${SvgPen.attributes({x, y, width, height})}/></clipPath>` +
                        `<g clip-path="url(#${id})">`);
        draw();
        this.parts.push("</g>");
    }
    toString() {
        const [width, height] = this.size;
        return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
               `viewBox="0 0 ${width} ${height}" font-family="${FONT}">${this.parts.join("\n")}</svg>\n`;
    }
}
