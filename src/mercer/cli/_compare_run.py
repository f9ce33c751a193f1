"""The work behind ``mercer compare``."""

from __future__ import annotations

import json
import time
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from mercer.app.apply import new_rows
from mercer.app.labels import labels_of, read_labels
from mercer.app.plan import SEARCH_ROWS
from mercer.app.reading import reader_options
from mercer.app.roles import FitData, make_fit_data
from mercer.bounds.words import confidence
from mercer.certification.checks.finding import CertificateWarning
from mercer.certification.guarantees.comparison import gain_lower, one_of_several
from mercer.certification.guarantees.independent import rows_to_count
from mercer.cli._echo import echo
from mercer.errors import UserError
from mercer.io.jsonable import jsonable
from mercer.io.model_file import open_model
from mercer.io.readers import read
from mercer.learners.describe import is_pairwise
from mercer.tables import TableMachine, TablePreparation
from mercer.tables.columns import label_texts

SHARE = 0.7
DEFAULT = ("svm:gaussian", "svm:linear", "linear", "trivial")


@dataclass
class Row:
    """One competitor."""

    name: str
    certificate: Any
    wrong: NDArray[np.bool_]
    seconds: float
    alone: NDArray[np.intp]  # rows that are independent of each other: one of all copies, say


def compare_learners(values: dict[str, Any]) -> list[Row]:
    """Train each on the same 70 % of the rows, count on the same 30 %."""
    from mercer.certification import certified_fit
    from mercer.certification.core.looks import paid_together

    data = make_fit_data(
        read(values["what"][0], reader_options(values)), target=values["target"],
        labels=read_labels(values["labels"], values["target"]), group=values["group"],
        order=values["order"], ignore=values["ignore"], task=values["task"],
        precomputed=values["precomputed"],
    )  # fmt: skip
    specs = values["specs"] or DEFAULT
    tolerance = _tolerance(data, values)
    rows = []
    for spec in specs:
        start = time.perf_counter()
        with warnings.catch_warnings(), paid_together():
            warnings.simplefilter("ignore")
            model = certified_fit(
                competitor(spec, data, values), data.X, data.target.y, mode="holdout",
                train_fraction=SHARE, delta=values["delta"] / len(specs),
                random_state=values["seed"], groups=data.groups, order=data.order,
                tolerance=tolerance,
            )  # fmt: skip
        done = model.certification_
        told = np.asarray(model.predict(data.X[done.counted_rows]))
        wrong = _wrong(told, data.target.y[done.counted_rows], tolerance)
        alone = np.flatnonzero(np.isin(done.counted_rows, done.independent(done.unseen_rows)))
        rows.append(Row(spec, model.certificate_, wrong, time.perf_counter() - start, alone))
    return rows


def _tolerance(data: FitData, values: dict[str, Any]) -> float | None:
    """Half the middle half of the targets on the training rows: nothing counted is looked at."""
    if data.target.task == "classification":
        return None
    if values["tolerance"] is not None:
        return float(values["tolerance"])
    from mercer.certification.core.order import make_order

    order = make_order(len(data.target.y), values["seed"], data.groups, data.order)
    y = data.target.y[order.rows[: order.cut(SHARE)]]
    low, high = np.quantile(y, (0.25, 0.75))
    return float(high - low) / 2 or float(y.std())


def competitor(spec: str, data: FitData, values: dict[str, Any]) -> Any:
    """An estimator for raw rows: a machine, a linear model, or the trivial predictor."""
    from sklearn.dummy import DummyClassifier, DummyRegressor
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.pipeline import make_pipeline

    classes = data.target.task == "classification"
    if spec == "trivial":
        return DummyClassifier() if classes else DummyRegressor(strategy="median")
    if spec == "linear":
        if data.prepare != "table":
            raise UserError("'linear' needs a table.", "Use svm:linear.")
        last = LogisticRegression(max_iter=500) if classes else Ridge()
        return make_pipeline(TablePreparation(data.names, data.stored), last)
    learner, _, kernel = spec.partition(":")
    return TableMachine(
        data.target.task, prepare=data.prepare, names=data.names or None,
        stored=data.stored or None, learner=learner, kernel=kernel or "auto", probability=False,
        search_rows=SEARCH_ROWS, time_limit=values["time_limit"],
        random_state=values["seed"] % 2**31,
    )  # fmt: skip


def compare_models(names: list[str], values: dict[str, Any]) -> list[Row]:
    """Saved models on the same fresh rows: one look, whatever their number."""
    from mercer.certification import certify
    from mercer.certification.core.looks import begin_counting, paid_together

    asked = [_asked_of(name, values) for name in names]
    first, told = asked[0], [np.asarray(one.model.predict(one.X)) for one in asked]
    taking, values["delta"] = begin_counting(
        "compare", first.X, first.truth, told, (values["tolerance"], values["group"]),
        values["delta"], pairwise=is_pairwise(first.model), ledger=values["ledger"],
        budget=values["budget"],
    )  # fmt: skip
    rows = []
    for name, one, answers in zip(names, asked, told, strict=True):
        start = time.perf_counter()
        with warnings.catch_warnings(), paid_together():  # δ is divided: no further looks
            warnings.simplefilter("ignore", CertificateWarning)  # told below the table
            certificate = certify(
                one.model, one.X, one.truth, values["delta"] / len(names),
                tolerance=values["tolerance"], groups=one.groups,
            )  # fmt: skip
        wrong = _wrong(answers, one.truth, values["tolerance"])
        alone, _, _ = rows_to_count(one.model, one.X, one.truth, one.groups)
        rows.append(Row(name, certificate, wrong, time.perf_counter() - start, alone))
    for row in rows:
        row.certificate = taking.done(one_of_several(row.certificate, values["delta"], len(rows)))
    return rows


