// The calculator: sliders are made from what the server says a bound reads.
import { ask, later } from "../ask.js";
import { choice, slider } from "../controls.js";
import { chart } from "../chart.js";
import { facts, h, percent, short, takeaway } from "../dom.js";
import { keep, state } from "../state.js";

const DEFAULTS = { code: "holdout", delta: 0.05, target: 0.1, over: "n", moved: "" };

export function show(place, start) {
  const now = state(DEFAULTS);
  if (!start.bounds.some((b) => b.code === now.code)) now.code = DEFAULTS.code;
  let moved = {};
  try { moved = JSON.parse(now.moved || "{}"); } catch { moved = {}; }
  const knobs = h("div", {}), result = h("div", { "aria-live": "polite" }), pictureBox = h("div", { class: "picture" }), words = h("div", {}), rows = h("p", {});
  const code = takeaway("", () => pictureBox.querySelector("svg"), "bound");
  let drawn = {}, over = null;

  const body = () => ({ code: now.code, moved, delta: now.delta });
  const aim = later(() => ask("calculator", "target", { ...body(), target: now.target }, (found) => {
    rows.textContent = found.rows == null ? `No number of rows brings it to ${short(now.target)} at these rates.` : `For ${short(now.target)} at the same rates: ${found.rows.toLocaleString("en")} counted rows (here ${found.counted.toLocaleString("en")}).`;
  }), 300);
  const sweep = later(() => ask("calculator", "curve", { ...body(), over: now.over }, (found) => {
    pictureBox.replaceChildren(chart({ curves: [{ at: found.at, values: found.values.map((v) => (v == null ? NaN : Math.min(v, 1.4 * found.ceiling))) }],
      limits: [{ value: found.ceiling, name: "above this line it says nothing" }], x: { name: now.over, log: found.at[0] > 0 }, y: { name: "value", low: 0, high: 1.1 * found.ceiling }, label: `value of the bound against ${now.over}` }));
  }), 120);

  function ask_() {
    keep("calculator", { ...now, moved: Object.keys(moved).length ? JSON.stringify(moved) : "" }, DEFAULTS);
    ask("calculator", "value", body(), (found) => {
      result.replaceChildren(h("div", {}, h("p", { class: "big" }, `${found.kind === "estimate" ? "≈" : "≤"} ${found.ceiling === 1 ? percent(found.value, 4) : short(found.value)}`),
        found.value >= found.ceiling && h("p", { class: "note bad" }, "It says nothing at these numbers."),
        h("p", {}, found.words.split("\n")[0]),
        facts([...Object.entries(found.follow).map(([name, count]) => [`${name}, a share of n`, short(count)]), ...found.ledger.map((e) => [`δ for ${e.what}`, short(e.delta)])])));
      words.replaceChildren(h("div", {}, h("h3", {}, found.title), h("pre", {}, found.formula), h("p", { class: "faint" }, found.reference), h("ul", {}, found.assumptions.map((a) => h("li", {}, a)))));
      code.update(`${found.python}\n# on the command line: ${found.command}\n`);
      show_knobs(found.knobs);
      aim();
      sweep();
    });
  }
  function show_knobs(list) {
    const names = list.map((k) => k.name).join();
    if (knobs.dataset.names !== names) {
      drawn = {};
      knobs.dataset.names = names;
      knobs.replaceChildren(...list.map((k) => (drawn[k.name] = slider({ label: k.name, min: k.low, max: k.high, log: k.log, whole: k.whole, value: k.value,
        on: (v) => { moved[k.name] = v; ask_(); } }))));
      const options = [...list.map((k) => k.name), "delta"];
      if (!options.includes(now.over)) now.over = "n";
      over = choice({ label: "curve over", options, value: now.over, on: (v) => { now.over = v; ask_(); } });
      knobs.append(over);
    } else {
      list.forEach((k) => { if (drawn[k.name].input !== document.activeElement) drawn[k.name].set(k.value); });
    }
  }
  const names = start.bounds.map((b) => [b.code, `${b.title}${b.kind === "estimate" ? " (estimate)" : ""}`]);
  place.append(h("div", { class: "split" }, h("div", {}, result, rows, pictureBox, words, code),
    h("div", { class: "panel" }, choice({ label: `bound (${names.length})`, options: names, value: now.code, on: (v) => { now.code = v; moved = {}; ask_(); } }),
      slider({ label: "δ, may be wrong with this probability", min: 1e-9, max: 0.5, log: true, value: now.delta, on: (v) => { now.delta = v; ask_(); } }),
      slider({ label: "target", min: 1e-3, max: 1, log: true, value: now.target, on: (v) => { now.target = v; ask_(); } }),
      h("h3", {}, "What it reads"), knobs)));
  ask_();
}
