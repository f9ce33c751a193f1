"""Further guarantees from the rows a run counted: right numbers, every one of them a look."""

import json

import numpy as np
import pytest

import mercer
from mercer.app.held_out import HeldOut
from mercer.certification import Refused
from mercer.errors import DataError, UserError


def table(place, n=400, seed=0):
    """Two numbers and a site decide about yes and no; a number with noise."""
    rng = np.random.default_rng(seed)
    a, b, site = rng.normal(size=n), rng.normal(size=n), rng.choice(["x", "y"], n)
    sick = np.where(a + b + 0.3 * rng.normal(size=n) > 0.5, "yes", "no")
    level = a + 0.1 * rng.normal(size=n)
    lines = [f"{p:.6f},{q:.6f},{s},{y},{v:.6f}"
             for p, q, s, y, v in zip(a, b, site, sick, level, strict=True)]  # fmt: skip
    place.write_text("a,b,site,sick,level\n" + "\n".join(lines) + "\n")
    return place


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    data = table(folder / "t.csv")
    model = mercer.fit(data, target="sick", learner="kernel", kernel="linear", ignore=["level"],
                       certify="holdout", output=folder / "out", report="none",
                       ledger=str(folder / "looks.json"))  # fmt: skip
    return folder, data, model


@pytest.fixture
def held(run):
    folder, data, _ = run
    return HeldOut.of(folder / "out" / "model.mercer", data, folder / "looks.json")


def looked(folder):
    return (folder / "looks.json").read_text().count('"key"')


def test_the_rows_are_those_that_were_counted(run, held):
    _, _, model = run
    done = model.certification_
    assert sorted(held.index) == sorted(done.counted_rows)
    wrong = int((held.model.predict(held.X) != held.y).sum())
    assert wrong / len(held.y) == pytest.approx(model.certificate_.observed)


def test_every_question_is_a_look_and_the_same_one_is_not_counted_twice(run, held):
    folder, _, _ = run
    before = looked(folder)
    first = held.metric("f1").certificate
    assert looked(folder) == before + 1
    assert first.about["look"]["k"] == before + 1
    assert any(f"one of {before + 1} numbers" in words for words in first.found)
    assert held.metric("f1").certificate.about["look"]["k"] == before + 1
    asked = (lambda: held.coverage(0.8), lambda: held.recall(0.8, positive="yes"),
             lambda: held.price(5.0), lambda: held.groups("site"))  # fmt: skip
    for k, ask in enumerate(asked, start=before + 2):
        assert ask().certificate.about["look"]["k"] == k
    assert held.look("slices").k == before + 6
    assert held.look("slices").k == before + 6
    assert looked(folder) == before + 6


def test_a_price_fixes_the_threshold_without_the_counted_labels(held):
    answer = held.price(4.0, positive="yes")
    chance = held.model.predict_proba(held.X)[:, held.model.classes_.tolist().index("yes")]
    said = np.where(chance >= 0.2, "yes", "no")
    missed, alarms = (((said != "yes") & (held.y == "yes")).sum(),
                      ((said == "yes") & (held.y != "yes")).sum())  # fmt: skip
    assert answer.rows[0][1:] == (missed, alarms, 4 * missed + alarms)
    assert answer.certificate.observed == pytest.approx((4 * missed + alarms) / len(said))
    assert answer.certificate.value > answer.certificate.observed


def test_sets_hold_as_many_counted_rows_as_their_rank_says(held):
    answer = held.coverage(0.85)
    sets = held.model.predict_set(held.X, 0.85, delta=0.05)
    places = [held.model.classes_.tolist().index(label) for label in held.y]
    assert sets[np.arange(len(places)), places].mean() >= 0.85
    shown = [row[2] for row in answer.rows]
    names = np.asarray(held.model.classes_)
    assert shown == [", ".join(names[one]) or "(none)" for one in sets[: len(shown)]]


def test_groups_are_counted_by_the_column_of_the_file(held):
    answer = held.groups("site")
    site = held.data.column("site").values[held.index]
    wrong = held.model.predict(held.X) != held.y
    for name, rows, errors, low, high in answer.rows:
        assert (rows, errors) == ((site == name).sum(), wrong[site == name].sum())
        assert low <= errors / rows <= high


def test_another_file_is_refused(run, tmp_path):
    folder, _, _ = run
    with pytest.raises(DataError, match="not the file"):
        HeldOut.of(folder / "out" / "model.mercer", table(tmp_path / "t.csv", seed=1))


def test_what_cannot_be_said_is_refused_in_words(held):
    with pytest.raises(Refused, match="no class"):
        held.price(2.0, positive="maybe")
    with pytest.raises(Refused, match="at least"):
        held.coverage(0.999)
    with pytest.raises(UserError, match="values"):
        held.groups("a")


def test_numbers_get_intervals(tmp_path):
    data = table(tmp_path / "t.csv", n=200)
    mercer.fit(data, target="level", ignore=["sick"], learner="kernel", kernel="linear",
               certify="holdout", output=tmp_path / "out", report="none")  # fmt: skip
    held = HeldOut.of(tmp_path / "out" / "model.mercer", data)
    answer = held.coverage(0.8)
    assert answer.heads == ("row", "answer", "from", "to")
    assert all(low < said < high for _, said, low, high in answer.rows)
    assert held.metric("error_quantile").certificate.value > 0
    with pytest.raises(Refused):
        held.recall(0.9)


def test_runs_by_groups_say_where_to_ask(tmp_path):
    data = table(tmp_path / "t.csv", n=200)
    lines = data.read_text().splitlines()
    pairs = [f"{line},p{k // 2}" for k, line in enumerate(lines[1:])]
    data.write_text("\n".join([f"{lines[0]},who", *pairs]))
    mercer.fit(data, target="sick", group="who", ignore=["level"], learner="kernel",
               kernel="linear", certify="holdout", output=tmp_path / "out",
               report="none")  # fmt: skip
    held = HeldOut.of(tmp_path / "out" / "model.mercer", data)
    with pytest.raises(UserError, match="groups"):
        held.metric("f1")
    assert held.look("slices").k >= 1


def test_the_command_asks_the_same(run, held):
    from helpers_cli import mercer as command

    folder, data, _ = run
    model = folder / "out" / "model.mercer"
    ran = command("guarantee", model, data, "--price", 4, "--positive", "yes", "--json",
                  "--ledger", folder / "looks.json")  # fmt: skip
    assert ran.code == 0, ran.err
    told = json.loads(ran.out)
    assert told["certificate"]["value"] == pytest.approx(held.price(4.0).certificate.value)
    assert command("guarantee", model, data).code == 2
    assert command("guarantee", model, data, "--coverage", 0.9, "--metric", "f1").code == 2
