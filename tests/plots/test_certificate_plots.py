"""Pictures of certificates show the numbers they hold, and tell bounds from estimates."""

import types

import numpy as np
import pytest
from scipy.stats import beta

from mercer.bounds import Compression, Evidence, HoldOut, Progressive, assess, curve, get
from mercer.plots import BoundCurveDisplay, CertificateDisplay, CoverageDisplay
from mercer.plots.certificate_chart import ESTIMATE, GREY

MARGINS = np.linspace(-0.3, 2.4, 90)


@pytest.fixture(scope="module")
def certificates():
    evidence = Evidence(
        300,
        loss="hinge",
        formulation="c-svc",
        errors=33,
        margins=MARGINS,
        norm=9.0,
        point_norms=np.ones(90),
        radius=1.0,
        compression=Compression(300, 60),
        holdout=HoldOut(120, 9, trained_on=180),
        progressive=Progressive(150, 12, models=10, c=0.4),
        loo={"exact": 0.08},
    )
    return assess(evidence)[0]


def texts(ax):
    return [t.get_text() for t in ax.texts]


def test_chart_orders_bounds_before_estimates(certificates):
    display = CertificateDisplay(certificates, chosen="holdout", truth=0.07).plot()
    frame = display.frame()
    assert set(frame["code"]) == set(certificates)
    kinds = frame["kind"] == "estimate"
    assert list(kinds) == sorted(kinds)
    bounds = frame["unclipped"][~kinds]
    assert np.all(np.diff(bounds) >= 0)
    np.testing.assert_allclose(
        frame["value"], [certificates[str(code)].value for code in frame["code"]]
    )
    assert len(display.ax_.get_yticklabels()) == len(certificates)


def test_estimates_are_hollow_and_vacuous_bounds_grey(certificates):
    display = CertificateDisplay(certificates).plot()
    hollow = [line for line in display.ax_.lines if line.get_marker() == "D"]
    estimates = [c for c in certificates.values() if c.kind == "estimate"]
    assert len(hollow) == len(estimates) > 0
    assert {line.get_markeredgecolor() for line in hollow} == {ESTIMATE}
    arrows = [line for line in display.ax_.lines if line.get_marker() == ">"]
    vacuous = [c for c in certificates.values() if c.vacuous]
    assert len(arrows) == len(vacuous) > 0
    assert {line.get_color() for line in arrows} == {GREY}
    assert sum("vacuous" in t for t in texts(display.ax_)) == len(vacuous)
    assert sum(t.startswith("≈") for t in texts(display.ax_)) == len(estimates)


def test_chosen_one_is_bold_and_the_yardsticks_are_named(certificates):
    display = CertificateDisplay(
        certificates, chosen="holdout", truth=0.07, test_rows=1000, bar=0.16
    ).plot()
    bold = [t.get_text() for t in display.ax_.get_yticklabels() if t.get_fontweight() == "bold"]
    assert bold == ["Exact binomial hold-out limit"]
    legend = [t.get_text() for t in display.ax_.get_legend().get_texts()]
    assert "test error 7 %" in legend
    assert "80/20 hold-out 16 %" in legend
    assert any(label.startswith("estimate") for label in legend)
    known = CertificateDisplay(certificates, truth=0.07).plot()
    assert "true error 7 %" in [t.get_text() for t in known.ax_.get_legend().get_texts()]


def test_chart_from_an_estimator(certificates):
    model = types.SimpleNamespace(certificates_=certificates, certificate_=certificates["scenario"])
    display = CertificateDisplay.from_estimator(model, truth=0.05)
    assert display.chosen == "scenario"
    assert display.figure_ is display.ax_.figure
    with pytest.raises(TypeError, match="certificates_"):
        CertificateDisplay.from_estimator(object())
    with pytest.raises(ValueError, match="no certificate"):
        CertificateDisplay([])


def test_losses_and_rates_do_not_share_an_axis(certificates):
    part = HoldOut(50, losses=np.linspace(0, 1.2, 50))
    loss = get("holdout-loss")().evaluate(
        Evidence(99, task="regression", holdout=part, loss_range=(0, 2))
    )
    with pytest.raises(ValueError, match="axis"):
        CertificateDisplay([loss, certificates["holdout"]])
    display = CertificateDisplay([loss]).plot()
    assert display.ax_.get_xlabel().startswith("mean loss")
    mixed = types.SimpleNamespace(
        certificates_={"a": loss, **certificates}, certificate_=certificates["holdout"]
    )
    assert "holdout-loss" not in CertificateDisplay.from_estimator(mixed).frame()["code"]


def test_notes_say_whom_a_certificate_is_about(certificates):
    labels = {
        c.code: t.get_text().replace("\n", " ")
        for d in [CertificateDisplay(certificates).plot()]
        for c, t in zip(d.certificates, d.ax_.get_yticklabels(), strict=True)
    }
    assert "mixture" in labels["progressive"]
    assert "under an assumption" in labels["progressive-refit"]
    assert "randomised" in labels["gaussian-margin-gibbs"]


# --- curves ------------------------------------------------------------------------------------


