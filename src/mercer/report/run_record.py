"""What one run of ``mercer fit`` knows: the summary, the report and ``--json`` all read this."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from mercer._card import card
from mercer.io.jsonable import jsonable

FORMAT = 1


@dataclass
class RunRecord:
    """Everything about one fit, as plain values; ``objects`` holds what cannot be written down.

    Row numbers are those of the file: 1 is the first row of data.

    Attributes
    ----------
    title : str
        What the run is called, for instance the name of the data file.
    data : dict
        ``name``, ``path``, ``format``, ``dialect`` (encoding, separator, decimal, header),
        ``bytes``, ``sha256``, ``rows_read``, ``rows_used``, ``dropped`` (all, as a list of
        ``{"row", "reason"}``),
        ``columns`` (list of ``{"name", "kind", "role", "missing", "distinct", "treatment",
        "examples"}``), ``duplicates`` (rows that repeat an earlier one).
    checks : list of dict
        ``{"code", "level", "message", "columns", "rows"}``; level is "note" or "warning".
    target : dict
        ``name``, ``task`` ("classification", "regression" or "novelty"), ``classes`` (label to
        number of rows) or ``summary`` (min, median, max, mean, std), ``words``.
    split : dict
        ``train``, ``counted``, ``order`` ("random", "groups", "time"), ``seed``, ``words``.
    plan : dict
        ``kind`` ("exact" or "low-rank"), ``memory_bytes``, ``memory_limit``, ``seconds``,
        ``words``.
    search : dict
        ``criterion``, ``seconds``, ``candidates`` (number), ``results`` (list of ``{"kernel",
        "params", "score", "std", "seconds", "rank"}``, best first), ``runner_up``, ``words``.
    model : dict
        ``learner``, ``kernel``, ``params``, ``support`` (number or None), ``trained_on``,
        ``words``, ``interrupted`` (True if stopped before its end), ``stopped`` (what was not done
        then), ``tolerance`` (regression), ``combine``.
    certificate : dict or None
        ``Certificate.to_dict()`` of the declared certificate.
    statement : str
        The certificate in one sentence.
    certificates, not_applicable : dict
        The other bounds by code, as ``Certificate.to_dict(inputs=False)``, and the reasons.
    certification : dict
        ``Certification.to_dict()``: rows spent, ledger, notes, checks of assumptions.
    needed : dict or None
        ``{"target", "rows", "words"}``: rows in all to certify a rounder number.
    baselines : list of dict
        ``{"name", "error", "errors", "rows", "words"}``: the model on the counted rows, then
        simpler ones on the rows it was trained on, left out in turn.
    predictions : dict of lists
        On the counted rows: ``row``, ``truth``, ``predicted``, ``score`` (decision value, two
        classes), ``probability`` (list per class) with ``classes``; regression: ``lower``,
        ``upper``.
    answers : dict
        What people ask next, on unseen rows: ``importance``, ``effects``, ``wrong``, ``slices``,
        ``classes``, ``thresholds``, ``numbers``, ``more_rows``, ``guarantees``.
    influential : dict
        ``columns`` and ``rows`` (list of ``{"row", "weight", "label", "values"}``).
    timings : dict
        Seconds by phase.
    reproduction : dict
        ``command``, ``seed``, ``versions``, ``created``, ``run`` (the contents of run.toml).
    files : dict
        What was written: "model", "report", "certificate", "run" to path.
    objects : dict
        Not written: ``model`` (the certified estimator), ``X`` (raw table), ``y``, ``Z`` (prepared
        matrix), ``feature_names``, ``train_rows``, ``counted_rows`` (positions in X).
    """

    title: str = ""
    data: dict[str, Any] = field(default_factory=dict)
    checks: list[dict[str, Any]] = field(default_factory=list)
    target: dict[str, Any] = field(default_factory=dict)
    split: dict[str, Any] = field(default_factory=dict)
    plan: dict[str, Any] = field(default_factory=dict)
    search: dict[str, Any] = field(default_factory=dict)
    model: dict[str, Any] = field(default_factory=dict)
    certificate: dict[str, Any] | None = None
    statement: str = ""
    certificates: dict[str, Any] = field(default_factory=dict)
    not_applicable: dict[str, str] = field(default_factory=dict)
    certification: dict[str, Any] = field(default_factory=dict)
    needed: dict[str, Any] | None = None
    baselines: list[dict[str, Any]] = field(default_factory=list)
    predictions: dict[str, Any] = field(default_factory=dict)
    answers: dict[str, Any] = field(default_factory=dict)
    influential: dict[str, Any] = field(default_factory=dict)
    timings: dict[str, float] = field(default_factory=dict)
    reproduction: dict[str, Any] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    objects: dict[str, Any] = field(default_factory=dict, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON types; ``objects`` is left out."""
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "objects"}
        return {"mercer_run": FORMAT, **jsonable(values)}

    def _repr_html_(self) -> str:
        """A card for notebooks."""
        rows = [("target", f"{self.target.get('name')}: {self.target.get('words')}"),
                ("model", str(self.model.get("words", ""))),
                ("rows", str(self.split.get("words", ""))),
                ("guarantee", self.statement)]  # fmt: skip
        sure = [one["name"] for one in self.answers.get("importance", ()) if one["low"] > 0][:5]
        rows += [("drivers", ", ".join(sure))] if sure else []
        rows += [(check["level"], check["message"]) for check in self.checks[:6]]
        return card(self.title or "run", rows)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> RunRecord:
        """The inverse of :meth:`to_dict`."""
        values = dict(data)
        if values.pop("mercer_run", None) != FORMAT:
            raise ValueError("not a run record of a format this version reads")
        known = {f.name for f in fields(cls)} - {"objects"}
        return cls(**{name: value for name, value in values.items() if name in known})
