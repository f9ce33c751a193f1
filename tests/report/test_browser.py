"""The page in a real browser: no complaint on the console, the script runs, paper shows all."""

import re
import shutil
import subprocess
from importlib import resources

import pytest

from helpers_report import moons
from mercer import report
from mercer.bounds import available
from mercer.report.sections.comparison import _name, chart

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


LEAVING = """<script>
const out = [];
for (const text of document.querySelectorAll("svg text")) {
  const at = text.getBBox(), view = text.ownerSVGElement.viewBox.baseVal;
  if (at.x < 0 || at.x + at.width > view.width) out.push(text.textContent);
}
document.body.dataset.leaving = out.length + " " + out.join("; ");
</script>"""


def test_the_name_of_no_bound_is_cut_off(tmp_path):
    """In bold, with every suffix, and for a bound of somebody else's with a very long name."""
    titles = [*(bound.title for bound in available().values()), "a name without end " * 20]
    facts = {"classifier": "gibbs", "uncovered": [{"what": "C"}], "kind": "bound", "chosen": True}
    facts |= {"vacuous": False, "value": 0.2, "observed": 0.1, "quantity": "error rate"}
    rows = [facts | {"title": title, "words": title} for title in titles]
    style = resources.files("mercer.report").joinpath("page.css").read_text()
    page = tmp_path / "chart.html"
    page.write_text(f"<style>{style}</style><body>{chart(rows, 0.1).svg()}{LEAVING}", "utf-8")
    found = re.findall('data-leaving="([^"]*)"', browse(page, tmp_path, "--dump-dom").stdout)
    assert found == ["0 "]


def test_names_are_whole_and_say_once_who_decides():
    facts = {"classifier": "gibbs", "uncovered": ()}
    for bound in available().values():
        name = " ".join(_name(facts | {"title": bound.title}))
        assert name.lower().startswith(bound.title.lower())
        assert name.count("randomised") == 1
