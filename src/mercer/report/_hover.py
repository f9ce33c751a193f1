"""What the pages of ``mercer embed`` and ``mercer cluster`` need to show the row of a point.

A browser shows an SVG ``<title>`` only after a second, never on a touch screen, and only exactly
above a dot of seven pixels. The script shows the nearest row at once; without it titles remain.
"""

STYLE = """
.tip { position: fixed; left: 0; top: 0; width: max-content;
  box-sizing: border-box; max-width: min(30rem, calc(100vw - 8px));
  padding: .3rem .6rem; border-radius: 4px;
  background: var(--ink); color: var(--bg); font-size: .9rem; pointer-events: none;
  overflow-wrap: anywhere; }
.tip[hidden] { display: none; }
circle.here { stroke: var(--ink); stroke-width: 2; opacity: 1; }
"""

SCRIPT = """
for (const svg of document.querySelectorAll("svg.rows")) {
  const tip = document.createElement("div");
  tip.className = "tip"; tip.setAttribute("role", "status"); tip.hidden = true;
  document.body.append(tip);
  const dots = [...svg.querySelectorAll("circle")].map(dot => {
    const title = dot.querySelector("title"), text = title.textContent;
    title.remove();
    return {dot, text, x: +dot.getAttribute("cx"), y: +dot.getAttribute("cy")};
  });
  let now = -1;
  const show = i => {
    if (now >= 0) dots[now].dot.classList.remove("here");
    now = i; tip.hidden = i < 0;
    if (i < 0) return;
    const {dot, text} = dots[i];
    dot.classList.add("here"); tip.textContent = text;
    const at = dot.getBoundingClientRect(), room = document.documentElement;
    const x = Math.min(at.right + 8, room.clientWidth - tip.offsetWidth - 4);
    const above = at.top - tip.offsetHeight - 8;
    tip.style.left = Math.max(4, x) + "px";
    tip.style.top = (above < 4 ? at.bottom + 8 : above) + "px";
  };
  const nearest = event => {
    const scale = svg.getScreenCTM();
    const p = new DOMPoint(event.clientX, event.clientY).matrixTransform(scale.inverse());
    const finger = event.pointerType === "touch" ? 24 / scale.a : 0;  // 24 pixels of the screen
    let best = -1, least = Math.max(15, finger) ** 2;
    dots.forEach((d, i) => {
      const far = (d.x - p.x) ** 2 + (d.y - p.y) ** 2;
      if (far <= least) { best = i; least = far; }
    });
    show(best);
  };
  svg.addEventListener("pointermove", nearest);
  svg.addEventListener("pointerdown", nearest);
  svg.addEventListener("pointerleave", event => { if (event.pointerType === "mouse") show(-1); });
  svg.addEventListener("blur", () => show(-1));
  svg.addEventListener("keydown", event => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (event.key === "Escape") show(-1);
    else if (step) { event.preventDefault(); show((now + step + dots.length) % dots.length); }
  });
}
"""
