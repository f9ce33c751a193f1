"""Further guarantees from the rows a run counted: right numbers, every one of them a look."""

import json

import numpy as np
import pytest

import mercer
from mercer import SVC, certified_fit
from mercer.app.held_out import HeldOut
from mercer.certification import Refused
from mercer.certification.core.order import ONE_OF_EACH
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


def by_person(place, n=400):
    """Rows of one person are copies of each other but for noise; their labels always agree."""
    table(place, n=n // 2)
    head, *lines = place.read_text().splitlines()
    pairs = [f"{line},p{k}" for k, line in enumerate(lines) for _ in range(2)]
    place.write_text("\n".join([f"{head},who", *pairs]) + "\n")
    return place


def test_of_groups_one_row_each_is_asked(tmp_path):
    data = by_person(tmp_path / "t.csv")
    model = mercer.fit(data, target="sick", group="who", ignore=["level"], learner="kernel",
                       kernel="gaussian", certify="holdout", output=tmp_path / "out",
                       report="none")  # fmt: skip
    held = HeldOut.of(tmp_path / "out" / "model.mercer", data)
    who = held.data.column("who").values[held.index].tolist()
    done = model.certification_
    assert len(set(who)) == len(who) == len(set(done.units)) == done.counted_on / 2
    wrong = held.model.predict(held.X) != held.y
    asked = (held.metric("accuracy"), held.recall(0.7, positive="yes"), held.price(2.0),
             held.groups("site"), held.coverage(0.7))  # fmt: skip
    for answer in asked:
        assert ONE_OF_EACH in answer.certificate.assumptions
    assert [a.certificate.n for a in (asked[0], asked[2], asked[3])] == [len(who)] * 3
    assert asked[0].certificate.observed == pytest.approx(1 - wrong.mean())
    assert sum(row[1] for row in asked[3].rows) == len(who)
    # what the run itself tells of classes and slices counts one row of each person, too
    assert sum(one["rows"] for one in model.run_.answers["classes"]) == len(who)
    sites = [one for one in model.run_.answers["slices"] if one["column"] == "site"]
    assert 0 < sum(one["rows"] for one in sites) <= len(who)  # slices of few rows are not told


def test_rows_that_a_model_was_chosen_by_are_not_asked(tmp_path):
    """Where errors are picked and learned, all rows that are left are right: 100 % by making."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 2))
    y = np.where(X.sum(axis=1) + 0.1 * rng.normal(size=400) > 0, "a", "b")
    picked = None
    for mode in ("compress", "vote", "easy", ["holdout", "compress"]):
        model = certified_fit(SVC(kernel="linear"), X, y, mode=mode, random_state=0,
                              **({"models": 1} if mode == "easy" else {}))  # fmt: skip
        done = model.certification_
        picked = done.split.get("picked") if mode == "compress" else picked
        assert not len(done.unseen_rows), mode
        rest = np.setdiff1d(done.counted_rows, done.train_rows)
        if mode == "compress":
            assert (model.predict(X[rest]) == y[rest]).all()
    assert picked  # else nothing was shown
    for mode in ("holdout", "auto", "selective", "progressive"):
        assert len(certified_fit(SVC(kernel="linear"), X, y, mode=mode).certification_.unseen_rows)


@pytest.fixture(scope="module")
def of_pairs(tmp_path_factory):
    """Distances between points, and a file that says what and whose each of them is."""
    place = tmp_path_factory.mktemp("pairs")
    rng = np.random.default_rng(0)
    points = rng.normal(size=(300, 2))
    np.save(place / "d.npy", np.sqrt(((points[:, None] - points[None]) ** 2).sum(-1)))
    sick = np.where(points.sum(axis=1) + 0.4 * rng.normal(size=300) > 0, "yes", "no")
    sites = rng.choice(["x", "y"], 300)
    lines = [f"r{i},p{i // 2},{s},{y}" for i, (s, y) in enumerate(zip(sites, sick, strict=True))]
    (place / "labels.csv").write_text("id,who,site,sick\n" + "\n".join(lines) + "\n")
    model = mercer.fit(place / "d.npy", place / "labels.csv", precomputed="distance",
                       certify="holdout", output=place / "out", report="none",
                       ledger=str(place / "looks.json"))  # fmt: skip
    return place, model


def test_a_matrix_answers_with_its_file_of_labels(of_pairs):
    place, model = of_pairs
    out = place / "out" / "model.mercer"
    held = HeldOut.of(out, place / "d.npy", place / "looks.json", place / "labels.csv")
    wrong = held.model.predict(held.X) != held.y
    assert wrong.mean() == pytest.approx(model.certificate_.observed)
    assert held.metric("accuracy").certificate.observed == pytest.approx(1 - wrong.mean())
    assert looked(place) == 2  # the fit and this: they are known to be the same rows
    sites = held.beside.column("site").values[held.index]
    for name, rows, errors, *_ in held.groups("site").rows:
        assert (rows, errors) == ((sites == name).sum(), wrong[sites == name].sum())
    for ask in (lambda: held.recall(0.7), lambda: held.price(2.0), lambda: held.coverage(0.7)):
        assert ask().certificate.value > 0
    with pytest.raises(DataError, match="no column 'nobody'"):
        held.groups("nobody")
    assert held.look("errors").k == looked(place)
    answers = model.run_.answers
    assert answers["wrong"]["wrong"] == wrong.sum()
    assert {one["column"] for one in answers["slices"]} == {"site"}  # not id, not the label


def test_labels_are_those_of_the_run(of_pairs, tmp_path):
    place, _ = of_pairs
    out = place / "out" / "model.mercer"
    with pytest.raises(DataError, match=r"another file \(labels.csv\)"):
        HeldOut.of(out, place / "d.npy")
    (tmp_path / "labels.csv").write_text((place / "labels.csv").read_text().replace("yes", "no", 1))
    with pytest.raises(DataError, match="not the file of labels"):
        HeldOut.of(out, place / "d.npy", None, tmp_path / "labels.csv")


def test_a_matrix_is_grouped_by_its_file_of_labels(of_pairs):
    from helpers_cli import mercer as command

    place, _ = of_pairs
    labels = ("--labels", place / "labels.csv")
    ran = command("fit", place / "d.npy", "--precomputed", "distance", *labels, "--group", "who",
                  "--certify", "holdout", "-o", place / "grouped", "--report", "none")  # fmt: skip
    assert ran.code == 0, ran.err
    assert "whole groups" in ran.out
    model = place / "grouped" / "model.mercer"
    ran = command("guarantee", model, place / "d.npy", *labels, "--groups", "site")
    assert ran.code == 0, ran.err
    assert ONE_OF_EACH in ran.out
    assert command("guarantee", model, place / "d.npy", "--groups", "site").code == 3


def test_labels_of_python_are_known_again_in_every_door(tmp_path):
    """Models that were made in Python keep numbers and truth values as classes."""
    from helpers_cli import mercer as command

    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    for name, words in (("number", ("0", "1")), ("truth", ("false", "true"))):
        told = np.where(X.sum(axis=1) > 0, words[1], words[0])
        lines = [f"{a:.5f},{b:.5f},{y}" for (a, b), y in zip(X, told, strict=True)]
        for file, some in (("all", lines[:200]), ("new", lines[200:])):
            (tmp_path / f"{file}.csv").write_text("\n".join(["a,b,y", *some]) + "\n")
        model = mercer.fit(tmp_path / "all.csv", target="y", learner="kernel", kernel="linear",
                           certify="holdout", output=tmp_path / name, report="none")  # fmt: skip
        assert model.classes_.dtype.kind in "bi"
        held = HeldOut.of(tmp_path / name / "model.mercer", tmp_path / "all.csv")
        seen = 1 - model.certificate_.observed
        assert held.metric("accuracy").certificate.observed == pytest.approx(seen)
        assert held.recall(0.5, positive=words[0]).certificate.n == (held.y == held.y.min()).sum()
        at = tmp_path / name / "model.mercer"
        ran = command("certify", at, tmp_path / "new.csv", "--json")
        assert ran.code == 0, ran.err
        assert json.loads(ran.out)["observed"] < 0.2
        ran = command("monitor", at, tmp_path / "new.csv", "--state", tmp_path / name / "s")
        assert ran.code == 0, ran.err
        assert json.loads(ran.out.splitlines()[-1])["errors"] < 20


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
