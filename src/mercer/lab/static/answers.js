// More from the counted rows of a run. Each part is a look: it is charged when it is opened, not before.
import { post } from "./ask.js";
import { chart } from "./chart.js";
import { button, choice, slider } from "./controls.js";
import { copy, facts, h, percent, s, savePicture, say, short, table } from "./dom.js";

function bars(levels, heights, what) {
  const top = Math.max(...heights, 1e-12), svg = s("svg", { viewBox: `0 0 420 ${24 * levels.length + 24}`, role: "img", "aria-label": what }, s("text", { x: 4, y: 14 }, what));
  levels.forEach((name, i) => svg.append(s("text", { class: "ink", x: 4, y: 38 + 24 * i }, name), s("rect", { class: "f0", x: 130, y: 26 + 24 * i, width: 200 * Math.max(0, heights[i]) / top, height: 15 }), s("text", { x: 136 + 200 * Math.max(0, heights[i]) / top, y: 38 + 24 * i }, short(heights[i], 3))));
  return svg;
}

const picture = (svg, name) => h("div", {}, h("div", { class: "picture small" }, svg), button("Save picture (SVG)", () => savePicture(svg, `${name}.svg`)));
const effect = (one) => picture(one.kind === "levels" ? bars(one.shown, one.heights, `${one.what} by ${one.name}`)
  : chart({ curves: [{ at: one.values, values: one.heights }], x: { name: one.name }, y: { name: one.what, low: Math.min(...one.heights) }, width: 420, height: 260, label: `${one.what} against ${one.name}` }), `effect of ${one.name}`);

// What each part shows once it is paid for.
const PARTS = {
  errors: ["Rows it was wrong about", (found) => [table(["row of the file", "is", "was predicted"], found.errors),
    h("p", { class: "note warning" }, "Looks pay for numbers. A model that is changed because of what single rows here say needs rows that nobody has read.")]],
  slices: ["Where it errs: slices", (found) => (!found.slices.length ? [h("p", {}, "Nothing to show: there is no column to slice by, or no slice holds 20 counted rows.")] : [h("p", { class: "faint" }, "Limits hold for all slices together, with 95 % confidence."), table(["column", "slice", "errors", "rows", "rate between", ""],
    found.slices.slice(0, 40).map((one) => [one.column, one.slice, one.errors, one.rows, `${percent(one.low)} and ${percent(one.high)}`, one.worse ? "worse than all rows" : one.better ? "better" : ""]))])],
  classes: ["Errors by class", (found) => [h("p", { class: "faint" }, "Limits hold for all classes together, with 95 % confidence."), table(["class", "errors", "rows", "rate between"], found.classes.map((one) => [one.class, one.errors, one.rows, `${percent(one.low)} and ${percent(one.high)}`]))]],
  drivers: ["What drives it, and effect curves", (found, task) => {
    const rate = (v) => (task === "classification" ? percent(v) : short(v));
    return [h("p", { class: "faint" }, `Rise of the ${task === "classification" ? "error rate" : "mean distance"} on counted rows when a column is shuffled; between: two standard errors, an estimate.`),
      table(["column", "rise", "between"], found.importance.map((one) => [one.name, rate(one.change), `${rate(one.low)} and ${rate(one.high)}`])),
      found.effects.length > 0 && h("div", { class: "pair" }, found.effects.map(effect))];
  }],
};

const lines = (found) => h("details", {}, h("summary", {}, "The same as code"), found.command && h("pre", {}, found.command), h("pre", {}, found.python),
  h("div", { class: "row" }, button("Copy", () => copy([found.command, found.python].filter(Boolean).join("\n\n")))));

export function parts(run, told) {
  const names = Object.keys(PARTS).filter((name) => told.counted && (told.task === "classification" || !["errors", "classes"].includes(name)));
  return names.map((name) => {
    const [title, shown] = PARTS[name], inside = h("div", {}, h("p", { class: "faint" }, "Charging a look…"));
    const box = h("details", { "data-part": name }, h("summary", {}, title), inside);
    box.addEventListener("toggle", async () => {
      if (!box.open || box.dataset.asked) return;
      box.dataset.asked = "1";
      try {
        const found = await post("data", "open", { run, part: name });
        inside.replaceChildren(h("p", { class: "note looks" }, `Look ${found.look} at these rows: all numbers from them hold together with ${percent(Math.max(0, 1 - found.spent))} confidence.`), ...shown(found, told.task).filter(Boolean), lines(found));
      } catch (problem) { delete box.dataset.asked; inside.replaceChildren(h("p", { class: "note bad" }, problem.message)); }
    });
    return box;
  });
}

export const moreRows = (found) => found && h("details", {}, h("summary", {}, "With more rows"),
  picture(chart({ curves: [{ at: found.rows, values: found.limits }], marks: [{ x: found.now, y: found.value, class: "f1", r: 5, title: "now" }], x: { name: "rows counted", log: true }, y: { name: "certified error, at the same rate", low: 0 }, width: 560, height: 260 }), "more rows"));

