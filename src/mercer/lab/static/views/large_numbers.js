// Large numbers: error rates of many equal rules, and the limits that hold for one and for all.
import { ask } from "../ask.js";
import { button, slider } from "../controls.js";
import { chart } from "../chart.js";
import { facts, h, percent, takeaway } from "../dom.js";
import { keep, state } from "../state.js";

const DEFAULTS = { risk: 0.2, rows: 2000, rules: 30, delta: 0.05, seed: 0 };

export function show(place) {
  const now = state(DEFAULTS), pictureBox = h("div", { class: "picture" }), numbers = h("div", {}), code = takeaway("", () => pictureBox.querySelector("svg"), "large-numbers");
  function update() {
    keep("large_numbers", now, DEFAULTS);
    ask("large_numbers", "run", { ...now }, (found) => {
      const band = (w, sign) => found.at.map((_, i) => Math.min(1, Math.max(0, now.risk + sign * w[i])));
      pictureBox.replaceChildren(chart({ height: 420, curves: [...found.paths.map((p) => ({ at: found.at, values: p, class: "faintline" })),
        ...[1, -1].map((k) => ({ at: found.at, values: band(found.one, k), class: "k0" })), ...[1, -1].map((k) => ({ at: found.at, values: band(found.every, k), class: "k1", dash: "9 4" }))],
        limits: [{ value: now.risk, name: "true error", class: "truth" }], x: { name: "rows seen", log: true }, y: { name: "error rate", low: 0, high: 1 }, label: "error rates of equal rules against rows" }));
      code.update(found.python);
      numbers.replaceChildren(facts([["true error of every rule", percent(now.risk)], ["the luckiest rule looks like", percent(found.luckiest)], ["outside the blue limits (one rule)", percent(found.outside_one)], ["any outside the orange ones (all rules)", found.outside_every ? "yes" : "no"]]));
    });
  }
  const set = (name) => (value) => { now[name] = value; update(); };
  place.append(h("div", { class: "split" }, h("div", {}, pictureBox, h("p", { class: "faint" }, "Blue: Hoeffding's limit for one rule named in advance. Orange, dashed: the same for all rules at once, by the union bound. Whoever picks the rule that looks best needs the orange one."), code),
    h("div", {}, h("div", { class: "panel" }, slider({ label: "true error", min: 0.01, max: 0.99, value: now.risk, shown: percent, on: set("risk") }), slider({ label: "rows", min: 10, max: 20000, log: true, whole: true, value: now.rows, on: set("rows") }),
      slider({ label: "rules", min: 1, max: 500, log: true, whole: true, value: now.rules, on: set("rules") }), slider({ label: "δ", min: 1e-4, max: 0.5, log: true, value: now.delta, on: set("delta") }), h("div", { class: "row" }, button("Again", () => set("seed")(now.seed + 1)))), h("div", { class: "panel" }, numbers))));
  update();
}
