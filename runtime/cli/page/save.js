// save.js: what is seen -> files of the reader: PNG, SVG, and a video where the browser can make one.
"use strict";

function download(blob, name) {
    const anchor = element("a");
    anchor.href = URL.createObjectURL(blob);
    anchor.download = name;
    anchor.click();
    setTimeout(() => URL.revokeObjectURL(anchor.href), 10000);
}

// draw(pen, width, height) draws the whole picture.
function saveSvg(draw, width, height, name) {
    const pen = new SvgPen(width, height);
    pen.rectangle(0, 0, width, height, {fill: css("--paper")});
    draw(pen, width, height);
    download(new Blob([pen.toString()], {type: "image/svg+xml"}), `${name}.svg`);
}

function savePng(draw, width, height, name) {
    const canvas = element("canvas"), sharp = 2;
    canvas.width = sharp * width;
    canvas.height = sharp * height;
    const context = canvas.getContext("2d"), pen = new CanvasPen(context);
    context.scale(sharp, sharp);
    pen.rectangle(0, 0, width, height, {fill: css("--paper")});
    draw(pen, width, height);
    canvas.toBlob(blob => download(blob, `${name}.png`), "image/png");
}

const canRecord = () => typeof MediaRecorder !== "undefined" && HTMLCanvasElement.prototype.captureStream !== undefined;

// Records what a canvas shows from now on; the answer ends it and saves the file.
function recordVideo(canvas, name) {
    const type = ["video/mp4", "video/webm;codecs=vp9", "video/webm"].find(kind => MediaRecorder.isTypeSupported(kind));
    const recorder = new MediaRecorder(canvas.captureStream(30), {mimeType: type, videoBitsPerSecond: 6e6});
    const pieces = [];
    recorder.ondataavailable = event => pieces.push(event.data);
    recorder.onstop = () => download(new Blob(pieces, {type}), `${name}.${type.includes("mp4") ? "mp4" : "webm"}`);
    recorder.start();
    return () => recorder.stop();
}
