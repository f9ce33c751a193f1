// Elements. Text goes in as text only: names of columns and classes are other people's words.
const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" && "value" in element) element.value = value;
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  for (const child of children.flat()) {
    if (child != null && child !== false) element.append(child instanceof Node ? child : String(child));
  }
  return element;
}

export const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
export const s = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
export const percent = (x, digits = 3) => (x == null ? "–" : `${Number((100 * x).toPrecision(digits))} %`);
export const short = (x, digits = 4) => (x == null ? "–" : typeof x !== "number" ? String(x)
  : x !== 0 && (Math.abs(x) < 1e-3 || Math.abs(x) >= 1e6) ? x.toExponential(2) : String(Number(x.toPrecision(digits))));

export function say(words, error = false) {
  const place = document.getElementById("said");
  place.textContent = words;
  place.classList.toggle("error", error);
}

export function facts(pairs) {
  return h("dl", { class: "facts" }, pairs.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}

export function table(heads, rows, caption) {
  const number = (v) => typeof v === "number";
  return h("div", { class: "scroll" }, h("table", {}, caption && h("caption", {}, caption),
    h("thead", {}, h("tr", {}, heads.map((name, j) => h("th", number(rows[0]?.[j]) ? { class: "number" } : {}, name)))),
    h("tbody", {}, rows.map((row) => h("tr", {}, row.map((v) =>
      h("td", number(v) ? { class: "number" } : {}, v instanceof Node ? v : number(v) ? short(v) : v == null ? "–" : v)))))));
}

// "As code" and "save picture": everything seen can be taken away.
export function takeaway(code, svg, name) {
  const place = h("pre", {}, code || "");
  const box = h("details", {}, h("summary", {}, "Take it away: code and picture"), place, h("div", { class: "row" },
    h("button", { onclick: () => copy(place.textContent) }, "Copy code"),
    svg && h("button", { onclick: () => savePicture(svg(), `${name}.svg`) }, "Save picture (SVG)")));
  box.update = (text) => { place.textContent = text; };
  return box;
}

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    say("Copied.");
  } catch {
    say("The browser does not allow copying here; mark the text by hand.", true);
  }
}

export function save(text, name, kind) {
  const link = h("a", { href: URL.createObjectURL(new Blob([text], { type: kind })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 5000);
}

// A picture that stands alone: colours of the page are written into it.
export function savePicture(svg, name) {
  const copied = svg.cloneNode(true);
  const now = [svg, ...svg.querySelectorAll("*")], then = [copied, ...copied.querySelectorAll("*")];
  now.forEach((element, i) => {
    const style = getComputedStyle(element);
    for (const property of ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font", "paint-order", "stroke-linejoin"]) {
      then[i].style.setProperty(property, style.getPropertyValue(property));
    }
  });
  copied.style.background = getComputedStyle(document.body).backgroundColor;
  copied.setAttribute("xmlns", SVG);
  save(new XMLSerializer().serializeToString(copied), name, "image/svg+xml");
}
