"""Put what a fit found into the run record."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._discover import snake_case
from mercer._types import Estimator
from mercer.app.checks import Finding
from mercer.app.plan import clock
from mercer.app.roles import FitData
from mercer.app.train import table_machine
from mercer.bounds.words import confidence, number
from mercer.certification.checks.finding import NOTE
from mercer.kernels.vectors.columns import Columns
from mercer.learners.describe import answering
from mercer.report.run_record import RunRecord
from mercer.tables.contest.aims import Aim

MOST_PREDICTIONS = 20_000
INFLUENTIAL = 10
ROUND = (0.5, 0.4, 0.3, 0.25, 0.2, 0.15, 0.1, 0.08, 0.05, 0.03, 0.02, 0.01, 0.005, 0.002, 0.001)


def describe_model(record: RunRecord, data: FitData, model: object, said: list[str]) -> None:
    """Model, search and notes."""
    machine = table_machine(model)
    chosen = getattr(machine, "chosen_", None)
    if chosen is not None:
        record.plan["routes"] = [one.to_dict() for one in chosen.tried]
        record.plan["chosen"], record.plan["measured"] = chosen.route, chosen.words
        said = [*said, chosen.words]
    record.model = {
        **model_facts(machine, data),
        "tolerance": getattr(machine, "tolerance_", None),
        "interrupted": False,
    }
    record.search = search_table(machine.search_) if machine.search_ is not None else no_search()
    describe_contest(record, machine)
    treatments = {}
    if data.prepare == "table":
        treatments = machine.best_estimator_[0].treatments()
    for column in record.data.get("columns", ()):
        column["treatment"] = treatments.get(column["name"], column["role"])
    record.checks += [
        {"code": "training", "level": "note", "message": text, "columns": [], "rows": []}
        for text in said
    ]


def model_facts(machine: Any, data: FitData) -> dict[str, Any]:
    """What won: a kernel machine, or another learner with its settings."""
    learner, best = machine.best_estimator_[-1], machine.contest_.best
    rows = int(getattr(learner, "shape_fit_", (len(data.target.y),))[0])
    if best.search is None:
        words = best.title
        return {"learner": best.entrant.title, "kernel": None, "params": _plain_params(learner),
                "support": None, "trained_on": rows, "words": words[:1].upper() + words[1:],
                "combine": None}  # fmt: skip
    search, kernel = best.search, best.search.best_kernel_
    support = getattr(learner, "support_", None)
    chosen = getattr(machine, "chosen_", None)
    name = type(getattr(learner, "model", learner)).__name__
    params = {k: v for k, v in search.best_params_.items() if k != "kernel"}
    if chosen is not None and chosen.route == "low-rank":
        params = {"landmarks": machine.rank}
    if chosen is not None and chosen.route == "cells":
        params |= {
            "cells": learner.model.n_cells_ if hasattr(learner, "model") else learner.n_cells_
        }
    return {
        "learner": name,
        "kernel": str(kernel) if kernel is not None else data.prepare,
        "params": {k: _setting(v) for k, v in params.items()},
        "support": None if support is None else len(support),
        "trained_on": rows,
        "words": model_words(name, kernel, params, data)
        + _scale_words(best.entrant.title)
        + (f", {best.words}" if best.words else ""),
        "combine": getattr(kernel, "combine", "product"),
    }


def _scale_words(title: str) -> str:
    """What is special about the preparation of a kernel machine."""
    _, comma, scale = title.partition(", ")
    _, on, terms = title.partition(" on ")
    return f", columns at a {scale}" if comma else f", on {terms}" if on else ""


def _plain_params(learner: Estimator) -> dict[str, float | str]:
    left_out = ("task", "random_state", "categories")
    found = learner.get_params().items()
    return {k: _setting(v) for k, v in found if k not in left_out and v is not None}


def describe_stop(record: RunRecord, model: object, asked: bool) -> None:
    """Mark a run that a signal has ended, and say what it did not do."""
    hurried = getattr(table_machine(model), "hurried_", None)
    if not asked:
        return
    record.model["interrupted"] = True
    tried = record.search["finished"]
    best = f"the best of the {tried} settings tried until then" if tried else "what was known then"
    words = "the model was finished; comparisons were left out"
    if hurried is not None:
        rows = "" if hurried[0] == hurried[1] else ", trained on {:,} of {:,} rows".format(*hurried)
        words = best + rows
        record.model["trained_on"] = hurried[0]
    record.model["stopped"] = words


def no_search() -> dict[str, Any]:
    """Of a learner that has no kernel to search."""
    return {"criterion": "", "route": "", "seconds": 0.0, "candidates": 0, "finished": 0,
            "stopped": "finished", "folds": 0, "results": [], "runner_up": None, "families": {},
            "best_value": None}  # fmt: skip


def describe_contest(record: RunRecord, machine: Any) -> None:
    """All learners that were tried, best first; where several ended, how far behind they are."""
    table = machine.contest_.table()
    record.search["contenders"] = table
    aim = Aim.read(machine.aim)
    if aim.weighted:
        record.search["judged"] = aim.words
    if len(table) < 2:
        return
    own = table[0]["family"]
    rivals: dict[str, float] = {}
    for row in table[1:]:
        if row["family"] != own and row["behind"] is not None:
            rivals.setdefault(row["family"], row["behind"])
    record.search["rivals"] = rivals
    record.search["finished"] += sum(row["learner"] != "kernel" for row in table)


def model_words(name: str, kernel: Any, params: dict[str, Any], data: FitData) -> str:
    """``Gaussian SVC, length scale 3.3, C 10``; ``Weighted degree SVC, degree 3, C 1``."""
    if isinstance(kernel, Columns):
        title = "one kernel per column"
    elif kernel is not None:
        title = snake_case(type(kernel).__name__).replace("_", " ").capitalize()
    else:
        title = "given " + data.prepare
    parts = []
    if kernel is not None:
        for key, value in kernel.get_params(deep=False).items():
            if key in ("blocks", "weights") or value is None:
                continue
            plain = f"{value:.3g}" if isinstance(value, float) else str(value)
            parts.append(f"{key.replace('_', ' ')} {plain}")
    parts += [f"{k} {v:.3g}" if isinstance(v, float) else f"{k} {v}" for k, v in params.items()]
    return f"{title} {name}" + (f", {', '.join(parts)}" if parts else "")


def search_table(search: Any) -> dict[str, Any]:
    """The candidates, best first, and the best one of another kernel."""
    table = search.results_
    order = np.argsort(table["rank_test_score"], kind="stable")
    order = np.concatenate([[search.best_index_], order[order != search.best_index_]])
    rows: list[dict[str, Any]] = []
    for i in order:
        params = dict(table["params"][i])
        kernel = params.pop("kernel", None)
        rows.append(
            {
                "kernel": str(kernel) if kernel is not None else str(table["family"][i]),
                "family": _family(kernel, str(table["family"][i])),
                "params": {k: _setting(v) for k, v in params.items()},
                "bandwidth": float(table["bandwidth"][i]),
                "score": float(table["mean_test_score"][i]),
                "value": float(table["value"][i]),
                "std": float(table["std_test_score"][i]),
                "seconds": float(table["mean_fit_time"][i]),
                "status": str(table["status"][i]),
                "rank": int(table["rank_test_score"][i]),
            }
        )  # fmt: skip
    best = rows[0]
    others: dict[str, Any] = {}
    for row in rows[1:]:
        if row["status"] == "done" and row["family"] != best["family"]:
            others.setdefault(row["family"], row)
    finished = sum(row["status"] in ("done", "pruned") for row in rows)
    return {
        "criterion": search.criterion_,
        "route": search.route_,
        "seconds": float(getattr(search, "seconds_", 0.0)),
        "candidates": len(rows),
        "finished": finished,
        "stopped": search.stopped_,
        "folds": int(search.n_splits_),
        "results": rows,
        "runner_up": next(iter(others.values()), None),
        "families": {name: row["score"] for name, row in others.items()}
        | {best["family"]: best["score"]},
        "best_value": best["value"],
    }


def search_words(search: dict[str, Any], seconds: float) -> str:
    """One line about the search."""
    kinds = sorted({row["family"] for row in search["results"]})
    tried = search.get("contenders", [])
    if len(tried) > 1:
        kinds += dict.fromkeys(row["family"] for row in tried if row["learner"] != "kernel")
        by = "the same folds of the training rows"
    else:
        folds = f"{search['folds']}-fold cross-validation"
        by = {"cv": folds, "cv-smooth": folds}.get(
            search["criterion"], f"the criterion {search['criterion']}"
        )
    return f"{search['finished']} settings ({', '.join(kinds)}), scored by {by}, {clock(seconds)}"


def _setting(value: object) -> float | str:
    return float(value) if isinstance(value, int | float) else str(value)


def _family(kernel: Any, name: str) -> str:
    return f"{kernel.combine} over columns" if hasattr(kernel, "combine") else name or "given"


def describe_certificate(record: RunRecord, data: FitData, model: Any) -> None:
    """The certificate, the others beside it, and how many rows a rounder number would take."""
    certificate = model.certificate_
    if certificate is None:
        record.statement = "No certificate was asked for."
        return
    record.certificate = certificate.to_dict()
    record.certificates = {k: c.to_dict(inputs=False) for k, c in model.certificates_.items()}
    record.not_applicable = dict(model.not_applicable_)
    record.certification = model.certification_.to_dict()
    record.statement = statement(certificate, data.target.task)
    record.needed = rows_needed(certificate, model.certification_)
    record.checks += [
        Finding(code, "warning", finding["words"]).to_dict()
        for code, found in (record.certificate["about"] or {}).get("checks", {}).items()
        for finding in found
        if finding["level"] == NOTE and not finding.get("acted")
    ]


_AT = {"upper": "at most", "interval": "at most", "lower": "at least"}


def statement(certificate: Any, task: str) -> str:
    """The certificate in one sentence."""
    value = number(certificate.value, certificate)
    sure = f"{confidence(certificate.delta)} confidence"
    if certificate.phrase:
        told = certificate.phrase.format(who="this model", value=value)
        return f"With {sure}, {told}."
    who = "one new group" if "group" in certificate.quantity else "new cases from the same source"
    if certificate.vacuous:
        return (
            f"There is no useful certificate: with {sure} all that can be said is "
            f"that the {certificate.quantity} is {_AT[certificate.side]} {value}."
        )
    if certificate.classifier not in ("deterministic",):
        who += f" ({certificate.classifier})"
    if task == "regression" and certificate.quantity.startswith("rate of targets"):
        far = certificate.quantity.removeprefix("rate of targets ")
        return f"With {sure}, at most {value} of new targets lie {far}."
    if certificate.quantity != "error rate":
        return f"With {sure}, the {certificate.quantity} is {_AT[certificate.side]} {value}."
    return f"With {sure}, this model errs on at most {value} of {who}."


def rows_needed(certificate: Any, certification: Any) -> dict[str, Any] | None:
    """Rows in all at which the next rounder number would be certified, at the rate seen."""
    seen = certificate.observed
    if seen is None or certificate.kind != "bound" or certificate.code.startswith("metric-"):
        return None
    target = next((t for t in ROUND if t < 0.9 * certificate.value and t > 1.1 * seen), None)
    if target is None:
        return None
    try:
        counted = certificate.sample_size(target)
    except (ValueError, ArithmeticError):
        return None
    if counted is None:
        return None
    rows = round(counted * certification.n / max(1, certificate.n))
    size = 10 ** max(0, len(str(rows)) - 2)
    rows = -(-rows // size) * size
    words = f"to certify {100 * target:g} % at this error rate: about {rows:,} rows in all"
    return {"target": target, "rows": rows, "words": words}


def predict_counted(record: RunRecord, data: FitData, model: Any) -> None:
    """Predictions on rows the model did not train on."""
    fresh = fresh_rows(model)
    if not len(fresh):
        return
    fresh = fresh[:MOST_PREDICTIONS]
    X = data.X[fresh]
    predicted = np.asarray(model.predict(X))
    found: dict[str, Any] = {
        "row": data.rows[fresh].tolist(),
        "truth": data.target.y[fresh].tolist(),
        "predicted": predicted.tolist(),
    }
    machine = table_machine(model)
    if data.target.task == "regression":
        found |= {"lower": (predicted - machine.tolerance_).tolist(),
                  "upper": (predicted + machine.tolerance_).tolist()}  # fmt: skip
    else:
        try:
            found["probability"] = model.predict_proba(X).tolist()
            found["classes"] = model.classes_.tolist()
        except (AttributeError, ValueError):
            pass
        if hasattr(model, "decision_function") and len(model.classes_) == 2:
            found["score"] = np.asarray(model.decision_function(X)).ravel().tolist()
    record.predictions = found


def fresh_rows(model: Any) -> NDArray[np.intp]:
    """Positions of the rows that were counted and had no say in the model."""
    found: NDArray[np.intp] = model.certification_.unseen_rows
    return found


def describe_influential(record: RunRecord, data: FitData, model: Any) -> None:
    """The training rows with the largest coefficients, as a person can read them."""
    machine = table_machine(model)
    learner = machine.best_estimator_[-1]
    support, weights = getattr(learner, "support_", None), getattr(learner, "dual_coef_", None)
    if support is None or weights is None or not len(support) or machine is not answering(model):
        return
    dense = weights.toarray() if hasattr(weights, "toarray") else np.asarray(weights)
    strength = np.abs(dense).max(axis=0)
    trained = np.asarray(model.certification_.train_rows)
    rows = []
    for k in np.argsort(-strength, kind="stable")[:INFLUENTIAL]:
        place = int(trained[support[k]])
        values = [] if data.prepare != "table" else [_cell(v) for v in data.X[place].tolist()]
        rows.append({"row": int(data.rows[place]), "weight": float(strength[k]),
                     "label": _cell(data.target.y[place]), "values": values})  # fmt: skip
    record.influential = {"columns": data.names, "rows": rows}


def _cell(value: object) -> Any:
    if value is None or isinstance(value, str):
        return value if value is None else str(value)[:60]
    number = value.item() if hasattr(value, "item") else value
    return number if isinstance(number, str) or number == number else None
