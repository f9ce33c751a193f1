// Diffusion: the points as they lie, and as a random walk sees them.
import { ask } from "../ask.js";
import { button, choice, slider } from "../controls.js";
import { facts, h, s, short, takeaway } from "../dom.js";
import { keep, state } from "../state.js";

const DEFAULTS = { shape: "spiral", n: 300, t: 1, density_exponent: 1, seed: 0 };

// From dark blue to yellow: lightness alone tells the order.
const shade = (u) => `rgb(${[[20, 240], [70, 205], [150, 60]].map(([a, b]) => Math.round(a + (b - a) * u)).join(" ")})`;

function cloud(rows, place, label) {
  const xs = rows.map((r) => r[0]), ys = rows.map((r) => r[1]), low = [Math.min(...xs), Math.min(...ys)], wide = Math.max(Math.max(...xs) - low[0], Math.max(...ys) - low[1], 1e-12);
  return s("svg", { viewBox: "0 0 420 420", role: "img", "aria-label": label }, s("text", { x: 8, y: 16 }, label),
    rows.map(([x, y], i) => s("circle", { cx: 20 + 380 * (x - low[0]) / wide, cy: 400 - 380 * (y - low[1]) / wide, r: 3, class: "rim", fill: shade(place[i]) })));
}

export function show(place, start) {
  const now = state(DEFAULTS), pictures = h("div", { class: "pair" }), numbers = h("div", {}), code = takeaway("", () => pictures.querySelectorAll("svg")[1], "diffusion");
  function update() {
    keep("diffusion", now, DEFAULTS);
    ask("diffusion", "walk", { ...now }, (found) => {
      pictures.replaceChildren(h("div", { class: "picture" }, cloud(found.points, found.place, "as they lie")), h("div", { class: "picture" }, cloud(found.embedding.map((r) => r.map((v) => v ?? 0)), found.place, `after ${short(now.t)} ${now.t === 1 ? "step" : "steps"}`)));
      numbers.replaceChildren(facts([["length scale found", short(found.length_scale)], ...found.eigenvalues.map((v, i) => [`eigenvalue ${i + 1}`, short(v)])]), ...found.notes.map((n) => h("p", { class: "note warning" }, n)));
      code.update(found.python);
    });
  }
  const set = (name) => (value) => { now[name] = value; update(); };
  place.append(h("div", { class: "split" }, h("div", {}, pictures, h("p", { class: "faint" }, "Colour follows the place along the shape, where that is known. With exponent 1 the density of the sample is divided out, with 0 it is not."), code), h("div", {}, h("div", { class: "panel" },
    choice({ label: "shape", options: start.shapes, value: now.shape, on: set("shape") }), slider({ label: "points", min: 50, max: 800, whole: true, value: now.n, on: set("n") }), slider({ label: "steps t", min: 0.5, max: 200, log: true, value: now.t, on: set("t") }),
    slider({ label: "density divided out", min: 0, max: 1, step: 0.05, value: now.density_exponent, on: set("density_exponent") }), h("div", { class: "row" }, button("Another draw", () => set("seed")(now.seed + 1)))), h("div", { class: "panel" }, numbers))));
  update();
}
