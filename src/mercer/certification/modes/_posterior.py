"""Gaussians over the weights of machines: what both PAC-Bayes modes need."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.bounds import NotApplicable, get
from mercer.bounds.margin_pacbayes import rough_kl_upper
from mercer.certification.answers.gibbs import GibbsClassifier
from mercer.certification.core.hashing import hash_key
from mercer.certification.core.repeats import Repeats
from mercer.certification.core.task import Index, Result, Task
from mercer.certification.modes import _by_class as by_class
from mercer.certification.modes._gaussian import Family, Floats, Space, wrong_probability

SHIFTS = (0.0, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0)  # from the prior's direction to the new one's
SCALES = np.geomspace(0.5, 512.0, 41)


@dataclass
class Judged:
    """Normalized outputs of all machines on some rows, and how they are judged."""

    outputs: Floats  # (members, rows, binary machines), in units of the row's length
    codes: NDArray[np.intp]
    known: NDArray[np.bool_]
    n_classes: int
    ovr: bool

    @classmethod
    def of(cls, family: Family, index: Index) -> Judged:
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


def first_family(task: Task, first: Index, mode: str) -> Family:
    """The machine trained on the first rows, whose feature space the others share."""
    model = task.fit(first)
    space = Space.of(model, mode)
    return Family(space, task).add(first, space.learner)


def half_distance(mean: Floats, other: Floats, products: Floats) -> float:
    """Half the squared distance of the two means."""
    step = mean - other
    return 0.5 * max(0.0, float(step @ products @ step))


def directions_to(products: Floats, base: Floats, new: int) -> list[Floats]:
    """Unit vectors from the direction of ``base`` to that of machine ``new``."""
    count = len(products)
    target = np.eye(count)[new] / np.sqrt(products[new, new])
    size = float(np.sqrt(base @ products @ base))
    found = []
    for shift in SHIFTS:
        mixed = shift * target + (1 - shift) * (base / size if size > 0 else target)
        found.append(mixed / np.sqrt(mixed @ products @ mixed))
    return found


def best_mean(
    rows: Judged,
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


def class_masks_of(task: Task, family: Family, index: Index) -> by_class.Masks:
    """Rows of every class, none of which may be without."""
    masks = by_class.class_masks(family.space.learner, task.rows.labels(index))
    for label, mine in masks.items():
        if not mine.any():
            raise NotApplicable(f"no counted row of class {label!r}")
    return masks


def finished(
    task: Task,
    family: Family,
    mean: Floats,
    code: str,
    records: dict[str, Any],
    split: Any,
    parts: Mapping[str, tuple[int, dict[str, Any]]],
) -> Result:
    """The randomised classifier with its certificate."""
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
