// Margins live: points to touch, a machine that answers.
import { ask, later } from "../ask.js";
import { button, choice, slider, tools } from "../controls.js";
import { facts, h, percent, s, save, say, short, takeaway } from "../dom.js";
import { Plane } from "../plane.js";
import { keep, state } from "../state.js";

const DEFAULTS = { sample: "two moons", n: 60, seed: 1, kernel: "gaussian", C: 1, scale: 1, edits: "", file: "", target: "", across: "", up: "" };
const MARKS = { "outside": "", "on the margin": "holds", "inside": "inside", "misclassified": "wrong" };

// Two columns of a file below the folder of the lab, or the plane in which its rows spread most.
function ownFile(now, draw) {
  const columns = h("div", {}), box = h("details", { open: Boolean(now.file) }, h("summary", {}, "or a file of yours"));
  const offer = () => ask("data", "profile", { file: now.file }, (found) => {
    const all = (found.document.columns || []), names = [["", "–"], ...all.map((c) => [c.name, c.name])], numbers = [["", "projection of all numbers"], ...all.filter((c) => c.kind === "number").map((c) => [c.name, c.name])];
    const pick = (label, key, options) => choice({ label, options, value: now[key], on: (v) => { now[key] = v; if (now.target) draw(); } });
    columns.replaceChildren(pick("classes from", "target", names), pick("across", "across", numbers), pick("up", "up", numbers));
  });
  box.addEventListener("toggle", () => box.open && !box.dataset.asked && (box.dataset.asked = "1") && ask("data", "files", {}, (found) => {
    box.append(choice({ label: "file", options: [["", "–"], ...found.files.map((f) => [f, f])], value: now.file, on: (f) => { Object.assign(now, { file: f, target: "", across: "", up: "" }); if (f) offer(); else draw(); } }), columns);
    if (now.file) offer();
  }));
  return box;
}

