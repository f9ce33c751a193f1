"""Your data: profile, fit in a child process, abort, kept runs; a lab that dies leaves none."""

import contextlib
import json
import os
import shlex
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from helpers_lab import running_lab, wait_for
from mercer.datasets import load_iris
from mercer.lab import runs


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


def looks(folder):
    return (folder / "mercer-lab-runs" / "looks.json").read_text().count('"key"')


def a_run(lab):
    """The oldest run, made where there is none."""
    kept = ask(lab, "runs")["runs"]
    if not kept:
        begun = ask(lab, "fit", file="iris.csv", target=TARGET, kernel="linear")
        assert ended(lab, begun["run"])["status"] == "done"
        kept = ask(lab, "runs")["runs"]
    return kept[-1]["run"]


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
    assert "errors" not in found  # nothing of single rows before the look is charged
    assert looks(folder) == 1
    opened = ask(lab, "open", run=begun["run"], part="errors")
    assert (opened["look"], looks(folder)) == (2, 2)
    assert found["wrong"] == len(opened["errors"])
    assert ask(lab, "open", run=begun["run"], part="errors")["look"] == 2
    rows = ask(lab, "runs")["runs"]
    assert [r["run"] for r in rows] == [begun["run"]]
    report = lab.send("GET", f"/runs/{begun['run']}/report.html")
    assert report.status == 200
    assert looks(folder) == 1 + 5  # the report shows errors, slices, classes, drivers, guarantees
    heads = {k.lower(): v for k, v in report.headers.items()}
    assert heads["content-security-policy"].startswith("sandbox")
    assert "allow-same-origin" not in heads["content-security-policy"]
    for path in ("../iris.csv", "%2e%2e%2firis.csv", "record.json", "..%2f..%2firis.csv"):
        assert lab.send("GET", f"/runs/{begun['run']}/{path}").status == 404
    # a second fit of the same rows is one more look, and says so
    again = ask(lab, "fit", file="iris.csv", target=TARGET, kernel="gaussian", ignore=["a"])
    assert ended(lab, again["run"])["status"] == "done"
    told = ask(lab, "result", run=again["run"])["certificate"]["found"]
    assert any("7 numbers from these rows" in words for words in told), told


@pytest.mark.parametrize(
    ("question", "more"),
    [
        ("coverage", {"value": 0.7}),
        ("metric", {"name": "auc:positive=virginica"}),
        ("groups", {"name": TARGET, "value": 0.0}),
    ],
)
def test_guarantees_come_with_their_look_and_the_lines_that_do_the_same(
    lab, folder, question, more
):
    run = a_run(lab)
    before = looks(folder)
    found = ask(lab, "guarantee", run=run, question=question, **more)
    assert found["look"]["k"] == looks(folder) == before + 1
    assert "confidence" in found["statement"]
    from helpers_cli import mercer

    words = shlex.split(found["command"])
    assert words[:2] == ["mercer", "guarantee"]
    here = [str(folder / w) if (folder / w).exists() else w for w in words[1:]]
    ran = mercer(*here, "--json")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["table"]["rows"] == found["rows"]
    told = {}
    with contextlib.chdir(folder):
        exec(found["python"].replace("print", "made ="), told)
    assert told["answer"].rows == tuple(map(tuple, found["rows"]))
    assert looks(folder) == before + 1  # the same question, asked in three ways


def test_questions_that_cannot_be_answered_end_in_words(lab):
    run = a_run(lab)
    for wrong in ({"question": "coverage", "value": 0.999}, {"question": "metric", "name": "x"},
                  {"question": "price", "value": 2.0}, {"question": "groups", "name": "nobody"},
                  {"question": "metric"}, {"question": "why"}):  # fmt: skip
        reply = lab.ask("data", "guarantee", {"run": run, **wrong})
        assert reply.status == 422, reply.body
        assert reply.json()["error"]
    assert lab.ask("data", "open", {"run": run, "part": "everything"}).status == 422
    assert lab.ask("data", "open", {"run": "../x", "part": "errors"}).status == 422


def test_without_its_file_nothing_of_a_run_is_shown_uncharged(lab, folder):
    run = a_run(lab)
    (folder / "iris.csv").rename(folder / "away")
    try:
        lab.lab.views["data"].counted.forget()
        reply = lab.ask("data", "open", {"run": run, "part": "slices"})
        assert reply.status == 422
        assert "cannot be counted" in reply.json()["error"]
        assert lab.send("GET", f"/runs/{run}/report.html").status == 409
        content = (folder / "away").read_bytes()
        lab.send("POST", "/upload", content, headers={"X-File-Name": "iris.csv"})
        assert ask(lab, "open", run=run, part="slices")["slices"] is not None
    finally:
        (folder / "away").rename(folder / "iris.csv")


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


