// Bounds live: bars on one axis, cut into what they consist of; looks at the held-out rows are counted.
import { ask } from "../ask.js";
import { button, choice, slider } from "../controls.js";
import { facts, h, percent, s, takeaway } from "../dom.js";
import { keep, state } from "../state.js";

const DEFAULTS = { law: "two clouds", n: 400, seed: 1, split: 0.7, delta: 0.05, kernel: "linear", C: 1, scale: 1, look: 1 };
const PARTS = ["errors seen", "richness of the class", "confidence"];
// Where there is room names stand beside their bars, on a narrow page above them.
const LAYOUTS = { roomy: { WIDE: 860, NAME: 300, ROW: 26, DOWN: 0 }, narrow: { WIDE: 440, NAME: 14, ROW: 42, DOWN: 16 } };

export function show(place, start) {
  const now = state(DEFAULTS), pictureBox = h("div", { class: "picture" }), numbers = h("div", {}), ledger = h("div", { "aria-live": "polite" }), missing = h("div", {});
  const code = takeaway("", () => pictureBox.querySelector("svg"), "bounds");
  // Each look at the same held-out rows with another machine is counted: ways to be lucky add up.
  const seen = new Set();
  function update(what) {
    const machine = [now.kernel, now.C, now.scale].join();
    if (what === "rows") { seen.clear(); now.look = 1; }
    seen.add(machine);
    now.look = Math.max(now.look, seen.size);
    keep("bounds", now, DEFAULTS);
    ask("bounds", "study", { ...now }, draw);
  }
  function draw(found) {
    const { WIDE, NAME, ROW, DOWN } = LAYOUTS[pictureBox.clientWidth < 600 ? "narrow" : "roomy"];
    const rows = found.rows, height = 46 + ROW * rows.length, x = (v) => NAME + (WIDE - NAME - 20) * Math.min(1, Math.max(0, v));
    const svg = s("svg", { viewBox: `0 0 ${WIDE} ${height}`, role: "img", "aria-label": "Bounds and estimates on one axis, with the true risk" });
    for (let t = 0; t <= 10; t += 2) svg.append(s("line", { class: "axis", x1: x(t / 10), x2: x(t / 10), y1: 24, y2: height - 8 }), s("text", { x: x(t / 10), y: 18, "text-anchor": "middle" }, `${t * 10} %`));
    rows.forEach((row, k) => {
      const y = 34 + DOWN + ROW * k, group = s("g", {}, s("title", {}, `${row.title}: ${percent(row.value)}${row.dominant ? `, mostly ${row.dominant}` : ""}. ${row.counted}`));
      const name = row.title.length > 44 ? `${row.title.slice(0, 43)}…` : row.title;
      group.append(s("text", { class: "ink", x: DOWN ? NAME : NAME - 8, y: y + 13 - 1.1 * DOWN, "text-anchor": DOWN ? "start" : "end" }, name));
      if (row.kind === "estimate") group.append(s("circle", { class: "line", cx: x(row.value), cy: y + 9, r: 5 }));
      else if (row.parts) {
        let from = 0;
        PARTS.forEach((part, i) => {
          const to = Math.min(1, from + row.parts[part]);
          if (to > from) group.append(s("rect", { class: `f${[5, 0, 1][i]}`, x: x(from), y, width: x(to) - x(from), height: 17, opacity: row.vacuous ? 0.3 : 1 }));
          from = to;
        });
      } else group.append(s("rect", { class: "f5", x: x(0), y, width: x(1) - x(0), height: 17, opacity: 0.2 }));
      group.append(s("text", { x: Math.min(x(row.value) + 8, WIDE - 96), y: y + 13, class: "ink" }, row.vacuous ? "says nothing" : `${row.kind === "estimate" ? "≈" : "≤"} ${percent(row.value)}`));
      svg.append(group);
    });
    svg.append(s("line", { class: "truth", id: "truth", x1: x(found.truth), x2: x(found.truth), y1: 22, y2: height - 8 }), s("text", { x: x(found.truth) + 4, y: height - 4, class: "ink" }, `truth ${percent(found.truth)}`));
    pictureBox.replaceChildren(svg);
    numbers.replaceChildren(facts([["true risk, machine of all rows", percent(found.truth)], ["true risk, machine of the part", percent(found.truth_part)], ["nobody can beat", percent(found.bayes_risk)],
      ["training error", percent(found.training_error)], ["errors on held-out rows", `${found.wrong} of ${found.counted}`], ["answered in", `${found.milliseconds.toFixed(0)} ms`]]));
    ledger.replaceChildren(h("div", { class: found.look > 1 ? "note warning" : "note good" },
      h("b", {}, `Look ${found.look} at these ${found.counted} held-out rows. `),
      found.look > 1 ? `Alone the number would be ${percent(found.alone)}. You have chosen after looking, so this look may only spend δ = ${found.share.toPrecision(2)}: the honest number is ${percent(found.honest)}.`
        : `The first look spends most of δ: ${percent(found.honest)}.`));
    missing.replaceChildren(...Object.entries(found.not_applicable).map(([name, why]) => h("p", { class: "faint" }, h("b", {}, name), ` ${why}`)));
    code.update(found.python);
  }
  const set = (name, what) => (value) => { now[name] = value; update(what); };
  place.append(h("div", { class: "split" },
    h("div", {}, pictureBox, h("p", { class: "faint" }, "Grey: errors seen. Blue: price of a rich class. Orange: price of confidence. Circles are estimates, which promise nothing. The green line is the truth."), ledger, code,
      h("details", {}, h("summary", {}, "Bounds that do not apply, and why"), missing)),
    h("div", {}, h("div", { class: "panel" },
      choice({ label: "law", options: start.laws, value: now.law, on: set("law", "rows") }),
      slider({ label: "rows", min: 20, max: start.most, log: true, whole: true, value: now.n, on: set("n", "rows") }),
      slider({ label: "share of rows to learn from", min: 0.1, max: 0.9, value: now.split, shown: percent, on: set("split", "rows") }),
      slider({ label: "δ", min: 1e-6, max: 0.5, log: true, value: now.delta, on: set("delta") }),
      h("div", { class: "row" }, button("Fresh rows", () => set("seed", "rows")(now.seed + 1)))),
      h("div", { class: "panel" }, h("h3", {}, "The machine: each change is a look"),
        choice({ label: "kernel", options: start.kernels, value: now.kernel, on: set("kernel") }),
        slider({ label: "C", min: 1e-3, max: 1e4, log: true, value: now.C, step: 0.7, on: set("C") }),
        slider({ label: "length scale", min: 0.05, max: 20, log: true, value: now.scale, step: 0.25, on: set("scale") })),
      h("div", { class: "panel" }, numbers))));
  update();
}