def test_curves_follow_the_certificates(certificates):
    some = [certificates[k] for k in ("holdout", "gaussian-margin", "loo-exact")]
    display = BoundCurveDisplay.from_certificates(some, target=0.12)
    assert [c.code for c in display.curves] == ["holdout", "gaussian-margin"]  # no estimate
    frame = display.frame()
    assert set(frame) == {"code", "at", "value", "vacuous"}
    one = display.curves[0]
    wide = get("holdout")().evaluate(certificates["holdout"].inputs.scaled(one.at[-1] / 300))
    assert one.values[-1] == pytest.approx(wide.unclipped)
    legend = " ".join(t.get_text() for t in display.ax_.get_legend().get_texts())
    assert "target at" in legend
    assert "informative from" in legend


def test_reached_is_the_first_point_below_the_target(certificates):
    inputs = certificates["holdout"].inputs
    at = [300, 600, 1200, 1e4, 1e5]
    lines = [curve(get("holdout")(), inputs, "n", at), curve(get("holdout")(), inputs, "n", at[:2])]
    display = BoundCurveDisplay(lines, target=0.1).plot()
    first = display.reached()
    assert first[0] == next(n for n, v in zip(at, lines[0].values, strict=True) if v <= 0.1)
    assert first[1] is None
    assert BoundCurveDisplay(lines).reached() == [None, None]


def test_vacuity_point_is_marked_where_the_curve_crosses():
    inputs = Evidence(100, margins=MARGINS, norm=5.0, radius=1.0, errors=10)
    at = np.geomspace(10, 1e6, 40)
    display = BoundCurveDisplay.from_bounds([get("rademacher")()], inputs, values=at, log=False)
    one = display.curves[0]
    (ring,) = [line for line in display.ax_.lines if line.get_markerfacecolor() == "white"]
    below = np.flatnonzero(one.values >= 1)[-1]
    assert at[below] <= ring.get_xdata()[0] <= at[below + 1]
    assert display.frame()["vacuous"][: below + 1].all()


def test_other_quantities_than_n():
    evidence = Evidence(500, compression=Compression(500, 40))
    display = BoundCurveDisplay.from_bounds(
        [get("scenario")(), get("compression")()], evidence, over="delta", values=[1e-6, 1e-2, 0.5]
    )
    assert display.ax_.get_xlabel() == "delta"


def test_curves_refuse_what_does_not_belong_together(certificates):
    with pytest.raises(ValueError, match="no curve"):
        BoundCurveDisplay([])
    with pytest.raises(ValueError, match="none of the certificates"):
        BoundCurveDisplay.from_certificates([certificates["loo-exact"]])
    by_n = curve(get("holdout")(), certificates["holdout"].inputs, "n", [100, 200])
    by_delta = curve(get("holdout")(), certificates["holdout"].inputs, "delta", [0.1, 0.2])
    with pytest.raises(ValueError, match="do not mix"):
        BoundCurveDisplay([by_n, by_delta])
    with pytest.raises(ValueError, match="labels"):
        BoundCurveDisplay([by_n], labels=["a", "b"])


# --- coverage ----------------------------------------------------------------------------------


def test_coverage_intervals_are_exact():
    display = CoverageDisplay.from_counts({"fine": (12, 400), "broken": (90, 400)}, delta=0.05)
    frame = display.frame()
    np.testing.assert_allclose(frame["lower"], beta.ppf(0.025, [12, 90], [389, 311]))
    np.testing.assert_allclose(frame["upper"], beta.isf(0.025, [13, 91], [388, 310]))
    assert frame["p_value"][0] > 0.9
    assert frame["p_value"][1] < 1e-20
    crosses = [line for line in display.ax_.lines if line.get_marker() == "X"]
    assert len(crosses) == 1  # only the broken one
    assert "90 of 400" in texts(display.ax_)


def test_coverage_counts_values():
    truth = np.array([0.1, 0.2, 0.3])
    display = CoverageDisplay.from_values({"a": [0.2, 0.2, 0.2], "b": truth}, truth)
    assert display.counts == {"a": (1, 3), "b": (0, 3)}
    by_name = CoverageDisplay.from_values({"a": [0.2]}, {"a": [0.5]})
    assert by_name.counts == {"a": (1, 1)}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: CoverageDisplay({}), "nothing"),
        (lambda: CoverageDisplay({"a": (3, 2)}), "cannot be"),
        (lambda: CoverageDisplay({"a": (1, 2)}, delta=0.0), "strictly"),
        (lambda: CoverageDisplay.from_values({"a": [0.1]}, [0.1, 0.2]), "risks"),
    ],
)
def test_coverage_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_displays_draw_on_given_axes(certificates):
    import matplotlib.pyplot as plt

    _, axes = plt.subplots(1, 3)
    made = [
        CertificateDisplay(certificates).plot(ax=axes[0]),
        BoundCurveDisplay.from_certificates([certificates["holdout"]], ax=axes[1]),
        CoverageDisplay.from_counts({"a": (1, 300)}, ax=axes[2]),
    ]
    assert [display.ax_ for display in made] == list(axes)
