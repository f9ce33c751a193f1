// A plane with a function on it: a wash of colour, lines where it has given values, points on top.
import { s, short } from "./dom.js";

export const WIDTH = 800, HEIGHT = 600, EDGE = 34;
const FINGER = 22; // pixels around a fingertip that are meant, too

// Marching squares: the set where the function has one value, as the d of a path.
export function level(mesh, wide, high, value, toX, toY) {
  const parts = [];
  const cut = (a, b) => (value - a) / (b - a);
  for (let j = 0; j + 1 < high; j++) {
    for (let i = 0; i + 1 < wide; i++) {
      const a = mesh[j * wide + i], b = mesh[j * wide + i + 1], c = mesh[(j + 1) * wide + i + 1], d = mesh[(j + 1) * wide + i];
      const kind = (a > value) + 2 * (b > value) + 4 * (c > value) + 8 * (d > value);
      if (kind === 0 || kind === 15) continue;
      const bottom = () => [i + cut(a, b), j], right = () => [i + 1, j + cut(b, c)];
      const top = () => [i + cut(d, c), j + 1], left = () => [i, j + cut(a, d)];
      const middle = (a + b + c + d) / 4 > value;
      const lines = {
        1: [[left, bottom]], 2: [[bottom, right]], 3: [[left, right]], 4: [[right, top]], 6: [[bottom, top]], 7: [[left, top]],
        8: [[left, top]], 9: [[bottom, top]], 11: [[right, top]], 12: [[left, right]], 13: [[bottom, right]], 14: [[left, bottom]],
        5: middle ? [[left, top], [bottom, right]] : [[left, bottom], [right, top]],
        10: middle ? [[left, bottom], [right, top]] : [[left, top], [bottom, right]],
      }[kind];
      for (const [from, to] of lines) {
        const p = from(), q = to();
        parts.push(`M${toX(p[0]).toFixed(1)} ${toY(p[1]).toFixed(1)}L${toX(q[0]).toFixed(1)} ${toY(q[1]).toFixed(1)}`);
      }
    }
  }
  return parts.join("");
}

const rgb = (name) => {
  const text = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  return [1, 3, 5].map((k) => parseInt(text.slice(k, k + 2), 16));
};

// Strength of colour by |value|, as a small picture that the browser smooths.
export function wash(mesh, wide, high, strength = (v) => 40 + 70 * Math.min(1, Math.abs(v))) {
  const canvas = document.createElement("canvas");
  canvas.width = wide;
  canvas.height = high;
  const context = canvas.getContext("2d"), image = context.createImageData(wide, high);
  const plus = rgb("--plus"), minus = rgb("--minus");
  for (let j = 0; j < high; j++) {
    for (let i = 0; i < wide; i++) {
      const v = mesh[j * wide + i], colour = v > 0 ? plus : minus, k = 4 * ((high - 1 - j) * wide + i);
      image.data.set([...colour, v == null ? 0 : strength(v)], k);
    }
  }
  context.putImageData(image, 0, 0);
  return canvas.toDataURL();
}

export function ticks(low, high, count = 6) {
  const raw = (high - low) / count, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((k) => k * power).find((k) => k >= raw);
  const found = [];
  for (let t = Math.ceil(low / step) * step; t <= high + 1e-9 * step; t += step) found.push(Number(t.toPrecision(10)));
  return found;
}

export class Plane {
  constructor(label) {
    this.image = s("image", { preserveAspectRatio: "none", x: 0, y: 0, width: WIDTH, height: HEIGHT });
    this.axes = s("g", {});
    this.lines = { edge: s("path", { class: "edge" }), line: s("path", { class: "line", id: "decision-line" }) };
    this.points = s("g", {});
    this.over = s("g", {});
    this.svg = s("svg", { class: "plane", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label },
      this.image, this.axes, this.lines.edge, this.lines.line, this.points, this.over);
    this.frame = { left: -3, right: 3, bottom: -2.25, top: 2.25 };
  }
  x(v) { return WIDTH * (v - this.frame.left) / (this.frame.right - this.frame.left); }
  y(v) { return HEIGHT * (this.frame.top - v) / (this.frame.top - this.frame.bottom); }
  back(px, py) {
    const f = this.frame;
    return [f.left + px / WIDTH * (f.right - f.left), f.top - py / HEIGHT * (f.top - f.bottom)];
  }
  at(event) {
    const box = this.svg.getBoundingClientRect();
    return this.back((event.clientX - box.left) / box.width * WIDTH, (event.clientY - box.top) / box.height * HEIGHT);
  }
  // The point that is meant, or -1: the mark under the pointer, or the nearest one under a finger.
  meant(event) {
    if (event.target.dataset.index !== undefined) return Number(event.target.dataset.index);
    let found = -1, least = event.pointerType === "touch" ? FINGER : 0;
    for (const mark of this.points.children) {
      const box = mark.getBoundingClientRect(), far = Math.hypot(event.clientX - (box.left + box.right) / 2, event.clientY - (box.top + box.bottom) / 2);
      if (far < least) { least = far; found = Number(mark.dataset.index); }
    }
    return found;
  }
  // A frame around rows of (x, y), with air; kept until the next sample so that nothing jumps.
  around(rows) {
    const xs = rows.map((r) => r[0]), ys = rows.map((r) => r[1]);
    const span = (v) => { const a = Math.min(...v), b = Math.max(...v), air = 0.12 * (b - a || 1); return [a - air, b + air]; };
    let [left, right] = span(xs), [bottom, top] = span(ys);
    const unit = Math.max((right - left) / WIDTH, (top - bottom) / HEIGHT), middle = [(left + right) / 2, (bottom + top) / 2];
    [left, right] = [middle[0] - unit * WIDTH / 2, middle[0] + unit * WIDTH / 2];
    [bottom, top] = [middle[1] - unit * HEIGHT / 2, middle[1] + unit * HEIGHT / 2];
    this.frame = { left, right, bottom, top };
  }
  drawAxes(names = ["x", "y"]) {
    const f = this.frame, parts = [];
    for (const t of ticks(f.left, f.right)) parts.push(s("line", { class: "axis", x1: this.x(t), x2: this.x(t), y1: HEIGHT - 6, y2: HEIGHT }), s("text", { x: this.x(t) + 3, y: HEIGHT - 4 }, short(t)));
    for (const t of ticks(f.bottom, f.top)) parts.push(s("line", { class: "axis", x1: 0, x2: 6, y1: this.y(t), y2: this.y(t) }), s("text", { x: 8, y: this.y(t) - 3 }, short(t)));
    parts.push(s("text", { x: WIDTH - 8, y: HEIGHT - 20, "text-anchor": "end" }, names[0]), s("text", { x: 8, y: 16 }, names[1]));
    this.axes.replaceChildren(...parts);
  }
  drawFunction(mesh, wide, high) {
    const toX = (i) => WIDTH * i / (wide - 1), toY = (j) => HEIGHT * (1 - j / (high - 1));
    this.image.setAttribute("href", wash(mesh, wide, high));
    this.lines.line.setAttribute("d", level(mesh, wide, high, 0, toX, toY));
    this.lines.edge.setAttribute("d", level(mesh, wide, high, 1, toX, toY) + level(mesh, wide, high, -1, toX, toY));
  }
}
