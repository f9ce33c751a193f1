"""Rows that should be fresh and were trained on.

Training rows are known from the marks that Mercer's learners and certified models leave, from rows
a learner keeps (neighbours, support vectors, Gaussian processes), from the leaf counts of trees, or
because the user passes them. Equal rows are told only where chance does not explain them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from mercer._marks import Marks, numbers_of, row_marks
from mercer.certification.checks.boosting import evenly_like_training_rows
from mercer.certification.checks.case import FEW, Case, looks_continuous, shape_of
from mercer.certification.checks.check import Floats
from mercer.certification.checks.finding import FIRST_LINE, LEVELS, NOTE, REFUSE, Finding
from mercer.certification.checks.inside import learners_inside
from mercer.certification.checks.near_copies import close_to
from mercer.certification.checks.trees import falls_like_training_rows, grown_on
from mercer.certification.core.task import Refused
from mercer.learners.rows_seen import RECORDED, RowsSeen, as_held, as_trained, seen_by

NAME = "seen"
KEPT = ("_fit_X", "X_fit_", "X_train_", "fit_X_", "_objects", "_training", "support_vectors_")
UNKNOWN = "the model keeps nothing of its training rows: nobody can tell whether these are others"
_DRAWS = 999
_SETTLED = 20  # draws as large as what was found: the rest would change nothing
_LEVEL = 0.01
_ROOM = 1000  # values a column must have room for, per row, to tell rows apart
_DIGITS = 7  # after the point
_LARGEST = float(np.finfo(np.float32).max)

Said = list[Finding] | None  # None: nothing is known of the training rows


def seen_rows(model: object, case: Case, training: Any = None) -> list[Finding]:
    """The gravest that can be said of fresh rows that the model was trained on."""
    said = [found for found in _sources(model, case, training) if found is not None]
    if not said:
        return [Finding(NAME, NOTE, UNKNOWN)]
    level = _LEVEL / len(said)
    found = [f for one in said for f in one if f.p_value is None or f.p_value <= level]
    return sorted(found, key=lambda f: LEVELS.index(f.level))[:1]


def pool_seen(pool: Any, labeled: Any, *, pairwise: bool) -> list[Finding]:
    """Pool rows that are labelled rows, exactly or nearly: models agree on rows they learned.

    Of kernel values only equal rows are looked for.
    """
    seen = RowsSeen.of(labeled)
    found = _by_marks(seen, pool) or ([] if pairwise else _near(pool, labeled))
    told = []
    for finding in found:
        if finding.level == REFUSE:
            words = (
                "Every row of the pool is also a row of X, and models agree on rows they were "
                "trained on: a pool needs other inputs. Without them use mode='auto'."
            )
            raise Refused(words)
        count, _, kind = finding.words.partition(" fresh rows ")
        how = "almost equal" if kind.startswith("almost") else "equal"
        words = f"{count} pool rows {how} rows of X, on which the models agree: leave them out"
        told.append(replace(finding, code="pool", words=words))
    return [f for f in told if f.p_value is None or f.p_value <= _LEVEL]


def _sources(model: object, case: Case, training: Any) -> Iterator[Said]:
    """What each of those says who know training rows of the model."""
    if training is not None:
        yield _by_marks(RowsSeen.of(training), case.X) or _near(case.X, training)
    kept = getattr(getattr(model, "certification_", None), "marks", None)
    if isinstance(kept, RowsSeen):
        yield _by_marks(kept, case.X)
    elif isinstance(kept, Mapping):  # of a file written before marks were made for single precision
        fresh = row_marks(case.X, kept["salt"], pairwise=case.pairwise)
        yield _compare(fresh, kept["marks"], case.X, int(kept["n"]))
    for rows, part in learners_inside(model, case.X):
        yield _by_leaves(part, rows)
        yield _by_evenness(part, rows, case)
        seen = seen_by(part)
        if seen is not None:
            yield _by_marks(seen, as_trained(part, rows))
        yield _by_kept_rows(part, rows)


def _by_marks(seen: RowsSeen, rows: Any) -> list[Finding]:
    fresh, old = seen.again(rows)
    return _compare(fresh, old, rows, seen.n)


def _by_leaves(learner: object, rows: Any) -> Said:
    if grown_on(learner, rows):
        return [_refused(shape_of(rows)[0])]
    p = falls_like_training_rows(learner, rows)
    if p is None:
        return None
    words = "the fresh rows fall into the leaves of the trees as rows seen before do"
    return [Finding(NAME, FIRST_LINE, words, p)]


def _by_evenness(learner: Any, rows: Any, case: Case) -> Said:
    p = evenly_like_training_rows(learner, rows, case.y)
    if p is None:
        return None
    words = "the fresh rows are spread over the leaves of the trees as evenly as rows seen before"
    return [Finding(NAME, FIRST_LINE, words, p)]


def _by_kept_rows(learner: object, rows: Any) -> Said:
    rows, record = as_held(learner, rows), getattr(learner, "fitted_", None)
    kept = [getattr(learner, name, None) for name in KEPT]
    for held in [*kept, *(getattr(record, name, None) for name in RECORDED)]:
        if held is None or callable(held) or not _alike(held, rows):
            continue
        seen = RowsSeen.of(held)
        fresh, old = seen.again(rows)
        trained = (getattr(learner, "shape_fit_", None) or (seen.n,))[0]
        return _compare(fresh, old, rows, int(trained)) or _near(rows, held)
    return None


def _alike(held: Any, rows: Any) -> bool:
    a, b = shape_of(held), shape_of(rows)
    if len(a) == 2 and len(b) == 2:
        return a[1] == b[1]
    return len(a) == len(b)


def _compare(fresh: Marks, old: Marks, rows: Any, trained: int) -> list[Finding]:
    """All of the rows seen: refused. Some, beyond chance: told."""
    count, n = int(np.isin(fresh, old).sum()), len(fresh)
    if not count:
        return []
    known_by_few = trained == n and bool(np.isin(old, fresh).all())  # support vectors
    if _never_repeat(rows, len(old)):
        if count == n or known_by_few:
            return [_refused(n)]
        p = None
    else:
        p = chance(fresh, old)
        if p <= _LEVEL and len(old) == n and np.array_equal(np.sort(fresh), np.sort(old)):
            return [_refused(n, p)]
    words = f"{count} of {n} fresh rows equal rows the model was trained on"
    return [Finding(NAME, FIRST_LINE if count > FEW * n else NOTE, words, p)]


def _never_repeat(rows: Any, others: int) -> bool:
    """Whether a row equal to one of so many others is the same row.

    Some column hardly ever repeats, and has room for far more values than there are rows.
    """
    numbers = numbers_of(rows)
    if numbers is None:
        return False
    distinct = np.unique(numbers, axis=0)
    return any(
        looks_continuous(column[:, None]) and np.ptp(column) >= _ROOM * others * _step(column)
        for column in distinct.T
    )


def _step(column: Floats) -> float:
    """How far apart two values of a column are at least: by its digits, or by single precision."""
    largest = float(np.abs(column).max())
    single = float(np.spacing(np.float32(min(largest, _LARGEST))))
    for digits in range(_DIGITS):
        whole = column * 10.0**digits
        if np.all(np.abs(whole - np.rint(whole)) <= 1e-12 * 10.0**digits * largest):
            return max(single, 10.0**-digits)
    return single


def _near(fresh: Any, old: Any) -> list[Finding]:
    """The same rows with fewer digits, or with a little noise."""
    new, before = numbers_of(fresh), numbers_of(old)
    if new is None or before is None:
        return []
    if not (np.isfinite(new).all() and np.isfinite(before).all()):
        return []
    count, p = _rounded_alike(new, before)
    if p > _LEVEL and _never_repeat(new, len(before)):
        count, p = close_to(new, before)
    if count <= FEW * len(new):
        return []
    words = f"{count} of {len(new)} fresh rows almost equal rows the model was trained on"
    return [Finding(NAME, FIRST_LINE, words, p)]


def _rounded_alike(new: Floats, before: Floats) -> tuple[int, float]:
    """Fresh rows that are old ones with as many digits as the fresh have; and by what chance."""
    steps = np.array([_step(column) for column in new.T])
    fresh, old = row_marks(np.rint(new / steps)), row_marks(np.rint(before / steps))
    count = int(np.isin(fresh, old).sum())
    return count, chance(fresh, old) if count > FEW * len(new) else 1.0


def chance(fresh: Marks, old: Marks) -> float:
    """P(so many fresh rows have a twin of their own among the old) if both were drawn alike."""
    cells = np.unique(np.concatenate([fresh, old]), return_inverse=True)[1].ravel()
    n, all_of = len(fresh), np.bincount(cells)

    def shared(some: Any) -> int:
        here = np.bincount(some, minlength=len(all_of))
        return int(np.minimum(here, all_of - here).sum())

    rng, observed, reached = np.random.default_rng(0), shared(cells[:n]), 0
    for drawn in range(1, _DRAWS + 1):
        reached += shared(rng.permutation(cells)[:n]) >= observed
        if reached == _SETTLED:  # Besag and Clifford 1991: still exact
            return reached / drawn
    return (1 + reached) / (1 + _DRAWS)


def _refused(n: int, p: float | None = None) -> Finding:
    return Finding(
        NAME,
        REFUSE,
        f"All {n} rows were trained on: errors on them say nothing about new rows. A certificate "
        "needs rows the model has never seen, or mercer.certified_fit, which keeps some apart.",
        p,
    )
