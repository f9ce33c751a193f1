"""What is the model worth? Simpler predictors, measured where the certificate does not count.

Errors of rivals on the counted rows would invite to change over to one of them after a look, and
the certificate would not cover that. The model's own rows are enough: each is predicted by a rival
that was trained on the others.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer.app.afterwards import SHARE, Afterwards
from mercer.app.describe import fresh_rows
from mercer.app.roles import FitData
from mercer.app.train import table_machine
from mercer.bounds import get
from mercer.report.run_record import RunRecord
from mercer.tables import TablePreparation

LINEAR_ROWS = 5000
FOLDS = 5
MANY = 5e6  # values times classes beyond which two folds and a rough solution must do


def compare_baselines(
    record: RunRecord, data: FitData, model: Any, after: Afterwards | None = None
) -> None:
    """The model on the counted rows; majority class or median, and a linear model, on its own.

    A linear model costs five more fits, which must not break a time limit.
    """
    fresh = fresh_rows(model)
    if not len(fresh):
        return
    own = np.asarray(model.predict(data.X[fresh]))
    tolerance = record.model.get("tolerance")
    quantity = (record.certificate or {}).get("quantity", "")
    by = next((name for name in _by_class() if quantity.startswith(name)), "")
    kind = record.model.get("learner", "model")
    found = [_row(f"this {kind}", own, data.target.y[fresh], tolerance, by)]
    trained = np.asarray(model.certification_.train_rows)
    y = data.target.y[trained]
    if data.target.task == "classification":
        names, counts = np.unique(y, return_counts=True)
        always = names[int(np.argmax(counts))]
        found.append(_row(f"always {always}", np.full(len(y), always), y, None, by))
    else:
        found.append(_row("always the median", np.full(len(y), np.median(y)), y, tolerance))
    part = trained[:LINEAR_ROWS]
    linear = None if _late(model, after or Afterwards()) else _linear(data, part)
    if linear is not None:
        found.append(_row("linear model", linear, data.target.y[part], tolerance, by))
    record.baselines = found


def _late(model: Any, after: Afterwards) -> bool:
    """Whether five fits of a linear model would take too long, by those of the contest."""
    contest = getattr(table_machine(model), "contest_", None)
    tried = [] if contest is None else contest.entries
    once = max((entry.once for entry in tried if entry.entrant.name == "linear"), default=0.0)
    return after.left <= 0 or FOLDS * once > SHARE * after.left


def _by_class() -> tuple[str, str]:
    """What certificates by class are about: the largest error rate, and the mean."""
    return get("holdout-classes").quantity, get("holdout-balanced").quantity


def _linear(data: FitData, part: Any) -> Any:
    """Predictions of a plain linear model for rows left out in turn; None if there are none."""
    if data.prepare not in ("table", "sparse"):
        return None
    y = data.target.y[part]
    folds = min(FOLDS, len(y))
    if data.target.task == "classification":
        _, counts = np.unique(y, return_counts=True)
        folds = min(folds, int(counts.min()))
        if len(counts) < 2:
            return None
    if folds < 2:
        return None
    Z: Any = data.X[part]
    if data.prepare == "table":
        Z = TablePreparation(data.names, data.stored).fit_transform(Z)
    if data.target.task == "classification":
        scaler = StandardScaler(with_mean=data.prepare == "table")
        exact = getattr(Z, "nnz", Z.size) * len(counts) <= MANY
        folds = folds if exact else 2
        rough = {"max_iter": 500} if exact else {"max_iter": 100, "tol": 1e-2}
        rival: Any = make_pipeline(scaler, LogisticRegression(**rough))
    else:
        rival = Ridge(alpha=1.0)
    return cross_val_predict(rival, Z, y, cv=folds)


def _row(
    name: str, predicted: Any, truth: Any, tolerance: float | None, by: str = ""
) -> dict[str, Any]:
    n = len(truth)
    if tolerance is None and by:  # what the certificate is about, so that they can be compared
        wrong = np.asarray(predicted) != truth
        rates = [float(wrong[truth == label].mean()) for label in np.unique(truth)]
        error = float(np.max(rates) if by == _by_class()[0] else np.mean(rates))
        return {"name": name, "errors": int(wrong.sum()), "rows": n, "error": error, "of": by,
                "words": f"{by} {100 * error:.1f} %"}  # fmt: skip
    if tolerance is None:
        errors = int(np.sum(np.asarray(predicted) != truth))
        return {"name": name, "errors": errors, "rows": n, "error": errors / n,
                "words": f"{errors} wrong of {n}"}  # fmt: skip
    gap = np.abs(np.asarray(predicted, dtype=float) - truth.astype(float))
    errors = int(np.sum(gap > tolerance))
    return {"name": name, "errors": errors, "rows": n, "error": errors / n,
            "mean_absolute": float(gap.mean()),
            "words": f"mean distance {gap.mean():.4g}"}  # fmt: skip
