"""A workbook, sequences, Parquet, a matrix: from the drop to a certificate, in a browser."""

import base64

import numpy as np
import pytest

from helpers_lab import browser, complaints, running_lab, wait_for
from helpers_workbook import workbook

# What a desktop hands to a page: an event with a file in it. The file itself is a real one.
DROP = """const [name, content] = arguments;
          const parts = Uint8Array.from(atob(content), c => c.charCodeAt(0));
          const held = new DataTransfer();
          held.items.add(new File([parts], name));
          const told = {dataTransfer: held, bubbles: true, cancelable: true};
          document.querySelector(".drop").dispatchEvent(new DragEvent("drop", told));"""
CELLS = "return [...document.querySelectorAll('main table tbody tr')].map(r => r.innerText)"
SAID = "return document.getElementById('said').textContent"


def dropped(tab, path):
    tab.execute_script(DROP, path.name, base64.b64encode(path.read_bytes()).decode())


PROFILE = "return document.querySelector('main h3')?.textContent || ''"
CERTIFIED = "return document.querySelector('#result .big')?.textContent || ''"
CHOOSE = """const [label, value] = arguments;
            const box = document.querySelector(`main select[aria-label="${label}"]`);
            box.value = value;
            box.dispatchEvent(new Event("change"));
            return box.value"""
RUN = """const bar = document.querySelector("main progress");
         return bar ? bar.parentNode.querySelector("h3").textContent.replace("Run ", "") : ''"""
