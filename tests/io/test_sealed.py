"""A run folder is one thing: the old run or the new one, whatever happens in between."""

import errno
import json
import os
import threading

import pytest

from mercer.errors import WriteError
from mercer.io import sealed

NAMES = ("model", "certificate", "report")


def write(folder, words, names=NAMES):
    with sealed.writing(folder, replaces=NAMES) as aside:
        for name in names:
            (aside / name).write_text(f"{name} of {words}")


def contents(folder):
    files = (p for p in folder.iterdir() if p.is_file() and p.name != sealed.MANIFEST)
    return {p.name: p.read_text() for p in files}


def whole(folder, words, names=NAMES):
    kept = read_hashes(folder)
    assert kept == {name: sealed.sha256(folder / name) for name in names}
    return {n: v for n, v in contents(folder).items() if n in NAMES} == {
        name: f"{name} of {words}" for name in names
    }


def read_hashes(folder):
    return {n: v["sha256"] for n, v in sealed.read_manifest(folder)["files"].items()}


def test_nothing_of_an_older_run_stays(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    write(tmp_path, "first")
    write(tmp_path, "second", ("model", "report"))
    assert whole(tmp_path, "second", ("model", "report"))
    assert contents(tmp_path)["notes.txt"] == "mine"
    assert {p.name for p in tmp_path.iterdir()} == {"notes.txt", "model", "report", sealed.MANIFEST}


def test_files_from_before_there_were_manifests_go_too(tmp_path):
    (tmp_path / "certificate").write_text("of an old run")
    write(tmp_path, "new", ("model",))
    assert not (tmp_path / "certificate").exists()


def test_a_failure_while_writing_leaves_the_old_run(tmp_path):
    write(tmp_path, "first")

    def fails():
        with sealed.writing(tmp_path, replaces=NAMES) as aside:
            (aside / "model").write_text("half")
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(WriteError, match=r"No space left on device.*Nothing was changed"):
        fails()
    assert whole(tmp_path, "first")
    assert not list(tmp_path.glob(".mercer*"))


class Death(BaseException):
    """The process is gone: nothing after this runs."""


@pytest.mark.parametrize("step", range(12))
def test_death_at_any_step_leaves_the_old_run_or_the_new_one(tmp_path, monkeypatch, step):
    """Every change of the folder is counted; after so many of them the process dies."""
    write(tmp_path, "first")
    done = 0

    def counted(action):
        def step_or_die(*args, **kwargs):
            nonlocal done
            if done == step:
                raise Death
            done += 1
            return action(*args, **kwargs)

        return step_or_die

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", counted(os.replace))
        patch.setattr(sealed.Path, "unlink", counted(sealed.Path.unlink))
        patch.setattr(sealed.shutil, "rmtree", counted(sealed.shutil.rmtree))
        try:
            write(tmp_path, "second", ("model", "report"))
            died = False
        except Death:
            died = True
    if sealed.unfinished(tmp_path):
        assert died
        assert sealed.finish(tmp_path)
    names = ("model", "report") if contents(tmp_path)["model"].endswith("second") else NAMES
    assert whole(tmp_path, "second" if len(names) == 2 else "first", names)
    assert step < 11 or not died  # the steps cover the whole of it


def test_two_writers_do_not_mix(tmp_path):
    def many(words):
        for _ in range(10):
            write(tmp_path, words)

    threads = [threading.Thread(target=many, args=(words,)) for words in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert whole(tmp_path, contents(tmp_path)["model"].removeprefix("model of "))


def test_a_manifest_that_names_other_places_removes_nothing_there(tmp_path):
    folder = tmp_path / "run"
    (tmp_path / "precious").write_text("mine")
    write(folder, "first")
    manifest = json.loads((folder / sealed.MANIFEST).read_text())
    manifest["files"]["../precious"] = {"sha256": "", "bytes": 0}
    (folder / sealed.MANIFEST).write_text(json.dumps(manifest))
    write(folder, "second")
    assert (tmp_path / "precious").read_text() == "mine"
