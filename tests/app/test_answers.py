"""What people ask next: each answer against what is known, or against brute force."""

import numpy as np
import pytest
from scipy.stats import binomtest

import mercer
from mercer import report
from mercer.app.answers import more_rows, thresholds
from mercer.app.importance import effects
from mercer.app.mistakes import limits, slices
from mercer.app.roles import make_fit_data
from mercer.report.run_record import RunRecord
from mercer.tables.frames import dataset_of

RNG = np.random.default_rng(2)
N = 400
A, B, NOISE = RNG.normal(size=(3, N))
SITE = RNG.choice(["north", "south"], N)
QUICK = {"kernel": "gaussian", "combine": "product"}


@pytest.fixture(scope="module")
def classes():
    flip = (SITE == "south") & (RNG.random(N) < 0.4)  # errors gather in the south
    y = np.where((A > 0) ^ flip, "yes", "no")
    return mercer.fit({"a": A, "noise": NOISE, "site": SITE, "y": y}, target="y", **QUICK).run_


@pytest.fixture(scope="module")
def numbers():
    return mercer.fit({"a": A, "b": B, "noise": NOISE, "y": 3 * A + B}, target="y", **QUICK).run_


def test_the_columns_that_matter_come_first_with_intervals(classes, numbers):
    first = classes.answers["importance"][0]
    assert first["name"] == "a"
    assert 0 < first["low"] < first["change"] < first["high"]
    noise = next(one for one in classes.answers["importance"] if one["name"] == "noise")
    assert noise["change"] < 0.3 * first["change"]
    assert [one["name"] for one in numbers.answers["importance"]] == ["a", "b", "noise"]


def test_effect_curves_of_a_sum_are_its_terms():
    """The average answer minus the column's own term is constant if the answer is a sum."""

    class Sum:
        def predict(self, X):
            return np.sin(X[:, 0]) + X[:, 1] ** 2

    data = make_fit_data(dataset_of({"a": A, "b": B, "y": A + B}), target="y")
    order = [{"name": "a"}, {"name": "b"}]
    for effect, term in zip(
        effects(data, Sum(), np.arange(50), order), (np.sin, np.square), strict=True
    ):
        rest = np.array(effect["heights"]) - term(np.array(effect["values"]))
        np.testing.assert_allclose(rest, rest[0])


def test_slices_that_err_more_often_are_marked_and_limits_are_exact(classes):
    worse = [(s["column"], s["slice"]) for s in classes.answers["slices"] if s["worse"]]
    assert ("site", "= south") in worse
    for errors, rows in ((0, 20), (3, 20), (20, 20)):
        found = binomtest(errors, rows).proportion_ci(0.99, "exact")
        assert limits(errors, rows, 0.01) == pytest.approx((found.low, found.high), abs=1e-12)


def test_slices_of_a_model_that_errs_alike_everywhere_are_rarely_marked():
    """With limits for all slices together, one marked slice in at most one of twenty files."""
    rng = np.random.default_rng(0)
    marked = 0
    for _ in range(40):
        table = {
            "a": rng.normal(size=N),
            "b": rng.choice(list("uvwx"), N),
            "y": rng.integers(0, 2, N),
        }
        data = make_fit_data(dataset_of(table), target="y")
        record = RunRecord(target={"task": "classification"})
        record.predictions = {
            "truth": ["0"] * N,
            "predicted": list((rng.random(N) < 0.2).astype(int).astype(str)),
        }
        marked += any(s["worse"] for s in slices(record, data, np.arange(N), np.full(N, True)))
    assert marked <= 6  # 40 times 0.05 is 2; more than 6 has a chance of one in 200


def test_wrong_rows_are_rows_of_the_file(classes):
    wrong = classes.answers["wrong"]
    truth = dict(zip(classes.predictions["row"], classes.predictions["truth"], strict=True))
    assert wrong["rows"]
    assert all(truth[row["row"]] == row["truth"] != row["predicted"] for row in wrong["rows"])
    assert wrong["wrong"] == round(classes.certificate["observed"] * classes.certificate["n"])


def test_thresholds_are_the_cheapest_and_move_with_the_price():
    rng = np.random.default_rng(1)
    chance = rng.random(300)
    truth = (rng.random(300) < chance).astype(int)
    record = RunRecord(predictions={
        "truth": truth.tolist(), "classes": [0, 1],
        "probability": np.column_stack([1 - chance, chance]).tolist(),
    })  # fmt: skip
    found = {row["price"]: row for row in thresholds(record)}
    for price, row in found.items():
        said = chance >= row["threshold"]
        assert price * np.sum(~said & (truth == 1)) + np.sum(said & (truth == 0)) == row["cost"]
        assert row["cost"] <= row["usual_cost"]
    assert found[10.0]["threshold"] < found[1.0]["threshold"] < found[0.1]["threshold"]


def test_more_rows_meet_the_certificate_of_today_and_fall(classes):
    found = more_rows(classes)
    now = found["limits"][found["rows"].index(found["now"])]
    assert now == pytest.approx(found["value"], rel=0.05)
    assert np.all(np.diff(found["limits"][5:]) < 0)


def test_numbers_are_described_by_their_distance(numbers):
    found = numbers.answers["numbers"]
    truth, said = (np.array(numbers.predictions[k]) for k in ("truth", "predicted"))
    assert found["mean_absolute"] == pytest.approx(np.abs(truth - said).mean())
    assert found["mean_absolute"] < found["median_rule"]
    assert np.mean(np.abs(truth - said) <= found["within"]) >= 0.9


def test_the_report_begins_with_the_answers(classes, numbers):
    for run in (classes, numbers):
        document = report.build(run)
        page = report.render(document)
        places = [
            page.index(f'<section id="{key}"')
            for key in ("brief", "certificate", "drivers", "comparison")
        ]
        assert places == sorted(places)
        assert not [a for a in document["absent"].values() if "could not be made" in a["why"]]
    assert {"thresholds", "more-rows", "mistakes"} <= set(report.build(classes)["sections"])
