"""From models and records to a plain document."""

import json

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import mercer
from helpers_report import curve, moons, several, wide
from mercer import SVC, certified_fit, datasets, report
from mercer.kernels import Spectrum, WeightedDegree
from mercer.report._from_estimator import record_of
from mercer.report._plane import contour
from mercer.report._section import available
from mercer.report.run_record import RunRecord

OF_RUNS = {
    "brief",
    "contenders",
    "drivers",
    "guarantees",
    "mistakes",
    "thresholds",
    "more-rows",
}  # of a whole fit


def test_every_section_of_a_classifier_is_there():
    model, X, y = moons()
    document = report.build(model, X, y, title="Two moons")
    wanted = {s.key for s in available()} - {"residuals", "letters"} - OF_RUNS
    assert set(document["sections"]) == wanted
    assert set(document["absent"]) == {"residuals", "letters"} | OF_RUNS
    assert document["title"] == "Two moons"
    json.loads(report.render(document, "json"))


def test_sections_have_different_keys_and_places():
    sections = available()
    assert len({s.key for s in sections}) == len({s.order for s in sections}) == len(sections)


def test_curves_use_only_rows_the_model_has_not_learned():
    model, X, y = wide()
    document = report.build(model, X, y)
    record = model.certification_
    quality = document["sections"]["quality"]
    assert quality["rows"] == record.counted_on
    predicted = model.predict(X[record.counted_rows])
    wrong = int(np.sum(predicted != y[record.counted_rows]))
    assert quality["rows"] - np.trace(quality["confusion"]) == wrong
    assert document["sections"]["margins"]["groups"]["training rows"]["n"] == record.trained_on


def test_the_headline_is_the_certificate():
    model, X, y = moons()
    data = report.build(model, X, y)["sections"]["certificate"]
    assert data["certificate"]["value"] == model.certificate_.value
    assert data["sentence"] == model.certificate_.first_line()
    targets = [entry["target"] for entry in data["rows_needed"]]
    assert targets == sorted(targets, reverse=True)
    assert all(t < model.certificate_.value for t in targets)


def test_rows_needed_are_the_certificates_own_inversion():
    model, X, y = moons()
    data = report.build(model, X, y)["sections"]["certificate"]
    assert data["rows_needed"], "the example must have a smaller round number to aim for"
    for entry in data["rows_needed"]:
        assert entry["rows"] == model.certificate_.sample_size(entry["target"])


def test_influential_rows_are_those_with_the_largest_weights():
    model, X, y = wide()
    rows = record_of(model, X, y).influential["rows"]
    machine = model[-1]
    weights = np.abs(machine.dual_coef_).ravel()
    assert rows[0]["weight"] == pytest.approx(weights.max())
    learned = model.certification_.train_rows
    assert {r["row"] - 1 for r in rows} <= set(learned[machine.support_].tolist())


def test_the_search_is_listed_with_the_choice_first():
    model, X, y = moons()
    data = report.build(model, X, y)["sections"]["search"]
    assert data["candidates"] == 9
    assert data["greater"]
    assert data["results"][0]["params"] == model.best_params_
    scores = [r["score"] for r in data["results"]]
    assert scores[0] == max(scores)


def test_a_kernel_search_is_read_too():
    X, y, _ = datasets.make_moons(90, scale=0.3, random_state=0)
    search = mercer.KernelSearch(kernels=["gaussian", "linear"], param_grid={"C": [0.1, 1.0, 10.0]})
    search.fit(X, y)
    data = report.build(search, X, y)["sections"]["search"]
    assert not data["greater"]
    assert data["candidates"] == search.n_candidates_
    assert data["results"][0]["score"] == pytest.approx(search.best_value_)
    assert {r["family"] for r in data["results"]} >= {"linear"}


def test_several_classes_are_projected_and_counted():
    model, X, y = several()
    document = report.build(model, X, y)
    assert document["sections"]["decision"]["kind"] == "projection"
    assert len(document["sections"]["quality"]["confusion"]) == 3
    assert "roc" not in document["sections"]["quality"]
    assert document["sections"]["margins"]["several"]


def test_the_projection_has_the_decision_at_zero():
    model, X, y = wide()
    data = report.build(model, X, y)["sections"]["decision"]
    rows = np.array(data["row"]) - 1
    assert np.allclose(np.array(data["at"])[:, 0], model.decision_function(X[rows]), atol=1e-5)
    # the second coordinate is uncorrelated with the first: what the output leaves over
    assert abs(np.corrcoef(np.array(data["at"]).T)[0, 1]) < 1e-3


def test_regression_has_residuals_and_a_curve():
    model, X, y = curve()
    document = report.build(model, X, y)
    assert document["sections"]["decision"]["kind"] == "curve"
    counted = model.certification_.counted_rows
    left = y[counted] - model.predict(X[counted])
    assert document["sections"]["residuals"]["mean_absolute"] == pytest.approx(np.abs(left).mean())
    assert set(document["absent"]) == {"margins", "quality", "search", "letters"} | OF_RUNS


