"""A workbook is dropped on the page, and read to its profile in a real browser."""

import base64

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
