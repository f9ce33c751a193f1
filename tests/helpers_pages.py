"""Pages in a real browser: what runs off them, what cannot be read, what the console says."""

from __future__ import annotations

WIDTHS = (390, 768, 1280)
THEMES = ("light", "dark")

# Texts that are seen and differ too little from what lies behind them, by the rule of WCAG 2 (AA).
# What lies behind the words of a picture is taken to be the page.
FAINT = """
const out = [];
const parse = c => { const m = c.match(/[\\d.]+/g); return m ? m.map(Number) : null; };
const opaque = c => c && (c.length < 4 || c[3] > 0);
const behind = el => {
  for (let e = el; e; e = e.parentElement) {
    const c = parse(getComputedStyle(e).backgroundColor);
    if (opaque(c)) return c;
  }
  return [255, 255, 255];
};
const light = c => {
  const straight = v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
  const [r, g, b] = c.map(v => straight(v / 255));
  return .2126 * r + .7152 * g + .0722 * b;
};
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
  const words = texts.currentNode.textContent.trim(), el = texts.currentNode.parentElement;
  if (!words || !el.getClientRects().length || el.closest("script,style,title,noscript")) continue;
  if (el.closest(".tip")) continue;
  const style = getComputedStyle(el), drawn = el.closest("svg") !== null;
  const fore = parse(drawn ? style.fill : style.color);
  if (!fore) continue;
  const a = light(fore.slice(0, 3)), b = light(behind(el).slice(0, 3));
  const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
  const size = parseFloat(style.fontSize), bold = +style.fontWeight >= 700;
  const large = size >= 24 || (size >= 18.66 && bold);
  if (ratio < (large ? 3 : 4.5)) out.push(ratio.toFixed(2) + " " + words.slice(0, 60));
}
return [...new Set(out)];
"""

# Things wider than the window, unless they can be scrolled by themselves.
WIDE = """
const out = [];
if (document.documentElement.scrollWidth > innerWidth + 1) {
  for (const el of document.body.querySelectorAll("*")) {
    const box = el.getBoundingClientRect();
    if (box.right > innerWidth + 1 && !el.parentElement.closest(".scroll, .charts.wide, pre, svg"))
      out.push(el.tagName + "." + el.getAttribute("class") + " " + Math.round(box.right));
  }
  out.unshift("page " + document.documentElement.scrollWidth);
}
return out.slice(0, 5);
"""

# Letters of pictures as they come out on the screen, in pixels.
SMALL = """
const out = [];
for (const text of document.querySelectorAll("svg text")) {
  const box = text.getScreenCTM();
  if (!text.getClientRects().length || !box) continue;
  const size = parseFloat(getComputedStyle(text).fontSize) * Math.hypot(box.a, box.b);
  const words = text.textContent.trim();
  if (size < 9 && words) out.push(size.toFixed(1) + " " + words.slice(0, 40));
}
return [...new Set(out)].slice(0, 5);
"""


def show(tab, page, width, theme):
    """Open a page at a width and in a theme."""
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    tab.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    feature = {"name": "prefers-color-scheme", "value": theme}
    tab.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    tab.get(page.as_uri())
    tab.execute_script("for (const d of document.querySelectorAll('details')) d.open = true;")
