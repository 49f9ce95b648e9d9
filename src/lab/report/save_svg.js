// saveSvg(chart, name) saves what a chart draws as an SVG file: the chart is
// drawn once more while the calls to its context are written down.
const chartToSvg = (chart) => {
  "use strict";
  const ctx = chart.ctx;
  const ratio = chart.currentDevicePixelRatio;
  const escape = (text) => String(text).replace(/[&<>"]/g, (c) =>
    ({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})[c]);
  const round = (value) => Math.round(value * 100) / 100;
  // Where the context's transform puts a point, in CSS pixels.
  const at = (x, y) => {
    const m = ctx.getTransform();
    return [round((m.a * x + m.c * y + m.e) / ratio),
            round((m.b * x + m.d * y + m.f) / ratio)];
  };
  const parts = [], clips = [], saved = [];
  let path = "", clip = "";
  const paint = (kind, extra) => {
    if (!path) return;
    const paints = kind === "fill"
      ? `fill="${escape(ctx.fillStyle)}"`
      : `fill="none" stroke="${escape(ctx.strokeStyle)}" ` +
        `stroke-width="${ctx.lineWidth}" ` +
        `stroke-dasharray="${ctx.getLineDash().join(" ")}"`;
    parts.push(`<path d="${path}" ${paints} ` +
               `opacity="${ctx.globalAlpha}"${extra || clip}/>`);
  };
  const box = (x, y, w, h) =>
    `M${at(x, y)}L${at(x + w, y)}L${at(x + w, y + h)}L${at(x, y + h)}Z`;
  const arc = (x, y, r, from, to) => {
    const whole = Math.abs(to - from) >= 2 * Math.PI - 1e-6;
    const end = whole ? from + Math.PI : to;
    const on = (angle) => at(x + r * Math.cos(angle), y + r * Math.sin(angle));
    const large = !whole && Math.abs(to - from) > Math.PI ? 1 : 0;
    const sweep = to >= from ? 1 : 0;
    path += `${path ? "L" : "M"}${on(from)}A${r} ${r} 0 ${large} ${sweep} ` +
            `${on(end)}`;
    if (whole) path += `A${r} ${r} 0 0 ${sweep} ${on(from)}`;
  };
  const text = (words, x, y) => {
    const anchor = {center: "middle", right: "end", end: "end"};
    const base = {middle: "central", top: "text-before-edge",
                  hanging: "text-before-edge", bottom: "text-after-edge"};
    const m = ctx.getTransform();
    const turn = round(Math.atan2(m.b, m.a) * 180 / Math.PI);
    const [px, py] = at(x, y);
    parts.push(`<text x="${px}" y="${py}" style="font:${escape(ctx.font)}" ` +
               `fill="${escape(ctx.fillStyle)}" ` +
               `text-anchor="${anchor[ctx.textAlign] || "start"}" ` +
               `dominant-baseline="${base[ctx.textBaseline] || "auto"}" ` +
               `transform="rotate(${turn} ${px} ${py})">${escape(words)}` +
               "</text>");
  };
  const record = {
    beginPath() { path = ""; },
    moveTo(x, y) { path += `M${at(x, y)}`; },
    lineTo(x, y) { path += `${path ? "L" : "M"}${at(x, y)}`; },
    bezierCurveTo(a, b, c, d, x, y) {
      path += `C${at(a, b)} ${at(c, d)} ${at(x, y)}`;
    },
    quadraticCurveTo(a, b, x, y) { path += `Q${at(a, b)} ${at(x, y)}`; },
    rect(x, y, w, h) { path += box(x, y, w, h); },
    arc, fill() { paint("fill"); }, stroke() { paint("stroke"); },
    closePath() { path += "Z"; },
    fillRect(x, y, w, h) { path = box(x, y, w, h); paint("fill"); },
    strokeRect(x, y, w, h) { path = box(x, y, w, h); paint("stroke"); },
    fillText: text,
    save() { saved.push(clip); },
    restore() { clip = saved.pop() || ""; },
    clip() {
      clip = ` clip-path="url` + `(#c${clips.length})"`;
      clips.push(`<clipPath id="c${clips.length}"><path d="${path}"/>` +
                 "</clipPath>");
    },
  };
  for (const name of Object.keys(record)) {
    ctx[name] = (...values) => {
      record[name](...values);
      return CanvasRenderingContext2D.prototype[name].apply(ctx, values);
    };
  }
  chart.draw();
  for (const name of Object.keys(record)) delete ctx[name];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${chart.width}" ` +
    `height="${chart.height}" viewBox="0 0 ${chart.width} ${chart.height}">` +
    `<defs>${clips.join("")}</defs>${parts.join("\n")}</svg>`;
};

const saveSvg = (chart, name) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(
    new Blob([chartToSvg(chart)], {type: "image/svg+xml"}));
  link.download = name.replace(/[^A-Za-z0-9.-]+/g, "_") + ".svg";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
};
