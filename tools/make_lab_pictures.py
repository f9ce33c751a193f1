"""Pictures of the lab for docs, by Chromium: python tools/make_lab_pictures.py [NAME ...]."""

from __future__ import annotations

import shutil
import sys
import tempfile
import threading
import time
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

from mercer.lab.address import Address
from mercer.lab.serve import listen, make_server

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
# name: where in the lab, theme, width and height of the window, seconds to wait
PICTURES = {
    "lab-margins": ("margins?sample=two moons&n=60", "light", 1200, 1230, 8),
    "lab-version-space": ("version_space", "light", 1200, 900, 6),
    "lab-bounds": ("bounds?n=400&look=6", "dark", 1200, 1080, 8),
    "lab-promise": ("promise?how=best of twelve splits, not paid", "light", 1200, 900, 50),
    "lab-guarantees": ("data?file=penguins.csv&target=species&certify=holdout&kernel=linear",
                       "light", 1200, 1500, 4),
}  # fmt: skip
# Fit, wait for the certificate, ask for sets that contain the class, and show the answer.
ASK = """
const done = arguments[0], seen = (what) => document.querySelector(what);
const until = (what, then) => { const found = seen(what); if (found) then(found);
                                else setTimeout(until, 200, what, then); };
seen("#fit").click();
until("#ask", (ask) => { ask.click(); until("section.promise", () => {
  seen("#guarantees").scrollIntoView(); setTimeout(done, 500, true); }); });
"""


def main() -> None:
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or "chromium"
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"):
        options.add_argument(flag)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(files("mercer.datasets") / "data" / "penguins.csv", folder)
        address = Address(folder=Path(folder))
        listening = listen(address)
        address = replace(address, port=listening.getsockname()[1])
        server = make_server(address)
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        driver = Service(shutil.which("chromedriver") or "chromedriver")
        tab = webdriver.Chrome(options=options, service=driver)
        try:
            tab.get(address.url())
            for name in sys.argv[1:] or PICTURES:
                place, theme, width, height, wait = PICTURES[name]
                tab.set_window_size(width, height)
                tab.execute_script("document.documentElement.dataset.theme = arguments[0]", theme)
                tab.execute_script("location.hash = arguments[0]", place)
                time.sleep(wait)
                if place.startswith("data"):
                    tab.set_script_timeout(300)
                    tab.execute_async_script(ASK)
                tab.save_screenshot(str(IMAGES / f"{name}.png"))
                print(IMAGES / f"{name}.png")
        finally:
            tab.quit()
            server.should_exit = True
            thread.join()


if __name__ == "__main__":
    main()