def test_a_matrix_with_labels_in_another_file_is_asked_like_a_table(lab, folder):
    table = load_iris()
    rows = table.X[::2]
    distances = np.sqrt(((rows[:, None] - rows[None]) ** 2).sum(-1))
    np.save(folder / "d.npy", distances)
    lines = [f"{'north' if k % 3 else 'south'},{y}" for k, y in enumerate(table.y[::2].tolist())]
    (folder / "labels.csv").write_text("side,kind\n" + "\n".join(lines) + "\n")
    seen = ask(lab, "profile", file="d.npy")["document"]
    assert (seen["kind"], seen["rows"]) == ("distance", 75)
    asked = {"file": "d.npy", "precomputed": "distance", "labels": "labels.csv"}
    begun = ask(lab, "fit", certify="holdout", **asked)
    run = begun["run"]
    assert "--labels labels.csv" in begun["command"]
    assert "mercer.fit('d.npy', 'labels.csv', precomputed='distance'" in begun["python"]
    assert ended(lab, run)["status"] == "done"
    found = ask(lab, "result", run=run)
    assert found["certificate"]["value"] < 0.5
    assert found["columns"] == ["side"]
    before = looks(folder)
    errors = ask(lab, "open", run=run, part="errors")["errors"]
    assert (len(errors), looks(folder)) == (found["wrong"], before + 1)
    slices = ask(lab, "open", run=run, part="slices")["slices"]
    assert {one["column"] for one in slices} <= {"side"}
    for question in ({"question": "metric", "name": "accuracy"},
                     {"question": "coverage", "value": 0.7},
                     {"question": "groups", "name": "side", "value": 0.0}):  # fmt: skip
        answer = ask(lab, "guarantee", run=run, **question)
        assert "--labels labels.csv" in answer["command"]
        assert "looks.json', 'labels.csv')" in answer["python"]
    assert looks(folder) == before + 5
    told = {}
    with contextlib.chdir(folder):
        exec(answer["python"].replace("print", "made ="), told)
    assert told["answer"].rows == tuple(map(tuple, answer["rows"]))
    (folder / "labels.csv").rename(folder / "gone")
    lab.lab.views["data"].counted.forget()
    refused = lab.ask("data", "open", {"run": run, "part": "classes"})
    assert refused.status == 422  # what cannot be charged is not shown
    assert "labels.csv" in refused.json()["error"]


def test_of_a_run_by_groups_more_is_asked_too(lab, folder):
    lines = (folder / "iris.csv").read_text().splitlines()
    pairs = [f"{line},p{k // 2}" for k, line in enumerate(lines[1:])]
    (folder / "pairs.csv").write_text("\n".join([f"{lines[0]},who", *pairs]) + "\n")
    begun = ask(lab, "fit", file="pairs.csv", target=TARGET, group="who", kernel="linear",
                certify="holdout")  # fmt: skip
    assert "--group who" in begun["command"]
    assert ended(lab, begun["run"])["status"] == "done"
    found = ask(lab, "result", run=begun["run"])
    assert found["split"]["order"] == "groups"
    for question in ({"question": "metric", "name": "balanced_accuracy"},
                     {"question": "coverage", "value": 0.7}):  # fmt: skip
        answer = ask(lab, "guarantee", run=begun["run"], **question)
        assert "a random row of a new group" in " ".join(answer["assumptions"])
    assert ask(lab, "open", run=begun["run"], part="classes")["classes"]


def test_a_stop_before_anything_was_finished_says_so(lab):
    begun = ask(lab, "fit", file="iris.csv", target=TARGET)
    wait_for(lambda: ask(lab, "state", run=begun["run"])["status"] == "running", 60)
    ask(lab, "stop", run=begun["run"])
    found = ended(lab, begun["run"])
    assert found["status"] in ("stopped", "done")  # the first models may have been quick
    kept = (lab.lab.views["data"].runs.folder / begun["run"] / "record.json").exists()
    assert kept == (found["status"] == "done")
    if not kept:
        assert "nothing is kept" in found["words"]


def test_a_fit_that_somebody_else_ends_has_failed(lab):
    begun = ask(lab, "fit", file="iris.csv", target=TARGET)
    wait_for(lambda: ask(lab, "state", run=begun["run"])["status"] == "running", 60)
    lab.lab.views["data"].runs.fits[begun["run"]].process.kill()
    found = ended(lab, begun["run"])
    assert found["status"] == "failed"
    assert "from outside" in found["error"]


@pytest.mark.skipif(not os.path.exists("/bin/false"), reason="needs a programme that ends at once")
@pytest.mark.parametrize("asked", [True, False])
def test_a_child_that_ends_before_it_has_read_its_job_is_over(tmp_path, monkeypatch, asked):
    """Abort right after the start: what was to be written to it is nobody's any more."""
    monkeypatch.setattr(runs.sys, "executable", "/bin/false")
    kept = runs.Runs(tmp_path, 1)
    fit = runs.Fit("a-1", {"words": "w" * 300_000}, asked_to_stop=asked)  # more than a pipe holds
    kept._follow(fit)
    assert fit.status == ("stopped" if asked else "failed")
    assert fit.process.stdin.closed
    assert fit.process.stdout.closed
