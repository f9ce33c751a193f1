// The frame of the page: views found by the server, one JavaScript module each, and the tours.
import { copy, h, say } from "./dom.js";
import { viewName } from "./state.js";
import { offerTours } from "./tours.js";

const main = document.getElementById("main");
let known = [], close = null;

async function open() {
  const name = viewName(), view = known.find((v) => v.name === name) || known[0];
  if (close) close();
  close = null;
  document.querySelectorAll("#views a").forEach((a) => {
    if (a.dataset.view === view.name) a.setAttribute("aria-current", "page");
    else a.removeAttribute("aria-current");
  });
  document.title = `${view.title} · Mercer lab`;
  say("");
  const place = h("div", {});
  main.replaceChildren(h("h2", {}, view.title), h("p", { class: "about" }, view.about), place);
  try {
    const module = await import(`./views/${view.name}.js`);
    close = module.show(place, view.start) || null;
  } catch (problem) {
    say(`This view cannot be shown: ${problem.message}`, true);
    throw problem;
  }
}

function links() {
  const groups = Map.groupBy ? Map.groupBy(known, (v) => v.group) : known.reduce((m, v) => m.set(v.group, [...(m.get(v.group) || []), v]), new Map());
  document.getElementById("views").replaceChildren(...[...groups].map(([group, views]) => h("span", {}, h("small", {}, group),
    views.map((v) => h("a", { href: `#${v.name}`, "data-view": v.name, title: v.about }, v.title)))));
}

function theme() {
  const root = document.documentElement, kept = localStorage.getItem("mercer-lab-theme");
  const dark = () => root.dataset.theme === "dark" || (!root.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
  if (kept) root.dataset.theme = kept;
  document.getElementById("theme").addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    localStorage.setItem("mercer-lab-theme", root.dataset.theme);
    dispatchEvent(new Event("themechange"));
  });
}

async function begin() {
  // the cookie stands for the token from now on: take it out of the address bar and the history
  if (new URLSearchParams(location.search).has("token")) history.replaceState(null, "", location.pathname + location.hash);
  theme();
  const answer = await fetch("api/views", { credentials: "same-origin" });
  known = (await answer.json()).views;
  links();
  document.getElementById("share").addEventListener("click", () => copy(location.href));
  document.getElementById("skip").addEventListener("click", (event) => { event.preventDefault(); main.focus(); });
  offerTours(document.getElementById("tours"));
  addEventListener("hashchange", open);
  await open();
}

begin().catch((problem) => say(`The lab could not be opened: ${problem.message}`, true));
