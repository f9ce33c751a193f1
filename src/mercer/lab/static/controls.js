// Sliders, choices and buttons with labels; all of them work from the keyboard.
import { h, short } from "./dom.js";

export function slider({ label, min, max, value, log = false, whole = false, step, shown = short, on }) {
  const inside = (x) => Math.min(max, Math.max(min, x));
  const to = (x) => (log ? Math.log(x) : x), from = (x) => (log ? Math.exp(x) : x);
  const clean = (x) => inside(whole ? Math.round(from(x)) : log ? Number(from(x).toPrecision(4)) : from(x));
  const output = h("output", {});
  const input = h("input", {
    type: "range", min: to(min), max: to(max), step: step || (whole && !log ? 1 : (to(max) - to(min)) / 240), "aria-label": label,
    oninput: () => { show(clean(Number(input.value))); on(clean(Number(input.value))); },
  });
  const show = (x) => { output.textContent = shown(x); input.setAttribute("aria-valuetext", shown(x)); };
  const box = h("label", { class: "control" }, h("span", {}, label, output), input);
  box.set = (x) => { input.value = to(inside(x)); show(inside(x)); };
  box.input = input;
  box.set(value);
  return box;
}

export function choice({ label, options, value, on }) {
  const names = options.map((o) => (Array.isArray(o) ? o : [o, o]));
  const select = h("select", { "aria-label": label, onchange: () => on(select.value) }, names.map(([v, name]) => h("option", { value: v }, name)));
  select.value = value;
  const box = h("label", { class: "control" }, h("span", {}, label), select);
  box.set = (v) => { select.value = v; };
  box.select = select;
  return box;
}

export function tools({ label, options, value, on }) {
  const buttons = options.map(([v, name]) => h("button", { "aria-pressed": String(v === value), onclick: () => { box.set(v); on(v); } }, name));
  const box = h("fieldset", {}, h("legend", {}, label), buttons);
  box.set = (v) => buttons.forEach((b, i) => b.setAttribute("aria-pressed", String(options[i][0] === v)));
  return box;
}

export const button = (label, on, attributes = {}) => h("button", { onclick: on, ...attributes }, label);

export function checkbox({ label, value, on }) {
  const input = h("input", { type: "checkbox", onchange: () => on(input.checked) });
  input.checked = value;
  return h("label", { class: "row" }, input, label);
}
