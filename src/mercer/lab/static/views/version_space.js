// Version space: points in the plane on the left, classifiers as points of a disc on the right.
import { ask } from "../ask.js";
import { button, slider, tools } from "../controls.js";
import { facts, h, percent, s, save, short, takeaway } from "../dom.js";
import { Plane, wash } from "../plane.js";
import { keep, state } from "../state.js";

const FIRST = "-1.2!-0.6!-1_-0.7!0.9!-1_-0.2!-1.1!-1_0.9!0.7!1_1.3!-0.4!1_0.5!1.3!1_0.4!0.2!1";
const DEFAULTS = { points: FIRST, weights: 3, draws: 120, delta: 0.05 };
const SIZE = 420;
const MARKS = { "SVM": "f1", "Bayes point": "f2" };

export function show(place) {
  const now = state(DEFAULTS), plane = new Plane("Points of two classes");
  plane.frame = { left: -2.4, right: 2.4, bottom: -1.8, top: 1.8 };
  plane.drawAxes();
  let points = now.points.split("_").map((p) => p.split("!").map(Number)).filter((p) => p.length === 3 && p.every(Number.isFinite));
  let found = null, held = -1, sign = 1, tool = "move", last = null;
  const disc = h("div", { class: "picture" }), numbers = h("div", {}), code = takeaway("", () => disc.querySelector("svg"), "version-space");
  plane.svg.setAttribute("tabindex", "0");

  function drawPoints() {
    plane.points.replaceChildren(...points.map(([x, y, c], i) => {
      const mark = c > 0 ? s("circle", { cx: plane.x(x), cy: plane.y(y), r: 9 }) : s("rect", { x: plane.x(x) - 8, y: plane.y(y) - 8, width: 16, height: 16 });
      mark.setAttribute("class", `${c > 0 ? "plus" : "minus"}${i === last ? " chosen" : ""}`);
      mark.dataset.index = i;
      return mark;
    }));
  }
  function update() {
    now.points = points.map((p) => p.map((v) => Number(v.toFixed(2))).join("!")).join("_");
    keep("version_space", now, DEFAULTS);
    drawPoints();
    ask("version_space", "show", { points, weights: now.weights, draws: now.draws, delta: now.delta }, (answer) => { found = answer; draw(); });
  }
  function draw() {
    disc.replaceChildren(now.weights === 3 ? sphere() : circle());
    const worth = found.bounds[0];
    numbers.replaceChildren(h("div", {}, !found.separable && h("p", { class: "note warning" }, "No classifier is right about all rows: version space is empty."),
      facts([["share of all classifiers that are consistent", percent(found.volume)], ["radius of the largest ball (sine)", short(found.sine)], ["ln 1/volume, upper limit", short(found.kl)],
        ["mistakes of the perceptron", found.path.length + found.hidden], ...found.bounds.map((b) => [`≤ ${b.title}`, b.value >= 1 ? "says nothing" : percent(b.value)])]),
      worth && h("p", { class: "faint" }, "PAC-Bayes: the larger the volume, the smaller the bound. Move a point towards the others and watch both.")));
    code.update(found.python);
  }
  function sphere() {
    const half = SIZE / 2, r = half - 10, X = (v) => half + r * v, Y = (v) => half - r * v;
    const svg = s("svg", { viewBox: `0 0 ${SIZE} ${SIZE}`, role: "img", "aria-label": "The hemisphere of classifiers, cut by the rows" });
    const shades = found.errors.map((e) => (e == null ? null : e === 0 ? 1 : -e));
    svg.append(s("image", { href: wash(shades, found.side, found.side, (v) => (v > 0 ? 150 : Math.min(110, 12 * -v))), x: X(-1), y: Y(1), width: 2 * r, height: 2 * r }),
      s("circle", { class: "axis", cx: half, cy: half, r }));
    for (const line of found.circles) {
      let d = "", pen = false;
      for (const [x, y] of line) { if (x == null) { pen = false; continue; } d += `${pen ? "L" : "M"}${X(x).toFixed(1)} ${Y(y).toFixed(1)}`; pen = true; }
      svg.append(s("path", { class: "faintline", d }));
    }
    for (const [x, y] of found.samples) svg.append(s("circle", { class: "mutedfill", cx: X(x), cy: Y(y), r: 1.8 }));
    if (found.path.length) svg.append(s("path", { class: "curve k3", d: found.path.map(([x, y], i) => `${i ? "L" : "M"}${X(x).toFixed(1)} ${Y(y).toFixed(1)}`).join("") }), ...found.path.map(([x, y]) => s("circle", { class: "f3", cx: X(x), cy: Y(y), r: 2.4 })));
    for (const [name, [x, y]] of Object.entries(found.marks)) svg.append(s("circle", { class: MARKS[name], cx: X(x), cy: Y(y), r: 6 }), s("text", { class: "ink", x: X(x) + 9, y: Y(y) + (name === "SVM" ? -6 : 14) }, name));
    return svg;
  }
  function circle() {
    const half = SIZE / 2, r = half - 40, X = (a, k = 1) => half + k * r * Math.cos(a), Y = (a, k = 1) => half - k * r * Math.sin(a);
    const svg = s("svg", { viewBox: `0 0 ${SIZE} ${SIZE}`, role: "img", "aria-label": "The circle of classifiers through the origin" });
    let d = "";
    found.angles.forEach((a, i) => { if (found.errors[i] === 0 && i) { const b = found.angles[i - 1]; d += `M${X(b)} ${Y(b)}L${X(a)} ${Y(a)}`; } });
    svg.append(s("circle", { class: "axis", cx: half, cy: half, r }), s("path", { class: "curve k0 arc", d }));
    for (const t of found.turns) svg.append(s("line", { class: "faintline", x1: X(t, 1.08), y1: Y(t, 1.08), x2: X(t + Math.PI, 1.08), y2: Y(t + Math.PI, 1.08) }));
    for (const a of found.samples) svg.append(s("circle", { class: "mutedfill", cx: X(a), cy: Y(a), r: 2 }));
    found.path.forEach((a, i) => svg.append(s("circle", { class: "f3", cx: X(a, 0.9 - 0.02 * Math.min(i, 20)), cy: Y(a, 0.9 - 0.02 * Math.min(i, 20)), r: 3 })));
    for (const [name, a] of Object.entries(found.marks)) svg.append(s("circle", { class: MARKS[name], cx: X(a), cy: Y(a), r: 6 }), s("text", { class: "ink", x: X(a, 1.13), y: Y(a, name === "SVM" ? 1.06 : 1.2), "text-anchor": "middle" }, name));
    return svg;
  }
  plane.svg.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    const index = plane.meant(event);
    plane.svg.focus({ preventScroll: true });
    if (index < 0) { if (points.length < 60) points.push([...plane.at(event), sign]); last = points.length - 1; }
    else if (tool === "flip") { points[index][2] *= -1; last = index; }
    else if (tool === "remove") { points.splice(index, 1); last = null; }
    else { held = last = index; plane.svg.setPointerCapture(event.pointerId); }
    update();
  });
  plane.svg.addEventListener("pointermove", (event) => { if (held >= 0) { [points[held][0], points[held][1]] = plane.at(event); update(); } });
  const release = () => { held = -1; };
  plane.svg.addEventListener("pointerup", release);
  plane.svg.addEventListener("pointercancel", release);
  plane.svg.addEventListener("keydown", (event) => {
    const steps = { ArrowLeft: [-0.05, 0], ArrowRight: [0.05, 0], ArrowUp: [0, 0.05], ArrowDown: [0, -0.05] }[event.key], p = points[last];
    if (steps && p) { p[0] += steps[0]; p[1] += steps[1]; }
    else if (event.key === "n" && points.length) last = ((last ?? -1) + 1) % points.length;
    else if (event.key === "f" && p) p[2] *= -1;
    else if (event.key === "Delete" && p) { points.splice(last, 1); last = null; }
    else return;
    event.preventDefault();
    update();
  });
  const csv = () => save(`x,y,sign\n${points.map((p) => p.join(",")).join("\n")}\n`, "points.csv", "text/csv");
  place.append(h("div", { class: "split" }, h("div", {}, h("div", { class: "pair" }, h("div", { class: "picture hands" }, plane.svg), disc),
    h("p", { class: "faint" }, "A classifier is a point on the right; a row of data cuts the sphere along a great circle. Blue: no row is wrong. Dots: Gibbs samples. Purple: the perceptron's path. Keyboard: Tab to the plane, n chooses a point, arrows move it, f flips it, Delete removes it."), code),
  h("div", {}, h("div", { class: "panel" },
    tools({ label: "Weights", options: [[3, "three: with an offset"], [2, "two: through the origin"]], value: now.weights, on: (v) => { now.weights = v; update(); } }),
    tools({ label: "A touch", options: [["move", "moves or adds"], ["flip", "flips"], ["remove", "removes"]], value: tool, on: (v) => { tool = v; } }),
    tools({ label: "New points are", options: [[1, "round"], [-1, "square"]], value: 1, on: (v) => { sign = v; } }),
    slider({ label: "Gibbs samples", min: 10, max: 400, whole: true, value: now.draws, on: (v) => { now.draws = v; update(); } }),
    slider({ label: "δ", min: 1e-4, max: 0.5, log: true, value: now.delta, on: (v) => { now.delta = v; update(); } }),
    h("div", { class: "row" }, button("Start again", () => { points = FIRST.split("_").map((p) => p.split("!").map(Number)); update(); }), button("Save points (CSV)", csv))), h("div", { class: "panel" }, numbers))));
  const repaint = () => found && draw();
  addEventListener("themechange", repaint);
  update();
  return () => removeEventListener("themechange", repaint);
}
