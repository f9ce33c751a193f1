// Shattering: a few points, all their labelings.
import { ask } from "../ask.js";
import { button, choice } from "../controls.js";
import { chart } from "../chart.js";
import { facts, h, s, takeaway } from "../dom.js";
import { Plane } from "../plane.js";
import { keep, state } from "../state.js";

const FIRST = "-1!-0.6_1!-0.5_0.1!1";
const DEFAULTS = { points: FIRST, rules: "affine" };

export function show(place, start) {
  const now = state(DEFAULTS), plane = new Plane("Points to be labelled");
  plane.frame = { left: -2.4, right: 2.4, bottom: -1.8, top: 1.8 };
  plane.drawAxes();
  plane.svg.setAttribute("tabindex", "0");
  let points = now.points.split("_").map((p) => p.split("!").map(Number)).filter((p) => p.length === 2 && p.every(Number.isFinite)), held = -1, last = 0;
  const numbers = h("div", { "aria-live": "polite" }), list = h("div", { class: "row" }), growth = h("div", { class: "picture small" }), code = takeaway("", () => plane.svg, "shattering");
  function small(labels, reached) {
    const svg = s("svg", { viewBox: "0 0 80 60", width: 80, height: 60, role: "img", "aria-label": `${reached ? "possible" : "impossible"}: ${labels.map((l) => (l > 0 ? "+" : "-")).join("")}` }, s("rect", { class: "axis", x: 0.5, y: 0.5, width: 79, height: 59, "stroke-width": reached ? 1 : 3 }));
    if (!reached) svg.append(s("path", { class: "limit", d: "M2 2L78 58M78 2L2 58" }));
    points.forEach(([x, y], i) => svg.append(labels[i] > 0 ? s("circle", { class: "plus", cx: plane.x(x) / 10, cy: plane.y(y) / 10, r: 5 }) : s("rect", { class: "minus", x: plane.x(x) / 10 - 4, y: plane.y(y) / 10 - 4, width: 8, height: 8 })));
    return svg;
  }
  function update() {
    now.points = points.map((p) => p.map((v) => Number(v.toFixed(2))).join("!")).join("_");
    keep("shattering", now, DEFAULTS);
    plane.points.replaceChildren(...points.map(([x, y], i) => { const m = s("circle", { class: `f5${i === last ? " chosen" : ""}`, cx: plane.x(x), cy: plane.y(y), r: 10 }); m.dataset.index = i; return m; }));
    ask("shattering", "label", { points, rules: now.rules }, (found) => {
      numbers.replaceChildren(facts([["points", points.length], ["labelings that can be produced", `${found.count} of ${found.all}`], ["largest shattered part", found.dimension]]),
        h("p", { class: `note ${found.shattered ? "good" : "warning"}` }, found.shattered ? "Shattered: every labeling can be produced, so these points say nothing against the class." : "Not shattered: the crossed-out labelings are out of reach."));
      if (found.labelings.every((l) => l.labels.length === points.length)) list.replaceChildren(...found.labelings.map((l) => small(l.labels, l.reached)));
      code.update(found.python);
    });
    ask("shattering", "growth", { rules: now.rules, m: 20 }, (found) => growth.replaceChildren(chart({ width: 420, height: 240, curves: [{ at: found.m, values: found.m, name: "all labelings: 2^m", class: "faintline" }, { at: found.m, values: found.bits, name: "growth function", class: "k1" }], x: { name: "points m" }, y: { name: "log₂ of labelings" }, label: "growth function" })));
  }
  plane.svg.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    plane.svg.focus({ preventScroll: true });
    const index = plane.meant(event);
    if (index >= 0) { held = last = index; plane.svg.setPointerCapture(event.pointerId); }
    else if (points.length < start.most) { points.push(plane.at(event)); last = points.length - 1; }
    update();
  });
  plane.svg.addEventListener("pointermove", (event) => { if (held >= 0) { points[held] = plane.at(event); update(); } });
  plane.svg.addEventListener("pointerup", () => { held = -1; });
  plane.svg.addEventListener("keydown", (event) => {
    const steps = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] }[event.key], p = points[last];
    if (steps && p) { p[0] += steps[0]; p[1] += steps[1]; }
    else if (event.key === "n" && points.length) last = (last + 1) % points.length;
    else if (event.key === "Delete" && points.length > 1) { points.splice(last, 1); last = 0; }
    else if (event.key === "a" && points.length < start.most) { points.push([0, 0]); last = points.length - 1; }
    else return;
    event.preventDefault();
    update();
  });
  place.append(h("div", { class: "split" }, h("div", {}, h("div", { class: "picture hands" }, plane.svg), h("p", { class: "faint" }, `Click to add (up to ${start.most}), drag to move. Keyboard: n chooses, arrows move, a adds, Delete removes.`), list, code),
    h("div", {}, h("div", { class: "panel" }, choice({ label: "rules", options: start.classes, value: now.rules, on: (v) => { now.rules = v; update(); } }), h("div", { class: "row" }, button("Three points", () => { points = FIRST.split("_").map((p) => p.split("!").map(Number)); last = 0; update(); }), button("Remove the last", () => { if (points.length > 1) { points.pop(); last = 0; update(); } })), numbers), growth)));
  update();
}
