"""PAC-Bayes with a prior learned on other rows, and the recursive form: Gaussians over weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.bounds import NotApplicable, Posterior, Stage, get
from mercer.bounds.margin_pacbayes import rough_kl_upper
from mercer.bounds.numerics import log_maurer
from mercer.certification.answers.gibbs import GibbsClassifier
from mercer.certification.core.hashing import hash_key
from mercer.certification.core.repeats import Repeats
from mercer.certification.core.task import Index, Refused, Result, Task
from mercer.certification.modes import _by_class as by_class
from mercer.certification.modes._gaussian import Family, Floats, Space, wrong_probability

START = 0.5
STAGES = (0.3, 0.5, 0.75, 1.0)  # prior, then three stages of recursive PAC-Bayes
GAMMA = 0.5
SHIFTS = (0.0, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0)  # from the prior's direction to the new one's
SCALES = np.geomspace(0.5, 512.0, 41)
PRIORS = np.geomspace(1.0, 512.0, 10)  # declared scales of the prior; each is paid


@dataclass
class _Rows:
    """Normalised outputs of all machines on some rows, and how they are judged."""

    outputs: Floats  # (members, rows, binary machines), in units of the row's length
    codes: NDArray[np.intp]
    known: NDArray[np.bool_]
    n_classes: int
    ovr: bool

    @classmethod
    def of(cls, family: Family, index: Index) -> _Rows:
        learner, labels = family.space.learner, family.task.rows.labels(index)
        table = {label: i for i, label in enumerate(learner.classes_.tolist())}
        codes = np.array([table.get(label, -1) for label in labels.tolist()], dtype=np.intp)
        outputs = family.outputs(index) / family.lengths(index)[None, :, None]
        known, count = codes >= 0, len(learner.classes_)
        return cls(outputs, np.maximum(codes, 0), known, count, learner.multi_class == "ovr")

    def wrong(self, mean: Floats) -> Floats:
        """Probability of an error on each row; a label nobody knows is always one."""
        leads = np.tensordot(mean, self.outputs[: len(mean)], axes=1)
        p = wrong_probability(leads, self.codes, self.n_classes, self.ovr)
        return np.where(self.known, p, 1.0)


def pac_bayes(task: Task) -> Result:
    """Prior from the first half, posterior from all rows, Gibbs error counted on the second."""
    _check(task, "pac-bayes")
    start = task.order.cut(START)
    first, others = task.first(start), task.first(task.n, start)
    family = _family(task, first, "pac-bayes").add(np.sort(task.order.rows))
    rows, products = _Rows.of(family, others), family.products()
    mean, kl = _best_posterior(rows, products, len(others), task.delta)
    gibbs = float(rows.wrong(mean).mean())
    record = Posterior(
        len(others), gibbs, kl, candidates=len(PRIORS), trained_on=len(first), vote_is_model=True
    )
    split = {"prior_rows": len(first), "kl": kl, "gibbs": gibbs, "mean": mean.tolist()}
    by_label: dict[str, tuple[int, dict[str, Any]]] = {}
    if by_class.wanted(task):
        for label, mine in _masks(task, family, others).items():
            part = replace(record, rows=int(mine.sum()), gibbs=float(rows.wrong(mean)[mine].mean()))
            by_label[label] = part.rows, {"posterior": part}
    return _result(task, family, mean, "pac-bayes-prior", {"posterior": record}, split, by_label)


def recursive(task: Task) -> Result:
    """Every stage's posterior is the next one's prior; only excess losses are bounded."""
    _check(task, "recursive")
    cuts = [task.order.cut(share) for share in STAGES[:-1]] + [task.n]
    if len(set(cuts)) < len(cuts):
        raise Refused("mode='recursive' needs more rows: its stages would be empty")
    family = _family(task, task.first(cuts[0]), "recursive")
    mean = _start(task, family)
    stages: list[Stage] = []
    by_label: dict[str, list[Stage]] = {}
    for t, (begin, end) in enumerate(pairwise(cuts)):
        family.add(np.sort(task.first(end)))
        products = family.products()
        previous = np.append(mean, 0.0)
        mean = _next(_Rows.of(family, task.first(end, begin)), products, previous, task, begin)
        counted = _Rows.of(family, task.first(task.n, begin))
        now, before = counted.wrong(mean), counted.wrong(previous)
        exceed = _exceed(now, before if t else None)
        kl = _kl(mean, previous, products)
        stages.append(Stage(task.n - begin, kl, GAMMA, exceed))
        if by_class.wanted(task):
            for label, mine in _masks(task, family, task.first(task.n, begin)).items():
                exceed = _exceed(now[mine], before[mine] if t else None)
                by_label.setdefault(label, []).append(Stage(int(mine.sum()), kl, GAMMA, exceed))
    split = {"prior_rows": cuts[0], "stages": [s.rows for s in stages], "mean": mean.tolist()}
    parts = {k: (s[-1].rows, {"stages": tuple(s)}) for k, s in by_label.items()}
    code = "recursive-pac-bayes"
    return _result(task, family, mean, code, {"stages": tuple(stages)}, split, parts)


def _exceed(now: Floats, before: Floats | None) -> tuple[float, float, float]:
    """Shares of rows whose excess l(h) − γ·l(h') is at least 0, 1 − γ and 1."""
    wrong = float(now.mean())
    if before is None:
        return 1.0, wrong, wrong
    repaired = float(np.mean((1.0 - now) * before))
    return 1.0 - repaired, wrong, float(np.mean(now * (1.0 - before)))


def _check(task: Task, mode: str) -> None:
    task.only("random", mode=mode)
    if task.judge.task != "classification":
        raise Refused(
            f"mode={mode!r} is for classifiers: the mean error of weights drawn from a Gaussian is "
            "known in closed form for labels only. Regressions: 'auto', 'compress', 'transfer'."
        )


def _family(task: Task, first: Index, mode: str) -> Family:
    model = task.fit(first)
    space = Space.of(model, mode)
    return Family(space, task).add(first, space.learner)


def _kl(mean: Floats, other: Floats, products: Floats) -> float:
    """Half the squared distance of the two means."""
    step = mean - other
    return 0.5 * max(0.0, float(step @ products @ step))


def _directions(products: Floats, base: Floats, new: int) -> list[Floats]:
    """Unit vectors from the direction of ``base`` to that of machine ``new``."""
    count = len(products)
    target = np.eye(count)[new] / np.sqrt(products[new, new])
    size = float(np.sqrt(base @ products @ base))
    found = []
    for shift in SHIFTS:
        mixed = shift * target + (1 - shift) * (base / size if size > 0 else target)
        found.append(mixed / np.sqrt(mixed @ products @ mixed))
    return found


def _best_posterior(rows: _Rows, products: Floats, m: int, delta: float) -> tuple[Floats, float]:
    """The mean with the smallest bound; it holds for all means and all declared priors at once."""
    prior = np.array([1.0, 0.0]) / np.sqrt(products[0, 0])

    def nearest(mean: Floats) -> float:
        return min(_kl(mean, size * prior, products) for size in PRIORS)

    price = log_maurer(m) - np.log(delta / len(PRIORS))
    mean = _search(rows, _directions(products, prior, 1), nearest, m, price)
    return mean, nearest(mean)


def _search(
    rows: _Rows,
    directions: list[Floats],
    divergence: Callable[[Floats], float],
    m: int,
    price: float,
) -> Floats:
    """The mean on the grid of directions and scales with the smallest PAC-Bayes-kl bound."""
    means = [scale * direction for direction in directions for scale in SCALES]
    kl = np.array([divergence(mean) for mean in means])
    # a divergence of half a nat per row is beyond use; looking at the nearest one is then enough
    near = np.flatnonzero(kl <= max(0.5 * m, kl.min()))
    risk = np.array([float(rows.wrong(means[i]).mean()) for i in near])
    return means[near[int(rough_kl_upper(risk, (kl[near] + price) / m).argmin())]]


def _start(task: Task, family: Family) -> Floats:
    """The first prior: the direction of the first machine, no sharper than its rows ask for.

    A smaller machine, tested on the rest of the first part, shows how blurred it may be.
    """
    first = family.trained[0]
    cut = max(1, round(0.6 * len(first)))
    pilot = Family(family.space, task).add(first[:cut])
    rows = _Rows.of(pilot, first[cut:])
    unit = 1.0 / np.sqrt(pilot.products()[0, 0])
    errors = np.array([float(rows.wrong(np.array([scale * unit])).mean()) for scale in SCALES])
    enough = np.flatnonzero(errors <= 1.05 * errors.min() + 0.002)[0]
    return np.array([SCALES[enough] / np.sqrt(family.products()[0, 0])])


def _next(rows: _Rows, products: Floats, previous: Floats, task: Task, begin: int) -> Floats:
    """The next posterior, from rows that no later stage's prior is forbidden to have seen."""
    m = task.n - begin
    price = log_maurer(m) - np.log(task.delta / (len(STAGES) - 1))
    directions = _directions(products, previous, len(previous) - 1)
    return _search(rows, directions, lambda mean: _kl(mean, previous, products), m, price)


def _masks(task: Task, family: Family, index: Index) -> by_class.Masks:
    masks = by_class.class_masks(family.space.learner, task.rows.labels(index))
    for label, mine in masks.items():
        if not mine.any():
            raise NotApplicable(f"no counted row of class {label!r}")
    return masks


def _result(
    task: Task,
    family: Family,
    mean: Floats,
    code: str,
    records: dict[str, Any],
    split: Any,
    parts: Mapping[str, tuple[int, dict[str, Any]]],
) -> Result:
    columns = family.trained if task.rows.pairwise else None
    model = GibbsClassifier(family.space, family.machines, mean, hash_key(task.order.seed), columns)
    evidence = task.evidence(model, task.n, own=False, **records)
    if parts:
        evidence = by_class.parts(evidence, parts)
        certificate = by_class.certificate(task, evidence, "by-class-gibbs", base=code)
    else:
        certificate = get(code)().evaluate(evidence, task.delta)
    words = Repeats.among(task.rows.X).words(task.delta)
    certificate = replace(certificate, found=(*certificate.found, *words))
    task.notes.append(
        "The certificate is about predict, which draws its weights for every input by a hash; "
        "predict_vote is the deterministic classifier in the middle, with at most twice the error."
    )
    everyone = np.sort(task.order.rows)
    return Result(model, certificate, evidence, everyone, everyone, split)