export function show(place, start) {
  const now = state(DEFAULTS), plane = new Plane("Points of two classes, the decision line and its margins");
  let points = [], fitted = null, before = null, chosen = -1, tool = "move", edits = now.edits ? now.edits.split("_") : [];
  const pictureBox = h("div", { class: "picture hands" }, plane.svg);
  const numbers = h("div", {}), judged = h("div", {}), moved = h("p", { class: "note", id: "moved", role: "status" }, "Drag a point, or click to add one.");
  const code = takeaway("", () => plane.svg, "margins");
  plane.svg.setAttribute("tabindex", "0");
  plane.svg.setAttribute("role", "application");

  // -- the sample and what was done to it; edits are kept in the address ------------------------------
  function redraw(replay) {
    const own = now.file && now.target, body = own ? { file: now.file, target: now.target, across: now.across, up: now.up } : { sample: now.sample };
    ask("margins", own ? "own" : "draw", { ...body, n: now.n, seed: now.seed }, (found) => {
      points = found.points;
      chosen = -1;
      before = fitted = null;
      plane.around(points);
      plane.drawAxes(found.axes);
      if (replay) edits.forEach(apply);
      else edits = [];
      drawPoints();
      refit();
    });
  }
  function apply(edit) {
    const kind = edit[0], parts = edit.slice(1).split("!").map(Number), p = points[parts[0]];
    if (kind === "a" && parts.length === 3) points.push(parts);
    else if (kind === "m" && p) { p[0] = parts[1]; p[1] = parts[2]; }
    else if (kind === "f" && p) p[2] = -p[2];
    else if (kind === "r" && p) points.splice(parts[0], 1);
  }
  function edit(kind, ...parts) {
    const text = kind + parts.map((v) => Number(v.toFixed(3))).join("!");
    const last = edits.at(-1);
    if (kind === "m" && last && last.startsWith(`m${parts[0]}!`)) edits.pop();
    edits.push(text);
    apply(text);
    if (edits.length > 400) say("More than 400 changes: the address no longer holds them all.");
    if (kind === "r") chosen = -1;
    if (kind === "a") chosen = points.length - 1;
    drawPoints();
    refit();
  }

  // -- the machine ---------------------------------------------------------------------------------
  const judge = later(() => {
    ask("margins", "judge", { points, kernel: now.kernel, C: now.C, scale: now.scale, sample: now.file ? "" : now.sample }, showJudged);
  }, 500);
  function refit() {
    keep("margins", { ...now, edits: edits.slice(-400).join("_") }, DEFAULTS);
    if (points.length < 2) { say("Click to add points of both classes."); return; }
    ask("margins", "fit", { points, kernel: now.kernel, C: now.C, scale: now.scale, ...plane.frame }, (found) => {
      before = fitted;
      fitted = found;
      if (chosen >= 0) tell(); else say("");
      plane.drawFunction(found.mesh, found.wide, found.high);
      drawPoints();
      showNumbers();
      code.update(found.python);
      judge();
    });
  }
  function change() {
    if (!before || before.mesh.length !== fitted.mesh.length) return;
    let largest = 0, turned = 0;
    fitted.mesh.forEach((v, k) => { largest = Math.max(largest, Math.abs(v - before.mesh[k])); turned += (v > 0) !== (before.mesh[k] > 0); });
    const still = largest < 2e-3;
    moved.textContent = still ? "Nothing changed: that point was no support vector, or the change was too small to matter."
      : `The function moved by up to ${short(largest, 3)}; ${percent(turned / fitted.mesh.length)} of the plane changed its class.`;
    moved.className = still ? "note good" : "note";
  }
  function showNumbers() {
    const f = fitted;
    change();
    numbers.replaceChildren(h("div", {}, facts([
      ["points", points.length], ["support vectors below C", f.support[0]], ["support vectors at C", f.support[1]],
      ...Object.entries(f.counts).map(([name, count]) => [name, count]),
      ["margin, 1/‖w‖", short(f.width)], ["duality gap", short(f.gap, 2)],
      ["span estimate of leave-one-out", percent(f.span)], ["answered in", `${f.milliseconds.toFixed(0)} ms`],
    ]), f.stopped !== "tolerance" && h("p", { class: "note warning" }, "Stopped early: the gap says how far this may be from the optimum.")));
  }
  function showJudged(found) {
    const left = found.leave_one_out;
    judged.replaceChildren(facts([
      ["leave-one-out, exact", left ? percent(left.error) : found.why],
      ["trainings that took", left ? left.refits : "–"],
      ...(found.risk == null ? [] : [["true risk (law known)", percent(found.risk)], ["nobody can beat", percent(found.bayes_risk)]]),
    ]));
  }

  // -- points --------------------------------------------------------------------------------------
  function drawPoints() {
    const many = points.length > 600, base = many ? 2.6 : 5;
    const fresh = points.map(([x, y, sign], i) => {
      const state = fitted && fitted.states.length === points.length ? fitted.states[i] : "outside";
      const alpha = fitted && fitted.alphas.length === points.length ? fitted.alphas[i] : 0;
      const size = base + (many ? 2 : 6) * Math.sqrt(Math.min(1, alpha / now.C));
      const name = `${sign > 0 ? "plus" : "minus"} ${MARKS[state] || ""}${i === chosen ? " chosen" : ""}`;
      const mark = sign > 0 ? s("circle", { cx: plane.x(x), cy: plane.y(y), r: size }) : s("rect", { x: plane.x(x) - size, y: plane.y(y) - size, width: 2 * size, height: 2 * size });
      mark.setAttribute("class", name);
      mark.dataset.index = i;
      return mark;
    });
    plane.points.replaceChildren(...fresh);
  }
  function tell() {
    const p = points[chosen];
    if (p) say(`Point ${chosen + 1} of ${points.length}: class ${p[2] > 0 ? "round" : "square"}, at ${short(p[0])}, ${short(p[1])}${fitted ? `, ${fitted.states[chosen] || ""}, α = ${short(fitted.alphas[chosen] || 0)}` : ""}.`);
  }
  let held = -1, newSign = 1;
  plane.svg.addEventListener("pointerdown", (event) => {
    const index = plane.meant(event);
    event.preventDefault();
    plane.svg.focus({ preventScroll: true });
    if (index < 0) {
      if (tool === "move") { edit("a", ...plane.at(event), newSign); tell(); }
      return;
    }
    chosen = index;
    if (tool === "flip") edit("f", index);
    else if (tool === "remove") edit("r", index);
    else { held = index; plane.svg.setPointerCapture(event.pointerId); drawPoints(); }
    tell();
  });
  plane.svg.addEventListener("pointermove", (event) => { if (held >= 0) edit("m", held, ...plane.at(event)); });
  const release = () => { held = -1; };
  plane.svg.addEventListener("pointerup", release);
  plane.svg.addEventListener("pointercancel", release);
  plane.svg.addEventListener("keydown", (event) => {
    const stride = (plane.frame.right - plane.frame.left) / (event.shiftKey ? 20 : 100);
    const steps = { ArrowLeft: [-stride, 0], ArrowRight: [stride, 0], ArrowUp: [0, stride], ArrowDown: [0, -stride] };
    const p = points[chosen], count = points.length;
    if (steps[event.key] && p) edit("m", chosen, p[0] + steps[event.key][0], p[1] + steps[event.key][1]);
    else if (event.key === "n" && count) { chosen = (chosen + 1) % count; drawPoints(); }
    else if (event.key === "p" && count) { chosen = (chosen + count - 1) % count; drawPoints(); }
    else if (event.key === "f" && p) edit("f", chosen);
    else if ((event.key === "Delete" || event.key === "Backspace") && p) edit("r", chosen);
    else if (event.key === "a") edit("a", (plane.frame.left + plane.frame.right) / 2, (plane.frame.top + plane.frame.bottom) / 2, newSign);
    else return;
    event.preventDefault();
    tell();
  });

  // -- controls ------------------------------------------------------------------------------------
  const set = (name) => (value) => { now[name] = value; refit(); };
  const again = (name) => (value) => { now[name] = value; edits = []; redraw(false); };
  const csv = () => save(`x,y,sign\n${points.map((p) => p.join(",")).join("\n")}\n`, "points.csv", "text/csv");
  place.append(h("div", { class: "split" },
    h("div", {}, pictureBox, moved,
      h("p", { class: "faint" }, "Round and square are the classes; size is α; a ring: on the margin, dashed: inside it, red: wrong. ",
        "Keyboard: Tab to the picture, n/p choose a point, arrows move it, f flips it, Delete removes it, a adds one."), code),
    h("div", {},
      h("div", { class: "panel" },
        slider({ label: "C, price of an error", min: 1e-3, max: 1e5, log: true, value: now.C, on: set("C") }),
        slider({ label: "length scale", min: 0.03, max: 30, log: true, value: now.scale, on: set("scale") }),
        choice({ label: "kernel", options: start.kernels, value: now.kernel, on: set("kernel") }),
        tools({ label: "A touch", options: [["move", "moves or adds"], ["flip", "flips"], ["remove", "removes"]], value: tool, on: (v) => { tool = v; } }),
        tools({ label: "New points are", options: [[1, "round"], [-1, "square"]], value: 1, on: (v) => { newSign = v; } })),
      h("div", { class: "panel" }, numbers, judged),
      h("div", { class: "panel" },
        choice({ label: "sample", options: start.samples, value: now.sample, on: (v) => { now.file = ""; again("sample")(v); } }),
        ownFile(now, () => { edits = []; redraw(false); }),
        slider({ label: "points", min: 4, max: start.most, log: true, whole: true, value: now.n, on: again("n") }),
        h("div", { class: "row" }, button("Another draw", () => again("seed")(now.seed + 1)), button("Undo changes", () => { edits = []; redraw(false); }), button("Save points (CSV)", csv))))));
  const repaint = () => fitted && plane.drawFunction(fitted.mesh, fitted.wide, fitted.high);
  addEventListener("themechange", repaint);
  redraw(true);
  return () => removeEventListener("themechange", repaint);
}
