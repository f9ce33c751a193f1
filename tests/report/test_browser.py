"""The page in a real browser: no complaint on the console, the script runs, paper shows all."""

import re
import shutil
import subprocess

import pytest

from helpers_report import moons
from mercer import report

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine to open it in")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--enable-logging=stderr", "--hide-scrollbars"),
)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    model, X, y = moons()
    return report.write(model, tmp_path_factory.mktemp("page") / "report.html", X=X, y=y)


def browse(page, tmp_path, *options):
    command = [BROWSER, *FLAGS, f"--user-data-dir={tmp_path / 'profile'}", *options, page.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_the_script_runs_and_nothing_complains(page, tmp_path):
    done = browse(page, tmp_path, "--dump-dom")
    assert "CONSOLE" not in done.stderr, re.findall(".*CONSOLE.*", done.stderr)
    assert 'id="theme" type="button">' in done.stdout, "the script takes `hidden` off the button"
    assert done.stdout.count("<th scope=") == done.stdout.count('<button type="button">') + len(
        re.findall("<th scope=[^>]*>[^<]", done.stdout)
    )


def test_it_is_drawn_and_printed(page, tmp_path):
    shot, paper = tmp_path / "page.png", tmp_path / "page.pdf"
    browse(page, tmp_path, "--window-size=400,900", f"--screenshot={shot}")
    assert shot.stat().st_size > 10_000
    browse(page, tmp_path, f"--print-to-pdf={paper}")
    assert paper.read_bytes().startswith(b"%PDF")
