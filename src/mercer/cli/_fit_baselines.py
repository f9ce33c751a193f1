"""What is the model worth? The same rows, counted for simpler predictors."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.cli._fit_data import FitData
from mercer.cli._fit_record import fresh_rows
from mercer.cli._fit_train import table_machine
from mercer.io.run_record import RunRecord

LINEAR_ROWS = 5000


def compare_baselines(record: RunRecord, data: FitData, model: Any) -> None:
    """Majority class or median, and a linear model, trained on the model's own rows."""
    fresh = fresh_rows(model)
    if not len(fresh):
        return
    truth = data.target.y[fresh]
    own = np.asarray(model.predict(data.X[fresh]))
    tolerance = record.model.get("tolerance")
    trained = np.asarray(model.certification_.train_rows)
    kind = record.model.get("learner", "model")
    found = [_row(f"this {kind}", own, truth, tolerance)]
    y = data.target.y[trained]
    if data.target.task == "classification":
        names, counts = np.unique(y, return_counts=True)
        always = names[int(np.argmax(counts))]
        found.append(_row(f"always {always}", np.full(len(truth), always), truth, None))
    else:
        found.append(_row("always the median", np.full(len(truth), np.median(y)), truth, tolerance))
    linear = _linear(data, model, trained, fresh)
    if linear is not None:
        found.append(_row("linear model", linear, truth, tolerance))
    record.baselines = found


def _linear(data: FitData, model: Any, trained: Any, fresh: Any) -> Any:
    """Predictions of a plain linear model on the same coordinates; None if there are none."""
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.preprocessing import StandardScaler

    if data.prepare not in ("table", "sparse"):
        return None
    machine = table_machine(model)
    prepare = machine.best_estimator_[0]
    part = trained[:LINEAR_ROWS]
    Z, y = prepare.transform(data.X[part]), data.target.y[part]
    if data.target.task == "classification":
        if len(np.unique(y)) < 2:
            return None
        scaler = StandardScaler(with_mean=data.prepare == "table").fit(Z)
        fitted = LogisticRegression(max_iter=500).fit(scaler.transform(Z), y)
        return fitted.predict(scaler.transform(prepare.transform(data.X[fresh])))
    return Ridge(alpha=1.0).fit(Z, y).predict(prepare.transform(data.X[fresh]))


def _row(name: str, predicted: Any, truth: Any, tolerance: float | None) -> dict[str, Any]:
    n = len(truth)
    if tolerance is None:
        errors = int(np.sum(np.asarray(predicted) != truth))
        return {"name": name, "errors": errors, "rows": n, "error": errors / n,
                "words": f"{errors} wrong of {n}"}  # fmt: skip
    gap = np.abs(np.asarray(predicted, dtype=float) - truth.astype(float))
    errors = int(np.sum(gap > tolerance))
    return {"name": name, "errors": errors, "rows": n, "error": errors / n,
            "mean_absolute": float(gap.mean()),
            "words": f"mean distance {gap.mean():.4g}"}  # fmt: skip
