// Lines over an axis, linear or logarithmic.
import { s, short } from "./dom.js";
import { ticks } from "./plane.js";

// As wide as there is room, so that letters stay readable on a narrow page.
const roomy = () => Math.max(340, Math.min(760, document.querySelector("main").clientWidth - 26));

const LEFT = 58, RIGHT = 16, TOP = 12, BOTTOM = 40;

export function decades(low, high) {
  const found = [];
  for (let p = Math.ceil(Math.log10(low) - 1e-9); p <= Math.log10(high) + 1e-9; p++) found.push(10 ** p);
  return found.length > 1 ? found : [low, high];
}

// curves: [{name, at, values, kind}], limits: [{value, name, class}], marks: [{x, y, class}]
export function chart({ curves = [], limits = [], marks = [], x = {}, y = {}, width = roomy(), height = 360, label }) {
  const xs = curves.flatMap((c) => c.at).concat(marks.map((m) => m.x)).filter(Number.isFinite);
  const ys = curves.flatMap((c) => c.values).concat(marks.map((m) => m.y), limits.map((l) => l.value)).filter(Number.isFinite);
  const low = [x.low ?? Math.min(...xs), y.low ?? Math.min(0, ...ys)], high = [x.high ?? Math.max(...xs), y.high ?? Math.max(...ys)];
  if (high[0] === low[0]) high[0] = low[0] + 1;
  if (high[1] === low[1]) high[1] = low[1] + 1;
  const u = (v, k, log) => (log ? Math.log(v / low[k]) / Math.log(high[k] / low[k]) : (v - low[k]) / (high[k] - low[k]));
  const px = (v) => LEFT + (width - LEFT - RIGHT) * u(v, 0, x.log), py = (v) => height - BOTTOM - (height - TOP - BOTTOM) * Math.max(-0.02, Math.min(1.02, u(v, 1, y.log)));
  const svg = s("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label || y.name || "chart" });
  svg.append(s("path", { class: "axis", d: `M${LEFT} ${TOP}V${height - BOTTOM}H${width - RIGHT}` }));
  for (const t of x.log ? decades(low[0], high[0]) : ticks(low[0], high[0])) svg.append(s("line", { class: "axis", x1: px(t), x2: px(t), y1: height - BOTTOM, y2: height - BOTTOM + 5 }), s("text", { x: px(t), y: height - BOTTOM + 18, "text-anchor": "middle" }, short(t)));
  for (const t of y.log ? decades(low[1], high[1]) : ticks(low[1], high[1], 5)) svg.append(s("line", { class: "axis", x1: LEFT - 5, x2: width - RIGHT, y1: py(t), y2: py(t) }), s("text", { x: LEFT - 8, y: py(t) + 4, "text-anchor": "end" }, short(t)));
  svg.append(s("text", { x: width - RIGHT, y: height - 6, "text-anchor": "end", class: "ink" }, x.name || ""), s("text", { x: LEFT + 6, y: TOP + 12, class: "ink" }, y.name || ""));
  curves.forEach((c, k) => {
    let d = "", pen = false;
    c.at.forEach((v, i) => {
      const value = c.values[i];
      if (!Number.isFinite(value)) { pen = false; return; }
      d += `${pen ? "L" : "M"}${px(v).toFixed(1)} ${py(value).toFixed(1)}`;
      pen = true;
    });
    const kind = c.class || `k${k % 6}`;
    svg.append(s("path", { class: `curve ${kind}`, d, "stroke-dasharray": c.dash }));
    if (c.name) svg.append(s("text", { class: /^k\d$/.test(kind) ? kind.replace("k", "f") : null, x: LEFT + 14, y: TOP + 30 + 16 * k }, c.name));
  });
  for (const l of limits) svg.append(s("line", { class: l.class || "limit", x1: LEFT, x2: width - RIGHT, y1: py(l.value), y2: py(l.value) }), s("text", { x: width - RIGHT - 4, y: py(l.value) - 5, "text-anchor": "end" }, l.name));
  for (const m of marks) svg.append(s("circle", { class: m.class || "f0", cx: px(m.x), cy: py(m.y), r: m.r || 3.5 }, m.title && s("title", {}, m.title)));
  svg.px = px;
  svg.py = py;
  return svg;
}
