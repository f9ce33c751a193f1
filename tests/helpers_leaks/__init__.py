"""Ways of fooling oneself, and clean work: what a user looks at, with the truth beside it.

A *way* draws data whose true risk is known, does what a hurried user would do, and returns the
`Claim` the user walks away with. It is false if its first line is clean and its number is below
the truth. A refusal by Mercer, in words, is no claim. Each module of this package is one kind of
mistake; `clean_files` is the opposite: nothing is wrong, so nothing may be said.
"""

from __future__ import annotations

import importlib
import math
import pkgutil
import re
import warnings
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.bounds import NotApplicable
from mercer.certification.core import looks

DELTA = 0.05
# What a first line says when something about the number is wrong.
_ALARM = re.compile(
    r"does not (cover|hold)|refused|not a guarantee|not valid|only if|already seen|seen before|"
    r"cop(y|ies|ied)|changed since|no longer|\blooks?\b|hang together",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Claim:
    """A number in a user's hands; ``clean`` if nothing beside it says that it may be wrong."""

    value: float
    truth: float
    clean: bool

    @property
    def false(self) -> bool:
        return self.clean and self.value < self.truth - 1e-12


@dataclass(frozen=True)
class Way:
    """One way of fooling oneself; ``draws`` of it must not be false more often than ``delta``.

    ``delta=0`` where no chance is involved.
    """

    run: Callable[[np.random.Generator], Claim | None]
    draws: int
    delta: float


WAYS: dict[str, Way] = {}


def way(draws: int = 3, delta: float = DELTA, name: str = "") -> Callable[..., Any]:
    """Enter a function among the ways, under its own name unless told another."""

    def enter(run: Callable[[np.random.Generator], Claim | None]) -> Any:
        key = name or run.__name__
        if key in WAYS:
            raise ValueError(f"two ways are called {key}")
        WAYS[key] = Way(run, draws, delta)
        return run

    return enter


@dataclass(frozen=True)
class Tidy:
    """Clean work that ends with a certificate.

    A real file is always the same, so ``draws=1``; slow cases take one in ``share`` of the draws.
    """

    run: Callable[[np.random.Generator], Any]
    draws: int | None
    share: int


TIDY: dict[str, Tidy] = {}


def tidy(run: Any = None, *, draws: int | None = None, share: int = 1, name: str = "") -> Any:
    """Enter a function among the clean cases."""

    def enter(run: Callable[[np.random.Generator], Any]) -> Any:
        key = name or run.__name__
        if key in TIDY:
            raise ValueError(f"two clean cases are called {key}")
        TIDY[key] = Tidy(run, draws, share)
        return run

    return enter if run is None else enter(run)


def enter_all() -> None:
    """Import every module of this package: that enters its cases."""
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        importlib.import_module(module.name)


def first_line(certificate: Any) -> str:
    """The first line, whether it is a method or a property."""
    line = certificate.first_line
    return str(line() if callable(line) else line)


def clean(certificate: Any) -> bool:
    """Whether neither the first line nor the lists behind it, nor the JSON, raise an alarm."""
    data = certificate.to_dict()
    lists = (
        getattr(certificate, "uncovered", ()),
        getattr(certificate, "found", ()),
        data.get("uncovered"),
        data.get("found"),
    )
    return not any(lists) and not _ALARM.search(first_line(certificate))


def claim(certificate: Any, truth: float = 0.5) -> Claim | None:
    """What the certificate claims; None if it says nothing or only estimates."""
    if certificate is None or certificate.vacuous or certificate.kind != "bound":
        return None
    return Claim(float(certificate.value), truth, clean(certificate))


def unsayable(certificate: Any) -> Claim | None:
    """For statements that are about nothing a user has: no number can be right."""
    return claim(certificate, math.inf)


def answering(model: Any) -> Any:
    """The model that answers, inside the object that carries the certificate."""
    return getattr(model, "model_", model)


def noise(rng: np.random.Generator, n: int, columns: int) -> tuple[Any, Any]:
    """Inputs, and labels that have nothing to do with them: every rule errs on half of new rows."""
    return rng.normal(size=(n, columns)), rng.integers(0, 2, n)


def generator(name: str, seed: int, draw: int) -> np.random.Generator:
    """Independent of the order in which tests run, and of what other cases draw."""
    return np.random.default_rng([zlib.crc32(name.encode()), seed, draw])


def count_false(name: str, draws: int, seed: int = 0) -> int:
    """How many of ``draws`` runs end with a false claim."""
    wrong = 0
    for draw in range(draws):
        looks.forget()  # each draw is a day of its own
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a warning scrolls away, the first line stays
            try:
                found = WAYS[name].run(generator(name, seed, draw))
            except (ValueError, NotApplicable) as error:
                if not said_by_mercer(error):
                    raise
                found = None
        wrong += found is not None and found.false
    return wrong


def said_by_mercer(error: Exception) -> bool:
    """Whether Mercer itself refused, with a reason: a mistake in the case is no refusal."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = "" if trace is None else trace.tb_frame.f_globals.get("__name__", "")
    return where.startswith("mercer.") and len(str(error)) > 20


def runs_of(name: str, draws: int) -> int:
    """How many draws of a clean case stand for ``draws``."""
    return TIDY[name].draws or -(-draws // TIDY[name].share)


def alarms(name: str, draws: int, seed: int = 0) -> list[str]:
    """What was said about clean work, warnings included: one entry for each draw with an alarm."""
    heard = []
    for draw in range(runs_of(name, draws)):
        looks.forget()
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            certificate = TIDY[name].run(generator(name, seed, draw))
        words = [str(w.message) for w in told]
        if not clean(certificate):
            found = getattr(certificate, "found", ())
            words.append(f"{first_line(certificate)} {found}")
        if words:
            heard.append("; ".join(words))
    return heard
