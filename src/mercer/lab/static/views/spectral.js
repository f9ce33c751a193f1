// The thesis' movie: an eigenvector of the graph beside the function it converges to, while n grows.
import { ask } from "../ask.js";
import { button, choice, slider } from "../controls.js";
import { chart } from "../chart.js";
import { facts, h, short, takeaway } from "../dom.js";
import { keep, state } from "../state.js";

const DEFAULTS = { n: 100, kind: "symmetric", length_scale: 0.3, valley: 0.3, vector: 1, seed: 0 };

export function show(place, start) {
  const now = state(DEFAULTS), pictureBox = h("div", { class: "picture" }), numbers = h("div", {});
  const code = takeaway("", () => pictureBox.querySelector("svg"), "spectral-limit");
  let timer = 0;
  function update() {
    keep("spectral", now, DEFAULTS);
    ask("spectral", "frame", { ...now }, (found) => {
      code.update(found.python);
      const curves = [{ at: found.x, values: found.vector, name: `eigenvector ${now.vector} of ${now.n} points`, class: "k0" }];
      if (found.limit) curves.push({ at: found.grid, values: found.limit, name: "eigenfunction of the law", class: "k1" });
      pictureBox.replaceChildren(chart({ curves, marks: found.x.map((x, i) => ({ x, y: found.vector[i], class: "f0", r: 2.2 })), x: { name: "x" }, y: { name: "value", low: Math.min(...found.vector, -2.5) }, label: "eigenvector and its limit" }));
      numbers.replaceChildren(facts([["largest distance to the limit", short(found.sup)], ["eigenvalue", short(found.eigenvalue)], ["its limit", short(found.limit_value)], ["share on one point", short(found.peak)]]),
        ...(found.limit ? [] : [h("p", { class: "note warning" }, "There is no eigenfunction to converge to here: the eigenvalue lies where the unnormalised Laplacian promises nothing, and vectors become spikes.")]));
    });
  }
  const size = slider({ label: "points", min: 20, max: 600, whole: true, value: now.n, on: (v) => { now.n = v; update(); } });
  function play() {
    clearInterval(timer);
    now.n = 20;
    timer = setInterval(() => { now.n = Math.min(600, Math.round(now.n * 1.12) + 1); size.set(now.n); update(); if (now.n >= 600) clearInterval(timer); }, 400);
  }
  const set = (name) => (value) => { now[name] = value; update(); };
  place.append(h("div", { class: "split" }, h("div", {}, pictureBox, code), h("div", {}, h("div", { class: "panel" }, size, h("div", { class: "row" }, button("Play", play, { class: "main" }), button("Pause", () => clearInterval(timer)), button("Another draw", () => set("seed")(now.seed + 1))),
    choice({ label: "Laplacian", options: start.kinds, value: now.kind, on: set("kind") }), slider({ label: "length scale", min: 0.05, max: 1, value: now.length_scale, step: 0.05, on: set("length_scale") }), slider({ label: "depth of the valley (density)", min: 0.05, max: 1, step: 0.05, value: now.valley, on: set("valley") }),
    choice({ label: "eigenvector", options: [["1", "first"], ["2", "second"]], value: String(now.vector), on: (v) => set("vector")(Number(v)) })), h("div", { class: "panel" }, numbers))));
  update();
  return () => clearInterval(timer);
}
