// Distances: a matrix to write in, its axioms, the triple that breaks one, a repair.
import { ask } from "../ask.js";
import { button, choice } from "../controls.js";
import { h, s, short, takeaway } from "../dom.js";
import { keep, state } from "../state.js";

export function show(place, start) {
  const DEFAULTS = { matrix: start.first.map((r) => r.join("!")).join("_"), repair: "none" };
  const now = state(DEFAULTS);
  let matrix = now.matrix.split("_").map((r) => r.split("!").map(Number));
  if (!matrix.every((r) => r.length === matrix.length && r.every(Number.isFinite)) || matrix.length < 3) matrix = start.first.map((r) => [...r]);
  const grid = h("div", { class: "scroll" }), told = h("div", { "aria-live": "polite" }), pictures = h("div", { class: "pair" }), code = takeaway("", () => pictures.querySelector("svg"), "distances");
  function draw() {
    grid.replaceChildren(h("table", { "aria-label": "distances" }, h("tbody", {}, matrix.map((row, i) => h("tr", {}, h("th", {}, String(i)), row.map((v, j) => h("td", {}, i === j ? "0" : h("input", { type: "number", step: "any", value: v, "aria-label": `from ${i} to ${j}`, oninput: (event) => { const x = Number(event.target.value); if (Number.isFinite(x)) { matrix[i][j] = x; if (both.checked) { matrix[j][i] = x; const twin = grid.querySelector(`[aria-label="from ${j} to ${i}"]`); if (twin) twin.value = x; } update(); } } }))))))));
  }
  function map(points, label, place_) {
    const xs = points.map((p) => p[0]), ys = points.map((p) => p[1]), low = [Math.min(...xs), Math.min(...ys)], wide = Math.max(Math.max(...xs) - low[0], Math.max(...ys) - low[1], 1e-9);
    const X = (p) => 40 + 300 * (p[0] - low[0]) / wide, Y = (p) => 350 - 300 * (p[1] - low[1]) / wide, three = place_ && place_.length === 3 ? place_.map((i) => points[i]) : null;
    return h("div", { class: "picture small" }, s("svg", { viewBox: "0 0 400 390", role: "img", "aria-label": label }, s("text", { x: 8, y: 18 }, label), three && s("path", { class: "limit", d: `M${three.map((p) => `${X(p)} ${Y(p)}`).join("L")}` }),
      points.flatMap((p, i) => [s("circle", { class: "f0", cx: X(p), cy: Y(p), r: 6 }), s("text", { class: "ink", x: X(p) + 9, y: Y(p) - 6 }, String(i))])));
  }
  const axioms = (list) => list.map((a) => h("p", { class: `note ${a.holds ? "good" : "bad"}` }, h("b", {}, `${a.code} ${a.holds ? "holds" : "fails"}: `), a.statement, !a.holds && a.place.length ? ` – off by ${short(a.worst)} at objects ${a.place.join(", ")}` : ""));
  function update() {
    now.matrix = matrix.map((r) => r.join("!")).join("_");
    keep("distances", now, DEFAULTS);
    ask("distances", "check", { matrix: matrix.map((r) => r.map(Number)), repair: now.repair }, (found) => {
      const broken = found.axioms.find((a) => a.code === "D5" && !a.holds);
      told.replaceChildren(h("p", { class: "big", id: "kind" }, found.kind), ...axioms(found.axioms), ...found.advice.map((a) => h("p", { class: "faint" }, a)),
        ...(found.after ? [h("h3", {}, found.after.words), h("p", {}, found.after.kind), h("pre", {}, found.after.matrix.map((r) => r.map((v) => String(short(v)).padStart(8)).join("")).join("\n"))] : []));
      pictures.replaceChildren(map(found.points, "in a plane, as well as it goes", broken && broken.place), ...(found.after ? [map(found.after.points, "after the repair", null)] : []));
      code.update(found.python);
    });
  }
  const both = h("input", { type: "checkbox" });
  both.checked = true;
  const resize = (n) => { if (n < 3 || n > start.most) return; const old = matrix; matrix = Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => (i === j ? 0 : old[i] && old[i][j] != null ? old[i][j] : 3))); draw(); update(); };
  place.append(h("div", { class: "split" }, h("div", {}, grid, pictures, code), h("div", {}, h("div", { class: "panel" }, h("label", { class: "row" }, both, "change both directions"), choice({ label: "repair", options: start.repairs, value: now.repair, on: (v) => { now.repair = v; update(); } }),
    h("div", { class: "row" }, button("One object more", () => resize(matrix.length + 1)), button("One less", () => resize(matrix.length - 1)), button("Start again", () => { matrix = start.first.map((r) => [...r]); draw(); update(); }))), told)));
  draw();
  update();
}
