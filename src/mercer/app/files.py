"""Write what a fit leaves behind: model, certificate, report, run.toml."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mercer.app.apply import schema_of
from mercer.app.doubts import CERTIFICATE
from mercer.app.toml import dumps
from mercer.bounds.words import caveats
from mercer.io.atomic import write_text
from mercer.io.model_file import NotStorable, save
from mercer.io.sealed import sha256, writing
from mercer.report.run_record import RunRecord

MODEL, RUN, SIGNATURE = "model.mercer", "run.toml", "signature.json"
REPORTS = {"html": "report.html", "md": "report.md", "json": "report.json"}


def about_model(record: RunRecord, data: Any, model: object) -> dict[str, Any]:
    """What the model file keeps beside the model: enough to predict, certify and inspect."""
    return {
        "title": record.title,
        "task": data.target.task,
        "target": data.target.name,
        "prepare": data.prepare,
        "strings": data.strings,
        "identifiers": [name for name, role in data.roles.items() if role == "identifier"],
        "missing": record.reproduction["run"].get("missing", []),
        "columns": [[n, s] for n, s in zip(data.names, data.stored, strict=True)],
        "schema": schema_of(model),
        "classes": list(data.target.counts),
        "data": {
            k: record.data.get(k)
            for k in ("name", "sha256", "rows_used", "rows_read", "partitions", "labels")
        },
        "train_rows": record.certification.get("train_rows", []),
        "certificate": record.certificate,
        "statement": quoted(record),
        "model": record.model,
        "seed": record.reproduction.get("seed"),
        "created": record.reproduction.get("created"),
    }


def quoted(record: RunRecord) -> str:
    """The certificate in one sentence as it will be quoted: what speaks against it comes first."""
    found = record.certificate or {}
    uncovered = (choice["what"] for choice in found.get("uncovered", ()))
    return "; ".join((*caveats(found.get("found", ()), uncovered), record.statement))


def write_all(record: RunRecord, data: Any, model: Any, folder: Path, report: str) -> None:
    """All files of a run together, or none; what was written is in ``record.files``.

    The certificate names the SHA-256 of the model and of the data, the manifest that of every
    file: :func:`mercer.app.verify.verify` compares them.
    """
    with writing(folder, replaces=(MODEL, CERTIFICATE, RUN, SIGNATURE, *REPORTS.values())) as aside:
        try:
            save(model, aside / MODEL, about_model(record, data, model))
            record.files["model"] = str(folder / MODEL)
            record.reproduction["model_sha256"] = sha256(aside / MODEL)
        except NotStorable as problem:
            _warn(record, "model-file", f"the model was not saved: {problem}")
        if record.certificate is not None:
            document = {
                "mercer_certificate_file": 1,
                "statement": quoted(record),
                "certificate": record.certificate,
                "model": {"sha256": record.reproduction.get("model_sha256")},
                "data": record.data | {"columns": None},
                "reproduction": record.reproduction,
            }
            write_text(aside / CERTIFICATE, json.dumps(document, indent=1, default=str))
            record.files["certificate"] = str(folder / CERTIFICATE)
        write_text(aside / RUN, dumps(record.reproduction["run"]))
        record.files["run"] = str(folder / RUN)
        if report != "none":
            record.files["report"] = str(folder / REPORTS[report])
            _write_report(record, aside / REPORTS[report], report)


def _write_report(record: RunRecord, place: Path, kind: str) -> None:
    """The report comes last and is never worth losing the model for."""
    from mercer import report

    try:
        report.write(record, place, format=kind)
    except OSError:
        raise
    except Exception as problem:
        del record.files["report"]
        _warn(record, "report", f"the report could not be made: {problem}")


def _warn(record: RunRecord, code: str, message: str) -> None:
    finding = {"code": code, "level": "warning", "columns": [], "rows": [], "message": message}
    record.checks.append(finding)
