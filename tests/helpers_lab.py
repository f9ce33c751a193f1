"""A running lab, a client that may lie about who it is, and a real browser if there is one."""

import contextlib
import http.client
import json
import shutil
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from mercer.lab.address import Address

pytest.importorskip("starlette", reason="the lab is an extra: pip install 'mercer[lab]'")
pytest.importorskip("uvicorn", reason="the lab is an extra: pip install 'mercer[lab]'")

from mercer.lab.serve import listen, make_server

MISSING = "no Chromium here; on Debian: apt-get install chromium chromium-driver"


@dataclass
class Reply:
    status: int
    headers: dict
    body: bytes

    def json(self):
        return json.loads(self.body)


@dataclass
class Running:
    """A lab that listens, and what a page of it would send."""

    address: Address
    lab: object

    @property
    def netloc(self):
        return f"127.0.0.1:{self.address.port}"

    def send(self, method, path, body=None, *, headers=None, without=(), timeout=60):
        """One request as our own page sends it, but for ``headers`` and what is left out."""
        told = {
            "Host": self.netloc,
            "Origin": f"http://{self.netloc}",
            "Cookie": f"{self.address.cookie}={self.address.token}",
            "Content-Type": "application/json",
            **(headers or {}),
        }
        told = {k: v for k, v in told.items() if k not in without}
        connection = http.client.HTTPConnection("127.0.0.1", self.address.port, timeout=timeout)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            raw = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
            for name, value in told.items():
                connection.putheader(name, value)
            if raw is not None and "Content-Length" not in told:
                connection.putheader("Content-Length", str(len(raw)))
            connection.endheaders(raw)
            answer = connection.getresponse()
            return Reply(answer.status, dict(answer.headers), answer.read())
        finally:
            connection.close()

    def ask(self, view, call, body, **options):
        return self.send("POST", f"/api/{view}/{call}", body, **options)


@contextlib.contextmanager
def running_lab(**options):
    """A lab in a thread of this process, on any free port."""
    address = Address(**options)
    listening = listen(address)
    address = replace(address, port=listening.getsockname()[1])
    server = make_server(address)
    thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield Running(address, server.config.app.lab)
    finally:
        server.should_exit = True
        thread.join(20)
        listening.close()


@contextlib.contextmanager
def browser(width=1280, height=1000):
    """Headless Chromium, driven by selenium; skips the test where there is none."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="pip install selenium")
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if not (chromium and driver):
        pytest.skip(MISSING)
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(flag)
    options.add_argument(f"--window-size={width},{height}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    from selenium.webdriver.chrome.service import Service

    tab = webdriver.Chrome(options=options, service=Service(driver))
    try:
        tab.set_page_load_timeout(60)
        yield tab
    finally:
        tab.quit()


def wait_for(condition, seconds=40.0, what="something on the page"):
    """The first true value of ``condition``; a busy machine is given time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(Exception):
            found = condition()
            if found:
                return found
        time.sleep(0.05)
    raise AssertionError(f"waited {seconds:g} s for {what}")


def complaints(tab):
    """What the browser's console says is wrong."""
    return [entry["message"] for entry in tab.get_log("browser") if entry["level"] != "INFO"]


STATIC = Path(__import__("mercer").__file__).parent / "lab" / "static"
