"""Pictures of the lab for the documentation: python tools/make_lab_pictures.py (needs Chromium)."""

from __future__ import annotations

import shutil
import tempfile
import threading
import time
from dataclasses import replace
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
}


def main() -> None:
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or "chromium"
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"):
        options.add_argument(flag)
    with tempfile.TemporaryDirectory() as folder:
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
            for name, (place, theme, width, height, wait) in PICTURES.items():
                tab.set_window_size(width, height)
                tab.execute_script("document.documentElement.dataset.theme = arguments[0]", theme)
                tab.execute_script("location.hash = arguments[0]", place)
                time.sleep(wait)
                tab.save_screenshot(str(IMAGES / f"{name}.png"))
                print(IMAGES / f"{name}.png")
        finally:
            tab.quit()
            server.should_exit = True
            thread.join()


if __name__ == "__main__":
    main()
