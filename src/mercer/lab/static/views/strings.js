// Strings: letters coloured by what they add to the machine's output.
import { ask } from "../ask.js";
import { choice, slider } from "../controls.js";
import { facts, h, percent, s, short, takeaway } from "../dom.js";
import { keep, state } from "../state.js";

const DEFAULTS = { kind: "spectrum", k: 4, C: 10, row: 80, own: "" };
const CELL = 22, LINE = 56, BASE = 38; // of a letter; of a line of letters; where bars stand up or hang down

export function show(place, start) {
  const now = state(DEFAULTS), letters = h("div", { class: "picture" }), bars = h("div", { class: "picture small" }), numbers = h("div", { "aria-live": "polite" }), code = takeaway("", () => letters.querySelector("svg"), "strings");
  function update() {
    keep("strings", now, DEFAULTS);
    ask("strings", "read", { kind: now.kind, k: now.k, C: now.C, row: now.row, own: now.own }, (found) => {
      const most = Math.max(...found.shares.map(Math.abs), 1e-12), PER = letters.clientWidth < 600 ? 20 : 30, lines = Math.ceil(found.sequence.length / PER);
      letters.replaceChildren(s("svg", { viewBox: `0 0 ${CELL * PER + 10} ${LINE * lines + 10}`, role: "img", "aria-label": `sequence ${found.sequence}` }, [...found.sequence].flatMap((letter, i) => {
        const x = 5 + CELL * (i % PER), y = 4 + LINE * Math.floor(i / PER), share = found.shares[i], tall = Math.max(0.5, 15 * Math.abs(share) / most);
        return [s("rect", { class: share > 0 ? "f0" : "f1", x: x + 3, y: y + BASE - (share > 0 ? tall : 0), width: CELL - 6, height: tall }, s("title", {}, `${letter} ${i + 1}: ${short(share)}`)), s("text", { class: "ink", x: x + CELL / 2, y: y + 15, "text-anchor": "middle", "font-weight": Math.abs(share) > 0.5 * most ? "bold" : "normal" }, letter)];
      })));
      const top = Math.max(...found.windows.map((w) => Math.abs(w[1])), 1e-12);
      bars.replaceChildren(s("svg", { viewBox: `0 0 500 ${22 * found.windows.length + 26}`, role: "img", "aria-label": "k-mers that decide" }, s("text", { x: 8, y: 16 }, "k-mers that decide"), found.windows.flatMap(([name, value], i) => [s("text", { class: "ink", x: 8, y: 38 + 22 * i }, name), s("rect", { class: value > 0 ? "f0" : "f1", x: 120, y: 26 + 22 * i, width: 300 * Math.abs(value) / top, height: 14 }), s("text", { x: 126 + 300 * Math.abs(value) / top, y: 38 + 22 * i }, short(value, 3))])));
      numbers.replaceChildren(facts([["output", short(found.value)], ["the machine says", found.says], ["it is", found.truth || "yours"], ["learned from it", found.trained_on_it ? "yes" : "no"], ["right about the 26 others", percent(found.right)]]));
      code.update(found.python);
    });
  }
  const own = h("textarea", { rows: 3, cols: 24, "aria-label": "a sequence of your own", placeholder: "or a sequence of your own: acgt…", oninput: () => { now.own = own.value.trim(); update(); } });
  own.value = now.own;
  const set = (name) => (value) => { now[name] = value; update(); };
  place.append(h("div", { class: "split" }, h("div", {}, letters, h("p", { class: "faint" }, "Blue, upwards, speaks for one class; orange, downwards, for the other; the bars add up to the output, up to the offset."), bars, code), h("div", {}, h("div", { class: "panel" },
    choice({ label: "kernel", options: start.kinds, value: now.kind, on: set("kind") }), slider({ label: "k, length of the words", min: 2, max: 6, whole: true, value: now.k, on: set("k") }), slider({ label: "C", min: 0.01, max: 1000, log: true, value: now.C, step: 1.2, on: set("C") }),
    slider({ label: "sequence (the first 80 were learned from)", min: 0, max: start.rows - 1, whole: true, value: now.row, on: set("row") }), own), h("div", { class: "panel" }, numbers))));
  update();
}