def test_a_model_without_rows_still_gives_a_report():
    model, _, _ = moons()
    document = report.build(model)
    assert {"certificate", "comparison", "reproduce"} <= set(document["sections"])
    assert "decision" in document["absent"]


def test_any_scikit_learn_model_with_fresh_rows():
    X, y, law = datasets.make_twonorm(120, random_state=0)
    fresh = law.sample(200, random_state=1)
    model = LogisticRegression().fit(X, y)
    issued = mercer.certify(model, *fresh)
    document = report.build(model, X, y, fresh=fresh, certificate=issued)
    assert document["sections"]["certificate"]["certificate"]["value"] == issued.value
    assert document["sections"]["quality"]["rows"] == 200
    assert document["sections"]["quality"]["calibration"]["bins"]


def test_without_a_certificate_nothing_is_promised():
    X, y, _ = datasets.make_twonorm(80, random_state=0)
    model = LogisticRegression().fit(X, y)
    document = report.build(model, X, y)
    assert document["sections"]["certificate"]["certificate"] is None
    assert "no certificate" in report.render(document, "md")
    assert "comparison" in document["absent"]


def test_a_vacuous_bound_is_not_shown_as_a_success():
    X, y, _ = datasets.make_twonorm(12, random_state=0)
    model = SVC(gamma=1.0).fit(X, y)
    assert model.certificate_ is None or model.certificate_.vacuous
    page = report.render(report.build(model, X, y), "html")
    assert 'class="headline vacuous"' in page


def test_from_a_run_record_and_from_its_json():
    model, X, y = moons()
    record = record_of(model, X, y, title="run")
    plain = json.loads(json.dumps(record.to_dict()))
    whole, bare = report.build(record), report.build(plain)
    assert set(whole["sections"]) - set(bare["sections"]) == {"decision"}
    assert bare["sections"]["certificate"] == whole["sections"]["certificate"]
    assert report.build(whole) == whole


def test_an_empty_record_is_a_report_too():
    document = report.build(RunRecord(title="interrupted"))
    assert "certificate" in document["sections"]
    for kind in ("html", "md", "json"):
        assert "interrupted" in report.render(document, kind)


def test_something_else_is_refused():
    with pytest.raises(TypeError, match="fitted model, a run record or a document"):
        report.build(3)
    with pytest.raises(ValueError, match="'html', 'md' or 'json'"):
        report.render(report.build(RunRecord()), "pdf")


def test_a_failing_section_does_not_cost_the_report(monkeypatch):
    from mercer.report.sections.margins import MarginSection

    def broken(self, source, done):
        raise ZeroDivisionError("on purpose")

    monkeypatch.setattr(MarginSection, "collect", broken)
    model, X, y = moons()
    with pytest.warns(UserWarning, match="ZeroDivisionError: on purpose"):
        document = report.build(model, X, y)
    assert "on purpose" in document["absent"]["margins"]["why"]
    assert "certificate" in document["sections"]


def test_contours_lie_on_the_level():
    xs, ys = np.linspace(-2, 2, 41), np.linspace(-2, 2, 31)
    field = np.hypot(*np.meshgrid(xs, ys))
    pieces = np.array(contour(xs, ys, field, 1.0)).reshape(-1, 2)
    assert len(pieces) > 60
    assert np.abs(np.hypot(*pieces.T) - 1.0).max() < 0.01


def test_the_same_input_gives_the_same_document():
    model, X, y = wide()
    first, second = (report.build(model, X, y) for _ in range(2))
    for document in (first, second):
        document["created"] = document["sections"]["reproduce"]["created"] = ""
    assert first == second


@pytest.mark.parametrize("kernel", [Spectrum(4), WeightedDegree(4)], ids=["anywhere", "in place"])
def test_models_of_strings_show_their_letters(kernel):
    rng = np.random.default_rng(0)
    dna = ["".join(row) for row in rng.choice(list("ACGT"), (120, 30))]
    y = np.repeat(["free", "bound"], 60)
    dna[60:] = [s[:12] + "GATAGC" + s[18:] for s in dna[60:]]
    model = certified_fit(SVC(kernel=kernel), dna, y, mode="holdout", random_state=0)
    document = report.build(model, np.array(dna, dtype=object), y)
    data = document["sections"]["letters"]
    assert data["classes"] == ["bound", "free"]
    if "shares" in data:  # negative speaks for the first class
        assert 12 <= int(np.argmin(data["shares"][0])) < 18
    else:
        assert data["low"][0][0] in "GATAGC"
        assert data["low"][0][1] < 0 < data["high"][0][1]
    assert "Which letters decide" in report.render(document, "html")
    assert "Which letters decide" in report.render(document, "md")
