// The promise: one dot per sample, certificate against truth; dots below the line are broken promises.
import { post } from "../ask.js";
import { button, choice, slider } from "../controls.js";
import { chart } from "../chart.js";
import { facts, h, percent, say, takeaway } from "../dom.js";
import { keep, state } from "../state.js";

const DEFAULTS = { n: 100, distance: 2, split: 0.5, delta: 0.05, how: "counted once", samples: 200 };

export function show(place, start) {
  const now = state(DEFAULTS), pictureBox = h("div", { class: "picture" }), numbers = h("div", { "aria-live": "polite" });
  const code = takeaway("", () => pictureBox.querySelector("svg"), "promise");
  let round = 0, offset = 0;
  async function run() {
    const mine = ++round, certified = [], truth = [];
    keep("promise", now, DEFAULTS);
    for (let first = 0; first < now.samples && mine === round; first += 20) {
      try {
        const found = await post("promise", "batch", { n: now.n, distance: now.distance, split: now.split, delta: now.delta, how: now.how, first: offset + first, count: Math.min(20, now.samples - first) });
        certified.push(...found.certified);
        truth.push(...found.truth);
        if (first === 0) code.update(found.python);
      } catch (problem) { say(problem.message, true); return; }
      if (mine === round) draw(certified, truth);
    }
  }
  function draw(certified, truth) {
    const broken = certified.map((v, i) => v < truth[i]), count = broken.filter(Boolean).length, share = count / certified.length;
    const top = Math.min(1, Math.max(...certified, ...truth) * 1.05);
    pictureBox.replaceChildren(chart({ curves: [{ at: [0, top], values: [0, top], class: "faintline" }], marks: certified.map((v, i) => ({ x: truth[i], y: v, class: broken[i] ? "badfill" : "f0", r: broken[i] ? 6 : 3.5, title: `certified ≤ ${percent(v)}, true ${percent(truth[i])}` })),
      x: { name: "true error", low: 0, high: Math.max(...truth) * 1.15 }, y: { name: "certified error", low: 0, high: top }, label: "certificates against true errors" }));
    // how often a binomial with share δ would be at least this high
    const alarm = share > now.delta + 2.6 * Math.sqrt(now.delta * (1 - now.delta) / certified.length);
    numbers.replaceChildren(facts([["samples", certified.length], ["certificates that are wrong", count], ["share", percent(share)], ["promised: at most", percent(now.delta)]]),
      h("p", { class: `note ${alarm ? "bad" : "good"}`, id: "verdict" }, alarm ? "The promise is broken: far more than δ of the certificates are wrong. That is what choosing among numbers, without paying for them, does." : "The promise holds: no more certificates are wrong than δ allows, up to chance."));
  }
  const set = (name) => (value) => { now[name] = value; run(); };
  place.append(h("div", { class: "split" }, h("div", {}, pictureBox, h("p", { class: "faint" }, "Every dot is a fresh sample of the same law. Above the line the certificate was right; red dots below it are the certificates that failed."), code), h("div", {}, h("div", { class: "panel" },
    choice({ label: "how it is certified", options: start.ways, value: now.how, on: set("how") }),
    slider({ label: "rows in each sample", min: 20, max: 400, whole: true, value: now.n, on: set("n") }),
    slider({ label: "share to learn from", min: 0.2, max: 0.8, value: now.split, shown: percent, on: set("split") }),
    slider({ label: "δ", min: 0.005, max: 0.5, log: true, value: now.delta, on: set("delta") }),
    slider({ label: "distance of the classes", min: 0.5, max: 6, value: now.distance, on: set("distance") }),
    h("div", { class: "row" }, button("Two hundred fresh samples", () => { offset += now.samples; run(); }))), h("div", { class: "panel" }, numbers))));
  run();
  return () => { round++; };
}