// Guarantees: a question, its inputs, and the promise that comes back.
const QUESTIONS = [["coverage", "sets or intervals that hold the truth"], ["metric", "another metric"], ["recall", "a threshold that misses few"], ["price", "errors with different prices"], ["groups", "is it as good for every group?"]];
const ABOUT = {
  coverage: "How many classes, or how wide an interval, it takes to hold so many new truths.",
  metric: "A limit of the metric on new rows, exact or by a valid bet; the positive class is the second unless a class is named (f1:positive=yes).",
  recall: "The highest threshold at which so many of the positives are found: an order statistic, the choice is part of the promise.",
  price: "The threshold 1/(1 + price) follows from the price alone, so nothing is chosen on the counted rows; the mean cost there is certified.",
  groups: "Limits for every value of a column and the largest gap, all at once.",
};

export function guarantees(run, told, metrics) {
  if (!told.counted) return null;
  const two = told.classes.length === 2, numbers = told.task !== "classification";
  const asked = { run, question: "coverage", value: 0.9, name: "", positive: "", kind: "pac", per: "all", delta: 0.05 };
  const inputs = h("div", {}), answer = h("div", { "aria-live": "polite" }), about = h("p", { class: "faint" });
  const positive = () => choice({ label: "class not to be missed", options: told.classes, value: asked.positive, on: (v) => { asked.positive = v; } });
  const set = (name) => (v) => { asked[name] = v; };
  const offer = {
    coverage: () => { asked.value = 0.9; return [slider({ label: "coverage", min: 0.5, max: 0.99, value: 0.9, shown: percent, on: set("value") }),
      choice({ label: "holds", options: [["pac", "with confidence"], ["all", "with confidence, at every coverage at once"], ["marginal", "on average only"]], value: "pac", on: set("kind") }),
      !numbers && choice({ label: "for", options: [["all", "all rows"], ["class", "every class"]], value: "all", on: set("per") })]; },
    metric: () => { const fit = metrics.filter((m) => !["accuracy", "cost"].includes(m)); asked.name = numbers ? "error_quantile" : "f1"; return [
      h("label", { class: "control" }, h("span", {}, "metric"), h("input", { type: "text", id: "metric", list: "metrics", value: asked.name, oninput: (event) => { asked.name = event.target.value; } })), h("datalist", { id: "metrics" }, fit.map((m) => h("option", { value: m })))]; },
    recall: () => { asked.value = 0.9; asked.positive = told.classes[1]; return [slider({ label: "found of the positives", min: 0.5, max: 0.99, value: 0.9, shown: percent, on: set("value") }), positive()]; },
    price: () => { asked.value = 5; asked.positive = told.classes[1]; return [slider({ label: "a miss costs as many false alarms", min: 0.05, max: 100, log: true, value: 5, on: set("value") }), positive()]; },
    groups: () => { asked.value = 0; asked.name = ""; return [choice({ label: "column", options: [["", "–"], ...told.columns], value: "", on: set("name") }),
      numbers && h("label", { class: "control" }, h("span", {}, "wrong: further off than"), h("input", { type: "number", min: 0, oninput: (event) => { asked.value = Number(event.target.value) || 0; } }))]; },
  };
  function choose(name) {
    Object.assign(asked, { question: name, name: "", positive: "", kind: "pac", per: "all" });
    about.textContent = ABOUT[name];
    inputs.replaceChildren(...offer[name]().filter(Boolean));
  }
  async function ask() {
    try {
      const found = await post("data", "guarantee", asked), look = found.look || {};
      say("");
      answer.prepend(h("section", { class: "panel promise" }, h("div", { class: `note ${found.found.length ? "warning" : "good"}` }, found.found.map((w) => h("p", {}, h("b", {}, w))), h("p", {}, found.statement)),
        found.words && h("p", {}, found.words), found.rows.length > 0 && table(found.heads, found.rows),
        facts([["look at these rows", look.k == null ? "not counted" : String(look.k)], ["how", found.title], ["δ", short(asked.delta)]]),
        h("details", {}, h("summary", {}, "What it rests on"), h("p", {}, found.counted), h("p", {}, found.reference), h("p", {}, `Assumes that ${found.assumptions.join("; that ")}.`)), lines(found)));
    } catch (problem) { say(problem.message, true); }
  }
  const offered = QUESTIONS.filter(([name]) => two || !["recall", "price"].includes(name));
  choose("coverage");
  return h("section", { class: "panel", id: "guarantees" }, h("h3", {}, "Ask the counted rows for more"),
    h("p", { class: "faint" }, "Every question is one more look at the same rows and is counted in mercer-lab-runs/looks.json; asking the same again is not."),
    choice({ label: "guarantee", options: offered, value: "coverage", on: choose }), about, inputs,
    slider({ label: "δ, the answer may be wrong", min: 1e-4, max: 0.5, log: true, value: 0.05, on: set("delta") }),
    h("div", { class: "row" }, button("Ask, and count the look", ask, { class: "main", id: "ask" })), answer);
}
