"""Models that spent rows on their certificate, as format 1 has them.

A mixture, a threshold and the certificate hung on the learner or pipeline itself then. Now
``mercer.Certified`` stands around what the certificate is about, and it alone answers.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mercer import _storable
from mercer.io.model_file.upgrades._steps import made, step

State = dict[str, Any]

# what certified_fit left on an estimator that is no learner of Mercer's
HUNG_ON = ("certificate_", "certificates_", "not_applicable_", "evidence_", "certification_")


# classes that had other names, which what was written down about a certified model repeats
FORMERLY = {
    "CondensedNearestNeighbour": "CondensedNearestNeighbor",
    "Centred": "Centered",
    "Marginalised": "Marginalized",
    "Normalised": "Normalized",
    "RegularisedRiskClassifier": "RegularizedRiskClassifier",
    "RegularisedRiskRegressor": "RegularizedRiskRegressor",
}


@step(0, "learner:certified")
def names_of_classes(state: State) -> State:
    """A model whose class has another name now is not a changed model."""
    record = state.get("certification_")
    if record is not None and record.probe:
        params = {k: FORMERLY.get(v, v) for k, v in record.probe["params"].items()}
        state["certification_"] = replace(record, probe={**record.probe, "params": params})
    return state


def as_certified(model: object) -> Any:
    """The model, or ``Certified`` around what its certificate speaks about."""
    state = getattr(model, "__dict__", {})
    record = state.get("certification_")
    if record is None or _storable.tag_of(type(model)) == "learner:certified":
        return model
    if state.get("_mixture") is not None:
        return state["_mixture"]  # the mixture carries the same certificate, so it is wrapped
    issued = state.get("_issued")
    if issued is None:
        issued = {
            "certificate": state["certificate_"],
            "evidence": state["evidence_"],
            "all": (state["certificates_"], state["not_applicable_"]),
        }
    else:  # a learner: what it would say about itself alone was never asked for
        state["_issued"] = {"certify": None, "delta": record.delta}
        state["certify"] = None
    for name in HUNG_ON:
        state.pop(name, None)
    around = made(
        "learner:certified",
        getattr(model, "model", model) if _is_selective(model) else _last(model),
        mode=record.mode if isinstance(record.mode, str) else list(record.mode),
        delta=record.delta,
        random_state=record.seed,
    )
    abstention = state.pop("_abstention", None)
    if abstention is not None:
        model = made("learner:selective-classifier", model, abstention.threshold)
    around.model_, around.certification_ = model, record
    around._issued = {"all": None} | {
        name: issued[name] for name in ("certificate", "evidence", "all") if name in issued
    }
    return around


def _is_selective(model: object) -> bool:
    return _storable.tag_of(type(model)) == "learner:selective-classifier"


def _last(model: object) -> Any:
    """What to train again: a model itself, or the last of several."""
    models = getattr(model, "models", None)
    return model if models is None else models[-1]
