// The next questions of a finished run: what matters, where it errs, thresholds, more rows.
import { chart } from "./chart.js";
import { h, percent, s, short, table } from "./dom.js";

function bars(levels, heights, what) {
  const top = Math.max(...heights, 1e-12), svg = s("svg", { viewBox: `0 0 420 ${24 * levels.length + 24}`, role: "img", "aria-label": what }, s("text", { x: 4, y: 14 }, what));
  levels.forEach((name, i) => svg.append(s("text", { class: "ink", x: 4, y: 38 + 24 * i }, name), s("rect", { class: "f0", x: 130, y: 26 + 24 * i, width: 200 * Math.max(0, heights[i]) / top, height: 15 }), s("text", { x: 136 + 200 * Math.max(0, heights[i]) / top, y: 38 + 24 * i }, short(heights[i], 3))));
  return svg;
}

const part = (title, ...inside) => h("details", {}, h("summary", {}, title), inside);

export function answers(found, task) {
  if (!found || !Object.keys(found).length) return [];
  const rate = (v) => (task === "classification" ? percent(v) : short(v)), made = [];
  if (found.importance?.length) made.push(part("What drives it", h("p", { class: "faint" }, task === "classification" ? "Rise of the error rate on unseen rows when the column is shuffled, with two standard errors." : "Rise of the mean distance on unseen rows when the column is shuffled."),
    table(["column", "rise", "between"], found.importance.map((one) => [one.name, rate(one.change), `${rate(one.low)} and ${rate(one.high)}`]))));
  if (found.effects?.length) made.push(part("How the answer moves with a column", h("div", { class: "pair" }, found.effects.map((one) => h("div", { class: "picture" },
    one.kind === "levels" ? bars(one.shown, one.heights, `${one.what} by ${one.name}`) : chart({ curves: [{ at: one.values, values: one.heights }], x: { name: one.name }, y: { name: one.what, low: Math.min(...one.heights) }, width: 420, height: 260, label: `${one.what} against ${one.name}` }))))));
  if (found.slices?.length) made.push(part("Where it errs: slices", h("p", { class: "faint" }, "Limits hold for all slices together."), table(["column", "slice", "errors", "rows", "rate between", ""],
    found.slices.slice(0, 40).map((one) => [one.column, one.slice, one.errors, one.rows, `${percent(one.low)} and ${percent(one.high)}`, one.worse ? "worse than all rows" : one.better ? "better" : ""]))));
  if (found.classes?.length) made.push(part("Errors by class", table(["class", "errors", "rows", "rate between"], found.classes.map((one) => [one.class, one.errors, one.rows, `${percent(one.low)} and ${percent(one.high)}`]))));
  if (found.thresholds?.length) made.push(part("If errors have different prices", h("p", { class: "note warning" }, "Chosen on the counted rows: the certificate is about the model's own threshold, not about these."),
    table(["a miss costs as many false alarms", "threshold", "misses", "false alarms", "cost", "cost at 0.5"], [...found.thresholds].sort((a, b) => a.price - b.price).map((one) => [one.price, one.threshold, one.misses, one.alarms, one.cost, one.usual_cost]))));
  if (found.more_rows) made.push(part("With more rows", h("div", { class: "picture" }, chart({ curves: [{ at: found.more_rows.rows, values: found.more_rows.limits }], marks: [{ x: found.more_rows.now, y: found.more_rows.value, class: "f1", r: 5, title: "now" }], x: { name: "rows counted", log: true }, y: { name: "certified error, at the same rate", low: 0 }, height: 260 }))));
  return made;
}
