"""The next questions: what matters, which rows were wrong and where, which threshold, more rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta

from mercer.app.afterwards import Afterwards
from mercer.app.describe import fresh_rows
from mercer.app.guarantees import more_guarantees
from mercer.app.importance import WORK, effects, importance
from mercer.app.mistakes import limits, slices, wrong_rows
from mercer.app.roles import FitData
from mercer.report.run_record import RunRecord

RATIOS = (1.0, 2.0, 5.0, 10.0, 0.5, 0.2, 0.1)  # price of a miss, in false alarms
SIZES = np.geomspace(0.25, 64, 25)


def answer_questions(
    record: RunRecord, data: FitData, model: Any, seed: int, time: Afterwards | None = None
) -> None:
    """Put them into the record; every part is left out where it cannot be said in ``time``."""
    time = time or Afterwards()
    fresh = fresh_rows(model)
    if not len(fresh) or not record.predictions:
        return
    asked = importance(data, model, fresh, seed, time.answers(WORK))
    found: dict[str, Any] = {"importance": asked}
    names = [one["name"] for one in found["importance"]] or list(data.names)
    found["effects"] = effects(data, model, fresh, asked, time.answers(WORK))
    found["wrong"] = wrong_rows(record, data, fresh, names)
    alone = np.isin(fresh, model.certification_.independent(fresh))[
        : len(record.predictions["row"])
    ]
    found["slices"] = slices(record, data, fresh, alone)
    if record.target["task"] == "classification":
        found["classes"] = by_class(record, alone)
        found["thresholds"] = thresholds(record)
    else:
        found["numbers"] = distances(record)
    found["more_rows"] = more_rows(record)
    found["guarantees"] = more_guarantees(data, model) if time.left > 0 else None
    record.answers = found


def by_class(record: RunRecord, alone: NDArray[np.bool_]) -> list[dict[str, Any]]:
    """Errors of every class, with limits that hold for all classes together.

    Only rows drawn independently of each other (``alone``) are counted: limits rest on that.
    """
    truth = np.array([str(v) for v in record.predictions["truth"]])[alone]
    wrong = truth != np.array([str(v) for v in record.predictions["predicted"]])[alone]
    names = sorted(set(truth.tolist()))
    made = []
    for name in names:
        rows, errors = int((truth == name).sum()), int(wrong[truth == name].sum())
        low, high = limits(errors, rows, 0.05 / len(names))
        made.append({"class": name, "rows": rows, "errors": errors, "low": low, "high": high})
    return made


def thresholds(record: RunRecord) -> list[dict[str, Any]]:
    """Two classes: the cheapest threshold of the probability for several prices of a miss.

    Chosen on the rows that were counted, so its error there is no guarantee.
    """
    found = record.predictions
    if len(found.get("classes", ())) != 2 or not found.get("probability"):
        return []
    chance = np.asarray(found["probability"], dtype=float)[:, 1]
    positive = np.array([str(v) for v in found["truth"]]) == str(found["classes"][1])
    cuts = np.unique(np.concatenate([[0.0], np.quantile(chance, np.linspace(0, 1, 101)), [1.01]]))
    made = []
    for price in RATIOS:
        said = chance[None, :] >= cuts[:, None]
        misses = (~said & positive).sum(axis=1)
        alarms = (said & ~positive).sum(axis=1)
        best = int(np.argmin(price * misses + alarms))
        usual = chance >= 0.5
        made.append(
            {"price": price, "threshold": float(min(cuts[best], 1.0)), "misses": int(misses[best]),
             "alarms": int(alarms[best]), "cost": float(price * misses[best] + alarms[best]),
             "usual_cost": float(price * (~usual & positive).sum() + (usual & ~positive).sum())}
        )  # fmt: skip
    return made


def distances(record: RunRecord) -> dict[str, float]:
    """Regression: mean distance, R² and how wide a band holds nine tenths of unseen targets."""
    truth = np.asarray(record.predictions["truth"], dtype=float)
    miss = np.abs(truth - np.asarray(record.predictions["predicted"], dtype=float))
    spread = float(np.sum((truth - truth.mean()) ** 2))
    middle = float(np.median(truth))
    return {
        "rows": len(truth),
        "mean_absolute": float(miss.mean()),
        "median_rule": float(np.mean(np.abs(truth - middle))),
        "within": float(np.quantile(miss, 0.9)),
        "explained": 1.0 - float(np.sum(miss**2)) / spread if spread else 0.0,
    }


def more_rows(record: RunRecord) -> dict[str, Any] | None:
    """What could be certified from more rows if the rate of errors stayed as it is."""
    found = record.certificate
    if not found or found.get("observed") is None or found["kind"] != "bound" or not found.get("n"):
        return None
    if found["vacuous"] or not found["quantity"].startswith(("error rate", "rate of")):
        return None
    n, rate, delta = int(found["n"]), float(found["observed"]), float(found["delta"])
    sizes = sorted({max(10, round(n * factor)) for factor in SIZES} | {n})
    bounds = [float(beta.ppf(1 - delta, rate * m + 1, m - rate * m)) for m in sizes]
    return {"rows": sizes, "limits": bounds, "now": n, "value": float(found["value"]), "rate": rate}
