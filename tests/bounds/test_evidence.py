"""Evidence: frozen, JSON-able, honest about what is missing."""

import json
import math
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from mercer.bounds import (
    Choice,
    Compression,
    Evidence,
    HoldOut,
    NotApplicable,
    Pick,
    Pool,
    Posterior,
    Progressive,
    Stage,
    Vote,
)


def full_evidence():
    return Evidence(
        100,
        learner="SVC(kernel='rbf')",
        formulation="c-svc",
        loss="hinge",
        errors=7,
        risks={"hinge": 0.2},
        margins=[1.0, -0.5, math.inf],
        slacks=[0.0, 1.5, 0.0],
        alphas=[0.0, 1.0, 0.2],
        point_norms=[1, 1, 1],
        norm=2.5,
        offset=-0.1,
        radius=1.0,
        trace=100.0,
        rank=99,
        dimension=math.inf,
        spectrum=[50.0, 25.0],
        C=1.0,
        compression=Compression(100, 30, nondegenerate=True),
        loo={"span": 0.1},
        holdout=HoldOut(40, 3, classes={"a": (20, 1), "b": (20, 2)}, losses=[0.1, 0.2]),
        progressive=Progressive(50, 4, models=10, c=0.3),
        pick=Pick(60, 5, (40, 30), (0.5, 0.5)),
        pool=Pool(500, 10, minority=[0.0, 0.25]),
        posterior=Posterior(50, 0.1, 2.0, candidates=3),
        stages=(Stage(50, 1.0, 0.5, (0.9, 0.2, 0.1)),),
        vote=Vote(50, 0.1, tandem=0.05, disagreement=0.08, kl=1.0),
        loss_range=(0, 1),
        gap=1e-3,
        choices=(
            Choice("gamma", "1/(d var X)"),
            Choice("C", rows="fresh", candidates=5, paid=True),
        ),
        machines=(Evidence(100, errors=3),),
    )


def test_round_trip_of_every_field():
    evidence = full_evidence()
    text = json.dumps(evidence.to_dict(), allow_nan=False)
    again = Evidence.from_dict(json.loads(text))
    assert again == evidence
    assert again.margins[2] == math.inf
    assert again != replace(evidence, errors=8)
    assert again != replace(evidence, margins=np.zeros(3))
    assert Evidence(5).to_dict() == {"n": 5, "risks": {}, "loo": {}, "classes": {}}


def test_it_cannot_be_changed():
    evidence = full_evidence()
    with pytest.raises(FrozenInstanceError):
        evidence.n = 3
    with pytest.raises(ValueError, match="read-only"):
        evidence.margins[0] = 5.0
    source = np.ones(3)
    held = Evidence(3, margins=source)
    source[0] = -1
    assert held.margins[0] == 1.0


def test_need_says_what_is_missing():
    with pytest.raises(NotApplicable, match="compression set") as refusal:
        Evidence(5, learner="KernelRidge").need("compression")
    assert "KernelRidge" in refusal.value.reason
    assert refusal.value.structural
    with pytest.raises(NotApplicable, match="finite feature-space dimension"):
        full_evidence().need("dimension")
    with pytest.raises(NotApplicable, match="needs the leave-one-out error"):
        Evidence(5).need("loo")
    assert full_evidence().need("errors") == 7
    assert Evidence(5, errors=0).need("errors") == 0


@pytest.mark.parametrize("size", [-1, 2.5, math.nan])
def test_a_dimension_is_a_whole_number(size):
    with pytest.raises(ValueError, match="whole number >= 0 or infinite"):
        Evidence(5, dimension=size)
    assert Evidence(5, dimension=3.0).dimension == 3.0


def test_conversion_between_c_and_lambda():
    assert Evidence(50, C=2.0).lam == pytest.approx(1 / 200)
    assert pytest.approx(0.1) == Evidence(50, C=2.0).vary("lam", 0.1).C


def test_uncovered_choices():
    evidence = full_evidence()
    assert [c.what for c in evidence.uncovered(())] == ["gamma"]
    assert evidence.uncovered({"train"}) == ()
    with pytest.raises(ValueError, match="rows"):
        Choice("gamma", rows="validation")


def test_only_keeps_scalars_and_what_is_named():
    slim = full_evidence().only(("margins", "holdout"))
    assert slim.margins is not None
    assert slim.holdout is not None
    assert (slim.slacks, slim.compression, slim.stages) == (None, None, ())
    assert slim.norm == 2.5


def test_scaling_keeps_rates():
    big = full_evidence().scaled(10)
    assert (big.n, big.errors, big.trace) == (1000, 70, 1000.0)
    assert (big.holdout.rows, big.holdout.errors, big.holdout.classes["b"]) == (400, 30, (200, 20))
    assert big.pick.sizes == (400, 300)
    assert big.compression.size == 300
    assert big.lam == pytest.approx(full_evidence().lam)
    small = full_evidence().scaled(1e-9)
    assert small.n == 1
    assert small.holdout.errors == 1


def test_vary():
    evidence = Evidence(100, margins=[0.2, 0.4], compression=Compression(100, 30), norm=1.0)
    assert evidence.vary("margin", 0.1).margins.tolist() == pytest.approx([0.1, 0.2])
    assert evidence.vary("compression.size", 12).compression.size == 12
    assert evidence.vary("norm", 3.0).norm == 3.0
    with pytest.raises(ValueError, match="no field"):
        evidence.vary("nonsense", 1)
    with pytest.raises(ValueError, match="positive"):
        full_evidence().vary("margin", 0.1)


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: Evidence(0), "at least one row"),
        (lambda: Evidence(2.5), "whole"),
        (lambda: Evidence(-1), "whole"),
        (lambda: Evidence(5, errors=6), "more than"),
        (lambda: Evidence(5, task="ranking"), "task"),
        (lambda: Evidence(5, margins=[]), "empty"),
        (lambda: Evidence(5, margins=[1.0, math.nan]), "position 1"),
        (lambda: Evidence(5, slacks=[math.inf]), "inf"),
        (lambda: Evidence(5, norm=-1.0), "norm"),
        (lambda: Evidence(5, C=math.nan), "C"),
        (lambda: Evidence(5, loss_range=(1, 1)), "low < high"),
        (lambda: Evidence(5, loss_range=(0, math.inf)), "finite"),
        (lambda: HoldOut(0, 0), "nothing to count"),
        (lambda: HoldOut(5, 6), "more than"),
        (lambda: HoldOut(5, 1, classes={"a": (6, 1)}), "class 'a'"),
        (lambda: HoldOut(5, 1, accepted=2, accepted_errors=3), "accepted"),
        (lambda: HoldOut(5, losses=[math.nan]), "nan"),
        (lambda: Compression(5, 6), "more than"),
        (lambda: Pool(5, minority=[0.7]), "1/2"),
        (lambda: Progressive(5, 9), "more than"),
        (lambda: Evidence.from_dict({"n": 5, "colour": "red"}), "colour"),
    ],
)
def test_bad_input_is_refused(make, word):
    with pytest.raises(ValueError, match=word):
        make()
