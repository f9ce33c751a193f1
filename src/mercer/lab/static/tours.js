// Guided tours: a list of steps, each a view with its state and a few words. No view knows of them.
import { h } from "./dom.js";

async function tourList() {
  const answer = await fetch("static/tours.json", { credentials: "same-origin" });
  return (await answer.json()).tours;
}

let box = null;

function step(tour, k) {
  const end = () => { box.remove(); box = null; };
  if (box) box.remove();
  const now = tour.steps[k], last = k === tour.steps.length - 1;
  location.hash = now.at;
  const next = h("button", { class: "main", onclick: () => (last ? end() : step(tour, k + 1)) }, last ? "End" : "Next");
  box = h("section", { class: "tour", "aria-label": `Tour: ${tour.title}` }, h("h3", {}, `${tour.title}: ${k + 1} of ${tour.steps.length}`),
    h("p", {}, now.words), now.try && h("p", {}, h("b", {}, "Try: "), now.try),
    h("div", { class: "row" }, next, k > 0 && h("button", { onclick: () => step(tour, k - 1) }, "Back"), h("button", { onclick: end }, "Leave")));
  document.body.append(box);
  next.focus();
}

export function offerTours(opener) {
  opener.addEventListener("click", async () => {
    const list = await tourList();
    const dialog = h("dialog", { "aria-label": "Tours" }, h("h2", {}, "Guided tours"), list.map((tour) => h("p", {},
      h("button", { onclick: () => { dialog.remove(); step(tour, 0); } }, tour.title), " ", tour.about)),
      h("button", { onclick: () => dialog.remove() }, "Close"));
    document.body.append(dialog);
    dialog.addEventListener("cancel", () => dialog.remove());
    dialog.showModal();
  });
}
