// The state of a view stands in the address, after the #: a copied link opens the same view.
const read = () => {
  const [view, rest] = location.hash.slice(1).split("?");
  return { view, values: new URLSearchParams(rest || "") };
};

export const viewName = () => read().view;

export function state(defaults) {
  const { values } = read(), found = { ...defaults };
  for (const [name, value] of Object.entries(defaults)) {
    if (!values.has(name)) continue;
    const text = values.get(name), number = Number(text);
    if (typeof value === "number") { if (text !== "" && Number.isFinite(number)) found[name] = number; }
    else if (typeof value === "boolean") found[name] = text === "true";
    else found[name] = text;
  }
  return found;
}

export function keep(view, values, defaults = {}) {
  const told = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== defaults[name] && value != null) told.set(name, typeof value === "number" ? Number(value.toPrecision(6)) : value);
  }
  const rest = String(told);
  history.replaceState(null, "", `${location.pathname}#${view}${rest ? `?${rest}` : ""}`);
}