@dataclass
class Asked:
    """A saved model and the fresh rows as it takes them."""

    model: Any
    X: Any
    truth: NDArray[Any]
    groups: NDArray[Any] | None


def _asked_of(name: str, values: dict[str, Any]) -> Asked:
    stored = open_model(name)
    data = read(values["on"], reader_options(values, stored.about))
    column = data.column(values["target"] or str(stored.about.get("target")))
    if column.missing.any():
        raise UserError(f"column '{column.name}' has gaps; the truth must be complete.")
    regression = stored.about.get("task") == "regression"
    if regression and values["tolerance"] is None:
        raise UserError("models of numbers are compared with --tolerance T.")
    truth = column.values.astype(float) if regression else labels_of(stored.model, column)
    groups = None if values["group"] is None else label_texts(data.column(values["group"]))
    return Asked(stored.model, new_rows(stored, data), truth, groups)


def _wrong(predicted: Any, truth: Any, tolerance: float | None) -> NDArray[np.bool_]:
    if tolerance is None:
        return np.asarray(predicted.astype(str) != truth.astype(str))
    return np.asarray(np.abs(predicted.astype(float) - truth.astype(float)) > tolerance)


def by_chance(first: NDArray[np.bool_], second: NDArray[np.bool_]) -> float:
    """Exact McNemar test: how likely so lopsided a difference is between equally good models."""
    b, c = int(np.sum(first & ~second)), int(np.sum(~first & second))
    return 1.0 if b + c == 0 else float(min(1.0, 2 * binom.cdf(min(b, c), b + c, 0.5)))


def _alone(one: Row, other: Row) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Errors of two competitors on rows that are independent of each other."""
    some = np.intersect1d(one.alone, other.alone)
    return one.wrong[some], other.wrong[some]


def gains(rows: list[Row], delta: float) -> dict[str, float]:
    """Certified gain of every other competitor over the first one named, one δ for all of them.

    Not where something speaks against a number. Of rows that hang together one is counted.
    """
    if len(rows) < 2 or any(row.certificate.caveats for row in rows):
        return {}
    old, found = rows[0], {}
    for row in rows[1:]:
        before, after = _alone(old, row)
        won, lost = int(np.sum(before & ~after)), int(np.sum(~before & after))
        found[row.name] = gain_lower(won, lost, len(before), delta / (len(rows) - 1))
    return found


def decision(gained: dict[str, float], first: str, delta: float, margin: float = 0.0) -> str:
    """Whether the first one named should be replaced, and by which."""
    best = max(gained, key=lambda name: gained[name])
    sure = f"{confidence(delta)} confidence for all"
    if gained[best] > 0:
        how = f"which errs at least {100 * gained[best]:.3g} % less often"
        return f"Replace {first}: by {best}, {how} ({sure})."
    if margin > 0 and gained[best] >= -margin:
        how = f"which errs at most {-100 * gained[best]:.3g} % more often"
        return f"Replace {first}: by {best} if you like, {how} ({sure})."
    none = "not worse by so much" if margin > 0 else "better"
    return f"Replace {first}: no, none of the others is certified to be {none} ({sure})."


def show(rows: list[Row], values: dict[str, Any]) -> None:
    """A table, best first."""
    gained, first = gains(rows, values["delta"]), rows[0].name
    rows = sorted(rows, key=lambda row: row.certificate.unclipped)
    best = rows[0]
    found: list[dict[str, Any]] = [
        {"name": row.name, "errors": int(row.wrong.sum()), "rows": len(row.wrong),
         "error": float(row.wrong.mean()), "certified": float(row.certificate.value),
         "p_value": by_chance(*_alone(best, row)), "seconds": row.seconds}
        for row in rows
    ]  # fmt: skip
    if values["as_json"]:
        certificates = [row.certificate.to_dict(inputs=False) for row in rows]
        document = {"delta": values["delta"], "models": found, "certificates": certificates,
                    "first": first, "gain_over_first_at_least": gained}  # fmt: skip
        echo(json.dumps(jsonable(document)))
        return
    width = max(12, *(len(row.name) for row in rows))
    echo(f"{'':{width}}  {'wrong':>14}  {'certified':>10}  {'like the best':>14}  {'time':>7}")
    for row in found:
        seen = f"{row['errors']} of {row['rows']}"
        chance = "" if row is found[0] else f"p = {row['p_value']:.2g}"
        echo(f"{row['name']:{width}}  {seen:>14}  ≤ {100 * row['certified']:>6.2f} %"
                   f"  {chance:>14}  {row['seconds']:>5.1f} s")  # fmt: skip
    echo(
        f"\nAll {len(found)} limits hold at once with {confidence(values['delta'])} confidence "
        f"(each was given {values['delta'] / len(found):.3g} of delta): the best may be picked.\n"
        "p: how often equally good models would differ so much on these rows (exact McNemar test)."
    )
    for caveat in dict.fromkeys(what for row in rows for what in row.certificate.caveats):
        echo(f"{caveat[0].upper()}{caveat[1:]}.")
    if gained:
        echo(decision(gained, first, values["delta"], values["margin"] or 0.0))