GIVE = """const [name, content] = arguments, input = document.getElementById("labels");
          const held = new DataTransfer();
          held.items.add(new File([content], name));
          input.files = held.files;
          input.dispatchEvent(new Event("change"));"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    inside = tmp_path_factory.mktemp("lab")
    with running_lab(folder=inside) as lab, browser() as tab:
        tab.get(lab.address.url())
        tab.execute_script("location.hash = 'data'")
        wait_for(lambda: tab.find_elements("css selector", ".drop"))
        yield lab, tab, inside


def certified(tab, path, choices, labels=None):
    """Drop a file, choose as a reader would, fit, and read the certificate off the page."""
    tab.get_log("browser")
    dropped(tab, path)
    wait_for(lambda: path.name in tab.execute_script(PROFILE), what="the profile")
    if labels is not None:
        wait_for(lambda: tab.find_elements("id", "labels"), what="a place for labels")
        assert not tab.find_element("id", "fit").is_enabled()
        tab.execute_script(GIVE, *labels)
    for label, value in choices.items():
        wait_for(lambda x=label, v=value: tab.execute_script(CHOOSE, x, v) == v, what=label)
    wait_for(lambda: tab.find_element("id", "fit").is_enabled(), what="a button to press")
    before = tab.execute_script(RUN)
    tab.find_element("id", "fit").click()
    wait_for(lambda: tab.execute_script(RUN) != before, what="the run to begin")
    name, command = tab.execute_script(RUN), tab.find_element("id", "command").text
    shown = f"return document.querySelector('#result h3')?.textContent === 'Result of {name}'"
    wait_for(lambda: tab.execute_script(shown), 240, "the result")
    assert pressable(tab) == []  # nothing is left that could be stopped
    assert complaints(tab) == []
    return command, tab.execute_script(CERTIFIED)


def pressable(tab):
    """Which of the ways to end a run can be used."""
    return [name for name in ("stop", "abort") if tab.find_element("id", name).is_enabled()]


def opened(tab, part):
    """What a part of the counted rows shows once it is paid for."""
    tab.find_element("css selector", f"details[data-part={part}] summary").click()
    inside = f"details[data-part={part}] table"
    wait_for(lambda: tab.find_elements("css selector", inside), what=part)
    return tab.find_element("css selector", inside).text


def visits(n=240):
    """Age decides, and a ward says nothing."""
    rng = np.random.default_rng(0)
    age, ward = rng.uniform(20, 80, n).round(1), rng.choice(["east", "west"], n)
    sick = np.where(age + rng.normal(0, 4, n) > 50, "yes", "no")
    return {"age": age.tolist(), "ward": ward.tolist(), "sick": sick.tolist()}


def test_a_workbook_becomes_a_certificate(page, tmp_path):
    pytest.importorskip("python_calamine")
    _, tab, _ = page
    told = visits()
    rows = [list(told), *map(list, zip(*told.values(), strict=True))]
    workbook(tmp_path / "visits.xlsx", {"first": rows})
    choices = {"predict": "sick", "kernel": "linear", "certificate from": "holdout"}
    command, shown = certified(tab, tmp_path / "visits.xlsx", choices)
    assert command.startswith("mercer fit visits.xlsx --target sick")
    assert 0 < float(shown.split()[1]) < 40
    assert "rate between" in opened(tab, "slices")
    tab.find_element("id", "ask").click()
    wait_for(lambda: tab.find_elements("css selector", ".promise"), what="a guarantee")


def test_a_parquet_file_becomes_a_certificate(page, tmp_path):
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    _, tab, _ = page
    parquet.write_table(arrow.table(visits()), tmp_path / "visits.parquet")
    choices = {"predict": "sick", "kernel": "linear", "certificate from": "holdout"}
    command, shown = certified(tab, tmp_path / "visits.parquet", choices)
    assert command.startswith("mercer fit visits.parquet --target sick")
    assert 0 < float(shown.split()[1]) < 40


def test_sequences_become_a_certificate(page, tmp_path):
    _, tab, _ = page
    rng = np.random.default_rng(0)
    lines = []
    for k in range(80):
        letters = "".join(rng.choice(list("ACGT"), 30))
        kind = "ab"[k % 2]
        lines += [f">s{k} {kind}", letters[:10] + ("TATAAT" if k % 2 else "") + letters[16:]]
    (tmp_path / "genes.fasta").write_text("\n".join(lines) + "\n")
    choices = {"certificate from": "holdout", "rows with the same value belong together": "related"}
    command, shown = certified(tab, tmp_path / "genes.fasta", choices)
    assert command.startswith("mercer fit genes.fasta --group related")
    assert 0 < float(shown.split()[-2]) < 60


def test_a_matrix_with_its_labels_becomes_a_certificate(page, tmp_path):
    _, tab, _ = page
    told = visits()
    age = np.array(told["age"])
    np.save(tmp_path / "apart.npy", np.abs(age[:, None] - age[None]))
    lines = [",".join(row) for row in zip(told["ward"], told["sick"], strict=True)]
    labels = ("labels.csv", "ward,sick\n" + "\n".join(lines) + "\n")
    choices = {"predict": "sick", "certificate from": "holdout"}
    command, shown = certified(tab, tmp_path / "apart.npy", choices, labels)
    assert "--precomputed distance --labels labels.csv" in command
    assert 0 < float(shown.split()[1]) < 40
    assert "ward" in opened(tab, "slices")
    assert "row of the file" in opened(tab, "errors")


def test_what_a_fit_waits_for_is_said(page, tmp_path):
    _, tab, _ = page
    names = list(visits())
    lines = [
        ",".join(names),
        *(",".join(map(str, row)) for row in zip(*visits().values(), strict=True)),
    ]
    (tmp_path / "open.csv").write_text("\n".join(lines))
    dropped(tab, tmp_path / "open.csv")
    wait_for(lambda: "open.csv" in tab.execute_script(PROFILE), what="the profile")
    assert not tab.find_element("id", "fit").is_enabled()
    assert "choose the column to predict" in tab.find_element("id", "first").text
    assert tab.execute_script(CHOOSE, "predict", "sick") == "sick"
    wait_for(lambda: not tab.find_elements("id", "first"), what="nothing to wait for")
    assert tab.find_element("id", "fit").is_enabled()


def test_a_run_can_be_stopped_once_and_aborted_after_that(page, tmp_path):
    _, tab, _ = page
    told = visits(2000)
    rows = [list(told), *zip(*told.values(), strict=True)]
    (tmp_path / "long.csv").write_text("\n".join(",".join(map(str, row)) for row in rows))
    dropped(tab, tmp_path / "long.csv")
    wait_for(lambda: "long.csv" in tab.execute_script(PROFILE), what="the profile")
    wait_for(lambda: tab.execute_script(CHOOSE, "predict", "sick") == "sick", what="predict")
    wait_for(lambda: tab.find_element("id", "fit").is_enabled(), what="a button to press")
    tab.find_element("id", "fit").click()
    wait_for(lambda: tab.execute_script(RUN).startswith("long-"), what="the run to begin")
    assert pressable(tab) == ["stop", "abort"]
    tab.find_element("id", "stop").click()
    wait_for(lambda: pressable(tab) in (["abort"], []), what="the button to be used up")
    if pressable(tab):
        tab.find_element("id", "abort").click()
    wait_for(lambda: pressable(tab) == [], what="nothing to press")


def test_a_dropped_workbook_becomes_a_profile(tmp_path):
    pytest.importorskip("python_calamine")
    inside = tmp_path / "lab"
    inside.mkdir()
    rows = [[float(k), "ab"[k % 2], None if k == 7 else k / 4] for k in range(40)]
    workbook(tmp_path / "visits.xlsx", {"first": [["age", "<b>ward</b>", "dose"], *rows]})
    (tmp_path / "broken.xlsx").write_bytes(b"PK\x03\x04xl/workbook and no more")
    with running_lab(folder=inside) as lab, browser() as tab:
        tab.get(lab.address.url())
        tab.execute_script("location.hash = 'data'")
        wait_for(lambda: tab.find_elements("css selector", ".drop"))
        tab.get_log("browser")
        dropped(tab, tmp_path / "visits.xlsx")
        shown = wait_for(lambda: tab.execute_script(CELLS), what="the profile")
        heading = tab.find_element("css selector", "main h3").text
        assert heading == "visits.xlsx: 40 rows"
        told = {line.split("\t")[0].strip(): line.split() for line in shown}
        assert list(told) == ["age", "<b>ward</b>", "dose"]  # words, not markup
        assert told["age"][1:4] == ["number", "0", "40"]
        assert told["dose"][1:3] == ["number", "1"]
        assert complaints(tab) == []
        targets = tab.find_elements("css selector", "select[aria-label=predict] option")
        assert [one.text for one in targets][1:] == list(told)
        dropped(tab, tmp_path / "broken.xlsx")
        wait_for(lambda: "no workbook that can be read" in tab.execute_script(SAID))
    assert not list(inside.glob("*.xlsx"))
