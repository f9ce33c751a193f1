"""What else a run promises: by hand from its counted rows, together at one δ, on the page."""

import json

import numpy as np
import pytest

import mercer
from mercer import report
from mercer.app.describe import fresh_rows
from mercer.app.guarantees import more_guarantees
from mercer.bounds.numerics import clopper_upper
from mercer.cli._summary import lines

QUICK = {"kernel": "gaussian", "combine": "product", "learner": "svm"}


def of(run):
    return run.answers["guarantees"]


def named(run, start):
    return next(row for row in of(run)["rows"] if row["question"].startswith(start))


@pytest.fixture(scope="module")
def classes():
    rng = np.random.default_rng(3)
    a, noise = rng.normal(size=(2, 600))
    y = np.where((a > 0) ^ (rng.random(600) < 0.05), "yes", "no")
    return mercer.fit({"a": a, "noise": noise, "y": y}, target="y", **QUICK)


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(2, 300))
    return mercer.fit({"a": a, "b": b, "y": 3 * a + b}, target="y", **QUICK)


def test_the_failure_probability_of_the_fit_is_divided_over_the_questions(classes, numbers):
    for model, questions in ((classes, 4), (numbers, 2)):
        found = of(model.run_)
        assert len(found["rows"]) == questions
        assert found["each"] == pytest.approx(0.05 / questions)
        for row in found["rows"]:
            if "certificate" in row:
                assert row["certificate"]["delta"] == pytest.approx(0.05 / questions)


def test_limits_of_classes_and_f1_by_hand(classes):
    told = classes.run_.predictions
    truth, said = np.array(told["truth"]), np.array(told["predicted"])
    for line in named(classes.run_, "errors of every")["classes"]:
        mine = truth == line["class"]
        errors = int((said[mine] != truth[mine]).sum())
        assert (line["errors"], line["rows"]) == (errors, mine.sum())
        assert line["high"] == pytest.approx(clopper_upper(errors, int(mine.sum()), 0.05 / 16))
    hit, either = (said == "yes") & (truth == "yes"), (said == "yes") | (truth == "yes")
    share = 1 - clopper_upper(int((either & ~hit).sum()), int(either.sum()), 0.0125)
    found = named(classes.run_, "F1")["certificate"]["value"]
    assert found == pytest.approx(2 * share / (1 + share))


def test_a_threshold_for_the_recall_and_sets_from_the_counted_rows(classes):
    cut = named(classes.run_, "find 95 %")
    told = classes.run_.predictions
    positive = np.array(told["truth"]) == "yes"
    assert cut["right"] >= 0.95 * positive.sum()
    assert cut["called"] >= cut["right"]
    sets = named(classes.run_, "sets")
    assert sum(sets["sizes"].values()) == of(classes.run_)["counted"] == len(positive)


def test_intervals_hold_what_they_say_on_fresh_rows(numbers):
    rng = np.random.default_rng(8)
    a, b = rng.normal(size=(2, 2000))
    wide = [named(numbers.run_, f"intervals for {share}")["widths"][1] for share in (90, 50)]
    assert wide[0] > wide[1]
    ends = numbers.predict_interval({"a": a, "b": b}, 0.9, delta=0.025)
    assert np.mean((ends[:, 0] <= 3 * a + b) & (3 * a + b <= ends[:, 1])) > 0.88


def test_the_section_says_so_in_every_form(classes, numbers):
    for model in (classes, numbers):
        document = report.build(model.run_)
        rows = document["sections"]["guarantees"]["rows"]
        json.dumps(rows)
        for kind in ("html", "md"):
            page = report.render(document, kind)
            assert "What else is promised" in page
            assert "mercer monitor model.mercer stream.csv" in page
    terminal = "\n".join(text for _, text, _ in lines(classes.run_))
    assert "together with confidence 95 %" in terminal
    assert "sets of classes that hold the true one" in terminal


def test_what_cannot_be_promised_is_said(classes):
    few = mercer.fit(
        {"a": np.r_[np.zeros(40), np.ones(40)] + np.linspace(0, 0.1, 80),
         "y": np.repeat(["no", "yes"], 40)}, target="y", **QUICK,
    )  # fmt: skip
    assert "are needed" in named(few.run_, "find 95 %")["refused"]
    page = report.render(report.build(few.run_), "md")
    assert "Not promised: find 95 % of yes" in page


def test_without_rows_that_were_kept_apart_nothing_is_promised():
    rng = np.random.default_rng(3)
    a = rng.normal(size=80)
    y = np.where(a > 0, "yes", "no")
    model = mercer.fit({"a": a, "y": y}, target="y", certify=None, **QUICK)
    assert not model.run_.answers.get("guarantees")
    assert "no rows were kept apart" in report.build(model.run_)["absent"]["guarantees"]["why"]


def test_groups_answer_coverage_alone():
    rng = np.random.default_rng(3)
    a = rng.normal(size=300)
    y = np.where(a + rng.normal(size=300) > 0, "yes", "no")
    group = np.repeat(np.arange(100), 3)
    model = mercer.fit({"a": a, "who": group, "y": y}, target="y", group="who", **QUICK)
    assert [row["question"] for row in of(model.run_)["rows"]] == ["sets for 90 %"]


def test_words_found_in_the_rows_stand_before_the_number(classes, monkeypatch):
    from dataclasses import replace

    made = replace(classes.certificate_, found=("DOES NOT COVER this",))
    monkeypatch.setitem(classes._issued, "certificate", made)

    class Target:
        task, y = "classification", None

    class Data:
        target = Target()

    index = fresh_rows(classes)
    frame = np.arange(classes.certification_.n)

    class Rows:
        def __getitem__(self, _):
            return stored

    stored = np.column_stack([np.linspace(-1, 1, len(index))] * 2)
    Data.X = Rows()
    Target.y = np.where(frame % 2, "yes", "no")
    for row in more_guarantees(Data(), classes)["rows"]:
        if "statement" in row:
            assert row["statement"].startswith("DOES NOT COVER this")


@pytest.mark.parametrize("learner", ["forest", "boosting", "linear"])
def test_every_kind_of_winner_is_asked_for_its_threshold(learner):
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(2, 600))
    y = np.where((a > 0) ^ (rng.random(600) < 0.03), "yes", "no")
    model = mercer.fit({"a": a, "b": b, "y": y}, target="y", learner=learner)
    assert hasattr(model, "decision_function") == (learner != "forest")
    assert "statement" in named(model.run_, "find 95 %")
    assert "score" in model.run_.predictions or learner == "forest"


def test_no_advice_for_python_on_the_page_of_somebody_at_a_terminal(classes):
    document = report.build(classes.run_)
    section = document["sections"]["guarantees"]
    section["rows"][0]["statement"] += " (pass groups=)"
    assert "(pass groups=)" in report.render(document, "md")
    section["terminal"] = True
    assert "(use --group)" in report.render(document, "md")
