"use strict";
(function () {
  const root = document.documentElement;
  const button = document.getElementById("theme");
  const modes = ["auto", "light", "dark"];
  let mode = 0;
  button.hidden = false;
  button.addEventListener("click", function () {
    mode = (mode + 1) % modes.length;
    if (mode === 0) root.removeAttribute("data-theme");
    else root.setAttribute("data-theme", modes[mode]);
    button.textContent = "Colours: " + modes[mode];
  });

  function value(cell) {
    const text = cell.textContent.trim();
    const number = parseFloat(text.replace(/[\s\u202f≈≤]/g, "").replace("−", "-"));
    return Number.isNaN(number) ? text.toLowerCase() : number;
  }

  function compare(a, b) {
    if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
    return typeof a === "number" ? -1 : 1;
  }

  document.querySelectorAll("table").forEach(function (table) {
    const body = table.tBodies[0];
    if (!body || body.rows.length < 3) return;
    table.querySelectorAll("thead th").forEach(function (head, column) {
      const sort = document.createElement("button");
      sort.type = "button";
      sort.textContent = head.textContent;
      head.textContent = "";
      head.appendChild(sort);
      sort.addEventListener("click", function () {
        const down = head.getAttribute("aria-sort") === "ascending";
        table.querySelectorAll("thead th").forEach(function (h) { h.removeAttribute("aria-sort"); });
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        Array.from(body.rows)
          .sort(function (a, b) {
            const order = compare(value(a.cells[column]), value(b.cells[column]));
            return down ? -order : order;
          })
          .forEach(function (row) { body.appendChild(row); });
      });
    });
  });

  let opened = [];
  window.addEventListener("beforeprint", function () {
    opened = Array.from(document.querySelectorAll("details:not([open])"));
    opened.forEach(function (d) { d.open = true; });
  });
  window.addEventListener("afterprint", function () {
    opened.forEach(function (d) { d.open = false; });
  });
})();
