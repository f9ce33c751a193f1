"""Your data: from a file to a certified model, by `mercer.app`, with the lines that do the same."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route

from mercer.app.inspect_table import inspect_path
from mercer.bounds import Certificate
from mercer.bounds.words import number as number_in_words
from mercer.certification.guarantees import metrics
from mercer.errors import UserError
from mercer.lab.counted_rows import LEDGER, PARTS, CountedRows, Wanted
from mercer.lab.questions import number, one_of, switch, word, words
from mercer.lab.room import Room
from mercer.lab.runs import FOLDER, Runs
from mercer.lab.view import Answer, Call, View

UNREAD: dict[str, Any] = {
    "format_": None,
    "encoding": None,
    "separator": None,
    "decimal": None,
    "header": None,
    "missing": (),
    "precomputed": None,
}
# A report has its own style and script inside; the sandbox keeps them from the lab and its cookie.
SANDBOX = (
    "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; "
    "script-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; base-uri 'none'"
)
FILES = {
    "report.html": "text/html; charset=utf-8",
    "certificate.json": "application/json",
    "run.toml": "text/plain; charset=utf-8",
    "model.mercer": "application/octet-stream",
}
ERRORS = 200
SIGNS = {"upper": "≤", "interval": "≤", "lower": "≥"}
KEPT = ("title", "statement", "checks", "baselines", "split", "target", "data", "not_applicable",
        "needed", "reproduction", "timings")  # fmt: skip
CERTIFICATE = ("value", "delta", "n", "title", "found", "ledger", "assumptions", "uncovered",
               "counted")  # fmt: skip
PYTHON = {"errors": "predictions", "slices": 'answers["slices"]', "classes": 'answers["classes"]',
          "drivers": 'answers["importance"], model.run_.answers["effects"]'}  # fmt: skip


@dataclass(frozen=True)
class File:
    """A file, and the column to predict once it is known."""

    file: str = word(500)
    name: str = word(200, "")
    target: str = word(500, "")
    precomputed: str = one_of("", "kernel", "distance")


@dataclass(frozen=True)
class Wish(File):
    """What ``mercer fit`` may be asked, as far as the page offers it."""

    labels: str = word(500, "")  # of a matrix: another file
    labels_name: str = word(200, "")
    ignore: tuple[str, ...] = words()
    group: str = word(500, "")
    order: str = word(500, "")
    certify: str = one_of("auto", "holdout", "compress", "progressive", "in-sample", "none")
    delta: float = number(1e-9, 0.5, 0.05)
    kernel: str = word(200, "auto")
    metric: str = word(200, "")
    time_limit: float = number(1.0, 86400.0, 60.0)


@dataclass(frozen=True)
class Named:
    """A run."""

    run: str = word(100)


@dataclass(frozen=True)
class Stop(Named):
    """Stop with the best so far, or now."""

    now: bool = switch(False)


@dataclass(frozen=True)
class Part(Named):
    """Something of a run that was made of its counted rows."""

    part: str = one_of(*PARTS)


@dataclass(frozen=True)
class Nothing:
    """No question is needed."""


class Data(View):
    """The fit itself runs in another process, which can be stopped."""

    name, title, group, place = "data", "Your data", "Work", 0
    about = "Drop a file: look at it, fit with a certificate, take the code away."

    def __init__(self, room: Room) -> None:
        super().__init__(room)
        self.runs = Runs(room.address.folder.resolve(), room.address.limits.workers)
        room.closing.append(self.runs.close)
        self.counted = CountedRows(room, self.runs)

    def calls(self) -> Mapping[str, Call]:
        """Look at a file, fit, watch, stop, compare."""
        return {
            "files": self.files,
            "profile": self.profile,
            "fit": self.fit,
            "state": self.state,
            "stop": self.stop,
            "runs": self.kept,
            "result": self.result,
            "open": self.open,
            "guarantee": self.guarantee,
        }

    def start(self) -> Answer:
        """The file that the lab was started with."""
        data, folder = self.room.address.data, self.room.address.folder.resolve()
        place = None if data is None else data.resolve()
        if place is not None and place.is_relative_to(folder):
            place = place.relative_to(folder)  # as the list of files has it
        return {
            "metrics": list(metrics.available()),
            "file": None if place is None else place.as_posix(),
            "limit": self.room.address.limits.upload,
        }

    def routes(self) -> list[Any]:
        """Reports and models of finished runs."""
        return [Route("/runs/{run}/{file}", self.send)]

    async def send(self, request: Request) -> Response:
        """A file of a run; a report is shown in a sandbox, everything else is saved."""
        run, file = request.path_params["run"], request.path_params["file"]
        path = self.runs.file(run, file) if file in FILES else None
        if path is None:
            return PlainTextResponse("there is nothing here", status_code=404)
        if file == "report.html":  # it shows errors and slices of the counted rows, and more
            try:
                await run_in_threadpool(self.counted.charge, run, (*PARTS, "guarantees"))
            except UserError as problem:
                words = f"{problem.message} {problem.advice}".strip()
                return PlainTextResponse(words, status_code=409)
        headers = {"content-security-policy": SANDBOX}
        if file != "report.html":
            headers["content-disposition"] = f'attachment; filename="{file}"'
        return FileResponse(path, media_type=FILES[file], headers=headers)

    def files(self, asked: Nothing) -> Answer:
        """Data files below the folder of the lab."""
        return {"files": self.room.listed()}

    def profile(self, asked: File) -> Answer:
        """What `mercer inspect` finds."""
        path = self.room.find(asked.file)
        values = UNREAD | {"precomputed": asked.precomputed or None}
        document, lines = inspect_path(str(path), asked.target or None, values)
        name = asked.name or path.name
        return {
            "document": document | {"name": name},
            "lines": lines,
            "command": shlex.join(
                ["mercer", "inspect", name, *(["--target", asked.target] if asked.target else [])]
            ),
        }

    def fit(self, asked: Wish) -> Answer:
        """Start a fit."""
        path = self.room.find(asked.file)
        name = asked.name or path.name
        options: dict[str, Any] = {
            "target": asked.target or None,
            "ignore": asked.ignore,
            "group": asked.group or None,
            "order": asked.order or None,
            "delta": asked.delta,
            "kernel": asked.kernel,
            "metric": asked.metric or None,
            "certify": None if asked.certify == "none" else asked.certify,
            "time_limit": asked.time_limit,
            "ledger": str(self.runs.folder / LEDGER),
        }
        reading = {"precomputed": asked.precomputed} if asked.precomputed else {}
        command = _command(name, asked)
        job = {
            "path": str(path),
            "name": name,
            "command": command,
            "reading": reading,
            "options": options,
        }
        if asked.labels:
            job["labels"] = str(self.room.find(asked.labels))
            job["labels_name"] = asked.labels_name or Path(asked.labels).name
        fit = self.runs.start(Path(name).name.split(".")[0], job)
        return {"run": fit.name, "command": command, "python": _python(name, asked)}

    def state(self, asked: Named) -> Answer:
        """Where a fit stands."""
        fit = self.runs.fits.get(asked.run)
        if fit is None:
            raise UserError("there is no such fit.")
        return {"status": fit.status, "share": fit.share, "words": fit.words, "error": fit.error}

    def stop(self, asked: Stop) -> Answer:
        """Stop a fit."""
        self.runs.stop(asked.run, asked.now)
        return {"status": self.runs.fits[asked.run].status}

    def kept(self, asked: Nothing) -> Answer:
        """Finished runs side by side."""
        return {"runs": [self._row(name) for name in self.runs.kept()[:100]]}

    def result(self, asked: Named) -> Answer:
        """One finished run: its certificate, doubts and baselines; nothing of single rows."""
        record = self.runs.record(asked.run)
        told = record.get("predictions") or {}
        pairs = zip(told.get("truth") or [], told.get("predicted") or [], strict=False)
        found = record.get("certificate") or {}
        task = (record.get("target") or {}).get("task")
        return {key: record.get(key) for key in KEPT} | {
            "certificate": {k: found.get(k) for k in CERTIFICATE} if found else None,
            "shown": _shown(found),
            "model": record.get("model"),
            "search": {k: (record.get("search") or {}).get(k) for k in ("words", "candidates")},
            "wrong": sum(str(truth) != str(said) for truth, said in pairs),
            "task": task,
            "more_rows": (record.get("answers") or {}).get("more_rows"),
            "classes": told.get("classes") or [],
            "counted": bool(told),
            "columns": _columns(record.get("data") or {}),
        }

    def open(self, asked: Part) -> Answer:
        """Errors, slices, drivers: read only after the look at the counted rows is paid for."""
        record = self.runs.record(asked.run)
        (look,) = self.counted.charge(asked.run, (asked.part,))
        answers = record.get("answers") or {}
        if asked.part == "errors":
            told = record.get("predictions") or {}
            rows = zip(*(told.get(k) or [] for k in ("row", "truth", "predicted")), strict=False)
            wrong = [list(row) for row in rows if str(row[1]) != str(row[2])]
            found: Answer = {"errors": wrong[:ERRORS]}
        else:
            found = {key: answers.get(key) or [] for key in PARTS[asked.part]}
        again = f"model = mercer.fit(...)  # as above\nprint(model.run_.{PYTHON[asked.part]})\n"
        return found | {"look": look.k, "spent": look.spent, "python": again}

    def guarantee(self, asked: Wanted) -> Answer:
        """One more guarantee from the counted rows, charged as a look."""
        return self.counted.ask(asked)

    def _row(self, name: str) -> Answer:
        record = self.runs.record(name)
        certificate, model = record.get("certificate") or {}, record.get("model") or {}
        return {
            "run": name,
            "data": record.get("title"),
            "target": (record.get("target") or {}).get("name"),
            "model": model.get("words"),
            "certified": _shown(certificate),
            "delta": certificate.get("delta"),
            "counted": certificate.get("n"),
            "caveats": certificate.get("found") or [],
            "look": ((certificate.get("about") or {}).get("look") or {}).get("k"),
            "seconds": sum((record.get("timings") or {}).values()),
            "sha256": (record.get("data") or {}).get("sha256"),
        }


def _columns(data: Answer) -> list[str]:
    """By what the rows may be divided: columns of the file, or of the file of its labels."""
    own = [column["name"] for column in data.get("columns") or []]
    return own or list((data.get("labels") or {}).get("columns") or [])


def _shown(found: Answer) -> str:
    """The number with its sign and unit; a distance or a score is no per cent."""
    if not found:
        return ""
    made = Certificate.from_dict(found)
    what = "" if made.quantity == "error rate" else f"{made.quantity} "
    return f"{what}{SIGNS[made.side]} {number_in_words(made.value, made)}"


def _command(name: str, asked: Wish) -> str:
    parts = ["mercer", "fit", name]
    for option, value in (
        ("--target", asked.target),
        ("--group", asked.group),
        ("--order", asked.order),
        ("--precomputed", asked.precomputed),
        ("--labels", asked.labels_name or asked.labels),
    ):
        parts += [option, value] if value else []
    for column in asked.ignore:
        parts += ["--ignore", column]
    parts += [] if asked.certify == "auto" else ["--certify", asked.certify]
    parts += [] if asked.delta == 0.05 else ["--delta", f"{asked.delta:g}"]
    parts += [] if asked.kernel == "auto" else ["--kernel", asked.kernel]
    parts += ["--metric", asked.metric] if asked.metric else []
    parts += ["--ledger", f"{FOLDER}/{LEDGER}"]
    return shlex.join([*parts, "--time-limit", f"{asked.time_limit:g}"])


def _python(name: str, asked: Wish) -> str:
    given = {
        "target": asked.target,
        "group": asked.group,
        "order": asked.order,
        "ignore": list(asked.ignore),
        "precomputed": asked.precomputed,
    }
    told: dict[str, Any] = {k: v for k, v in given.items() if v}
    if asked.certify != "auto":
        told["certify"] = None if asked.certify == "none" else asked.certify
    told |= {} if asked.delta == 0.05 else {"delta": asked.delta}
    told |= {} if asked.kernel == "auto" else {"kernel": asked.kernel}
    told |= {"metric": asked.metric} if asked.metric else {}
    told |= {"ledger": f"{FOLDER}/{LEDGER}", "time_limit": asked.time_limit}
    given_words = ", ".join(f"{option}={value!r}" for option, value in told.items())
    labels = asked.labels_name or asked.labels
    data = f"{name!r}, {labels!r}" if labels else f"{name!r}"
    return (
        f"import mercer\n\nmodel = mercer.fit({data}, {given_words})\nprint(model.certificate_)\n"
    )
