"""Files come by upload or from below the folder; nothing that runs code is ever read."""

import os
import pickle

import pytest

from helpers_lab import STATIC, running_lab
from mercer.errors import DataError
from mercer.lab import views
from mercer.lab.address import Address
from mercer.lab.room import Room, safe_ending


@pytest.fixture
def room(tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "a.csv").write_text("x\n1\n")
    (tmp_path / "secret.csv").write_text("x\n1\n")
    os.symlink(tmp_path / "secret.csv", inside / "link.csv")
    return Room(Address(folder=inside))


def test_files_of_the_folder(room):
    assert room.find("a.csv").read_text() == "x\n1\n"
    assert "a.csv" in room.listed()


@pytest.mark.parametrize(
    "name", ["../secret.csv", "link.csv", "/etc/passwd", "a.csv/../../secret.csv", "a\0.csv", ""]
)
def test_nothing_outside_the_folder(room, name):
    with pytest.raises(DataError):
        room.find(name)


@pytest.mark.parametrize("name", ["model.pkl", "harmless.csv"])
def test_pickles_are_refused_by_name_and_by_content(room, name):
    (room.address.folder / name).write_bytes(pickle.dumps([1, 2, 3]))
    with pytest.raises(DataError, match="pickle"):
        room.find(name)


def test_a_table_of_spss_is_no_pickle(room, tmp_path):
    """Some call their pickles .sav, too: the first bytes tell them apart."""
    package = pytest.importorskip("pyreadstat", reason="reads SPSS: pip install pyreadstat")
    import pandas

    place = room.address.folder
    package.write_sav(pandas.DataFrame({"age": [1.0, 2.0]}), str(place / "visits.sav"))
    (place / "model.sav").write_bytes(pickle.dumps({"a": 1}, protocol=0))  # no sign in its bytes
    assert room.find("visits.sav") == (place / "visits.sav").resolve()
    assert "visits.sav" in room.listed()
    with pytest.raises(DataError, match="pickle"):
        room.find("model.sav")


def test_the_folder_may_lie_anywhere_and_what_the_lab_writes_is_no_data(tmp_path):
    place = tmp_path / ".hidden" / "work"
    for name in ("a.csv.gz", "b.json", "sub/c.parquet", ".d.csv", ".e/f.csv",
                 "mercer-lab-runs/looks.json"):  # fmt: skip
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text("")
    assert Room(Address(folder=place)).listed() == ["a.csv.gz", "b.json", "sub/c.parquet"]


@pytest.mark.parametrize(
    ("name", "ending"),
    [("a.csv", ".csv"), ("x.fasta.gz", ".fasta.gz"), ("../../etc/cron.d/x", ""), ("a.c/s", ""),
     ("a\r\nSet-Cookie: x.csv", ".csv"), ("", "")],
)  # fmt: skip
def test_only_the_ending_of_an_uploaded_name_is_kept(name, ending):
    assert safe_ending(name) == ending


def test_uploads_get_names_of_ours_and_vanish_with_the_lab():
    with running_lab() as lab:
        reply = lab.send("POST", "/upload", b"x\n1\n", headers={"X-File-Name": "../../evil.csv"})
        path = lab.lab.room.find(reply.json()["name"])
        assert path.read_bytes() == b"x\n1\n"
        assert path.name.startswith("upload-")
        assert "evil" not in path.name
        refused = lab.send("POST", "/upload", pickle.dumps(1), headers={"X-File-Name": "x.csv"})
        assert refused.status == 422
        assert len(list(lab.lab.room.shelf().iterdir())) == 1
    assert not path.exists()


def test_every_view_has_its_module():
    for name, view in views.available().items():
        assert (STATIC / "views" / f"{name}.js").is_file()
        assert view.title
        assert view.about


def test_the_page_is_light_and_asks_nobody_else():
    """Less than 500 KB in all, and no address of another computer in any file."""
    files = [path for path in STATIC.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 500_000
    for path in files:
        text = path.read_text()
        for place in text.split("//")[1:]:
            assert not text.count("https:"), path
            assert "http:" not in text or "http://www.w3.org/2000/svg" in text, (path, place[:40])
        assert "innerHTML" not in text
        assert "eval(" not in text
