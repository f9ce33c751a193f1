"""Your data: profile, fit in a child process, abort, kept runs; a lab that dies leaves none."""

import os
import signal
import subprocess
import sys
import time

import pytest

from helpers_lab import running_lab, wait_for
from mercer.datasets import load_iris


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("data")
    table = load_iris()
    lines = ["a,b,c,d,<img src=x onerror=alert(1)>"]
    lines += [
        ",".join(map(str, [*row, table.class_names[label]]))
        for row, label in zip(table.X.tolist(), table.y.tolist(), strict=True)
    ]
    (place / "iris.csv").write_text("\n".join(lines) + "\n")
    return place


TARGET = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def lab(folder):
    with running_lab(folder=folder) as running:
        yield running


def ask(lab, call, **body):
    reply = lab.ask("data", call, body)
    assert reply.status == 200, reply.body
    return reply.json()


def ended(lab, run):
    def state():
        found = ask(lab, "state", run=run)
        return found if found["status"] in ("done", "stopped", "failed") else None

    return wait_for(state, 120, "the fit to end")


def test_a_file_becomes_a_certified_model(lab, folder):
    assert "iris.csv" in ask(lab, "files")["files"]
    seen = ask(lab, "profile", file="iris.csv", target=TARGET)["document"]
    assert [c["name"] for c in seen["columns"]] == ["a", "b", "c", "d", TARGET]
    begun = ask(lab, "fit", file="iris.csv", target=TARGET, kernel="linear", ignore=["a"])
    assert begun["command"].startswith("mercer fit iris.csv")
    assert "mercer.fit('iris.csv'" in begun["python"]
    assert ended(lab, begun["run"])["status"] == "done"
    found = ask(lab, "result", run=begun["run"])
    assert 0 < found["certificate"]["value"] < 0.5
    assert found["wrong"] == len(found["errors"])
    rows = ask(lab, "runs")["runs"]
    assert [r["run"] for r in rows] == [begun["run"]]
    report = lab.send("GET", f"/runs/{begun['run']}/report.html")
    assert report.status == 200
    heads = {k.lower(): v for k, v in report.headers.items()}
    assert heads["content-security-policy"].startswith("sandbox")
    assert "allow-same-origin" not in heads["content-security-policy"]
    for path in ("../iris.csv", "%2e%2e%2firis.csv", "record.json", "..%2f..%2firis.csv"):
        assert lab.send("GET", f"/runs/{begun['run']}/{path}").status == 404
    # a second fit of the same rows is a second look, and says so
    again = ask(lab, "fit", file="iris.csv", target=TARGET, kernel="gaussian", ignore=["a"])
    assert ended(lab, again["run"])["status"] == "done"
    told = ask(lab, "result", run=again["run"])["certificate"]["found"]
    assert any("2 numbers from these rows" in words for words in told), told


def test_bad_wishes_end_in_words(lab):
    begun = ask(lab, "fit", file="iris.csv", target="nothing")
    found = ended(lab, begun["run"])
    assert found["status"] == "failed"
    assert "nothing" in found["error"]
    assert lab.ask("data", "profile", {"file": "../../etc/passwd"}).status == 422
    assert lab.ask("data", "state", {"run": "../x"}).status == 422
    assert lab.ask("data", "result", {"run": ".."}).status == 422


def test_stop_keeps_the_best_so_far(lab):
    begun = ask(lab, "fit", file="iris.csv", target=TARGET)
    wait_for(lambda: ask(lab, "state", run=begun["run"])["share"] > 0, 90, "the search to begin")
    ask(lab, "stop", run=begun["run"])
    assert ended(lab, begun["run"])["status"] == "done"
    found = ask(lab, "result", run=begun["run"])
    assert found["model"]["interrupted"]
    assert found["certificate"]["value"] < 1


def test_abort_leaves_nothing(lab, folder):
    begun = ask(lab, "fit", file="iris.csv", target=TARGET)
    wait_for(lambda: ask(lab, "state", run=begun["run"])["status"] == "running", 60)
    ask(lab, "stop", run=begun["run"], now=True)
    assert ended(lab, begun["run"])["status"] == "stopped"
    assert not (folder / "mercer-lab-runs" / begun["run"] / "record.json").exists()


LAB = """
import sys
from dataclasses import replace
from pathlib import Path
from mercer.lab.address import Address
from mercer.lab.room import Room
from mercer.lab.views.data import Data, Wish
view = Data(Room(Address(folder=Path(sys.argv[1]))))
fit = view.fit(Wish(file="iris.csv", target="<img src=x onerror=alert(1)>"))
import time
while view.runs.fits[fit["run"]].process is None:
    time.sleep(0.01)
print(view.runs.fits[fit["run"]].process.pid, fit["run"], flush=True)
time.sleep(60)
"""


def test_a_killed_lab_takes_its_fit_with_it(folder):
    lab = subprocess.Popen([sys.executable, "-c", LAB, folder], stdout=subprocess.PIPE, text=True)
    child, run = lab.stdout.readline().split()
    lab.send_signal(signal.SIGKILL)
    lab.wait()
    lab.stdout.close()

    def gone():
        try:
            os.kill(int(child), 0)
        except ProcessLookupError:
            return True
        with open(f"/proc/{child}/stat") as stat:  # a zombie of nobody's
            return stat.read().rpartition(")")[2].split()[0] == "Z"

    wait_for(gone, 40, "the fit to end")
    time.sleep(0.1)
    assert not (folder / "mercer-lab-runs" / run / "record.json").exists()
