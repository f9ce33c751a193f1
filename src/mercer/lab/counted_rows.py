"""What may be asked of the counted rows of a finished run: each question is a look and is charged.

The certificate of a run speaks about rows that were counted once. Whatever else is made of them,
shown or promised, is counted in the ledger that all runs of the lab share, before it is shown.
"""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mercer.app.describe import statement
from mercer.app.held_out import HeldOut
from mercer.bounds import Certificate
from mercer.certification.core.looks import Look
from mercer.errors import DataError, UserError
from mercer.io.source import Source
from mercer.lab.questions import number, one_of, word
from mercer.lab.room import Room
from mercer.lab.runs import FOLDER, Runs

LEDGER = "looks.json"  # every fit of the same rows is a look, and all of them are counted
PARTS = {
    "errors": (),
    "slices": ("slices",),
    "classes": ("classes",),
    "drivers": ("importance", "effects"),
}
KEPT = 2  # runs whose rows are held ready


@dataclass(frozen=True)
class Wanted:
    """A question to the counted rows of a run."""

    run: str = word(100)
    question: str = one_of("coverage", "metric", "recall", "price", "groups")
    value: float = number(0.0, 1e9, 0.9)
    name: str = word(500, "")  # of a metric, or of a column
    positive: str = word(500, "")
    kind: str = one_of("pac", "all", "marginal")
    per: str = one_of("all", "class")
    delta: float = number(1e-9, 0.5, 0.05)


class CountedRows:
    """Finds the file of a run again, asks, charges."""

    def __init__(self, room: Room, runs: Runs) -> None:
        self.room = room
        self.runs = runs
        self._ready: dict[str, HeldOut] = {}

    def charge(self, run: str, parts: Iterable[str]) -> list[Look]:
        """Count looks at parts of a run that are about to be shown; the same part is one look."""
        record = self.runs.record(run)
        if not record.get("predictions"):  # no rows were kept apart: there is nothing to charge
            return [Look(0, 0.0, 0.0) for _ in parts]
        held = self._held(run)
        return [held.look(part) for part in parts]

    def ask(self, asked: Wanted) -> dict[str, Any]:
        """The answer with its certificate, and the command and the lines that ask the same."""
        arguments, options = _arguments(asked)
        about = self._about(asked.run)
        held = self._held(asked.run)
        try:
            found = getattr(held, asked.question)(*arguments, **options)
        except ValueError as problem:
            raise UserError(str(problem)) from None
        made = found.certificate
        return {
            "statement": _statement(made, str(held.about.get("task"))),
            "found": list(made.caveats),
            "look": (made.about or {}).get("look"),
            "title": made.title,
            "reference": made.reference,
            "counted": made.counted,
            "assumptions": list(made.assumptions),
            "words": found.words,
            "heads": list(found.heads),
            "rows": [list(row) for row in found.rows],
            "command": _command(asked, about, arguments, options),
            "python": _python(asked, about, arguments, options),
        }

    def forget(self) -> None:
        """Read files anew."""
        self._ready.clear()

    def _held(self, run: str) -> HeldOut:
        model = self.runs.file(run, "model.mercer")
        if model is None:
            raise UserError("this run kept no model that could be asked.")
        if run not in self._ready:
            while len(self._ready) >= KEPT:
                self._ready.pop(next(iter(self._ready)))
            ledger = self.runs.folder / LEDGER
            about = self._about(run)
            labels = about.get("labels")
            self._ready[run] = HeldOut.of(
                model, self._file(about), ledger, labels and self._file(labels)
            )
        return self._ready[run]

    def _about(self, run: str) -> dict[str, Any]:
        return self.runs.record(run).get("data") or {}

    def _file(self, about: dict[str, Any]) -> Path:
        """A file a run was made from: in the folder under its name, or among the uploads."""
        name, wanted = str(about.get("name") or ""), about.get("sha256")
        found = list(self.room.uploads.values())
        with contextlib.suppress(DataError):
            found.insert(0, self.room.find(name))
        for path in found:
            if Source.of(str(path)).sha256() == wanted:
                return path
        raise UserError(
            f"a file of this run ({name}) is not here any more, so that a look at its rows "
            "cannot be counted.",
            "Drop it on the page again.",
        )


def _arguments(asked: Wanted) -> tuple[list[Any], dict[str, Any]]:
    """What the method of `HeldOut` takes; what is as by default is left out."""
    by_name = asked.question in ("metric", "groups")
    if by_name and not asked.name:
        raise UserError(f"say which {'metric' if asked.question == 'metric' else 'column'}.")
    options: dict[str, Any] = {}
    if asked.delta != 0.05:
        options["delta"] = asked.delta
    if asked.question == "coverage":
        options |= {"kind": asked.kind} if asked.kind != "pac" else {}
        options |= {"per": asked.per} if asked.per != "all" else {}
    if asked.question in ("recall", "price") and asked.positive:
        options["positive"] = asked.positive
    if asked.question == "groups" and asked.value > 0:
        options["tolerance"] = asked.value
    return [asked.name if by_name else asked.value], options


def _command(
    asked: Wanted, about: dict[str, Any], arguments: list[Any], options: dict[str, Any]
) -> str:
    parts = ["mercer", "guarantee", f"{FOLDER}/{asked.run}/model.mercer", str(about.get("name"))]
    parts += ["--labels", about["labels"]["name"]] if about.get("labels") else []
    (value,) = arguments
    parts += [f"--{asked.question}", value if isinstance(value, str) else f"{value:g}"]
    for option, given in options.items():
        parts += [f"--{option}", given if isinstance(given, str) else f"{given:g}"]
    return shlex.join([*parts, "--ledger", f"{FOLDER}/{LEDGER}"])


def _python(
    asked: Wanted, about: dict[str, Any], arguments: list[Any], options: dict[str, Any]
) -> str:
    given = ", ".join([repr(arguments[0]), *(f"{k}={v!r}" for k, v in options.items())])
    model, ledger = f"{FOLDER}/{asked.run}/model.mercer", f"{FOLDER}/{LEDGER}"
    labels = f", {about['labels']['name']!r}" if about.get("labels") else ""
    return (
        "from mercer.app.held_out import HeldOut\n\n"
        f"held = HeldOut.of({model!r}, {about.get('name')!r}, {ledger!r}{labels})\n"
        f"answer = held.{asked.question}({given})\n"
        "print(answer.certificate.explain(), answer.words)\n"
    )


def _statement(made: Certificate, task: str) -> str:
    """What is promised; what stands against it is shown before."""
    return str(replace(made, found=())) if made.delta is None else statement(made, task)
