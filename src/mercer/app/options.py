"""What may be asked of a fit: the same words and defaults in Python and on the command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from mercer.errors import UserError
from mercer.io.readers import Options

SEED = 20261115  # everything random in a run follows from it


@dataclass(frozen=True, kw_only=True)
class FitOptions:
    """Wishes for one run of ``mercer fit`` or ``mercer.fit``; `mercer.fit` explains each."""

    target: str | None = None
    group: str | None = None
    order: str | None = None
    ignore: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    treat: Mapping[str, str] = field(default_factory=dict)
    strings: str | None = None
    task: str | None = None
    kernel: str = "auto"
    combine: str = "auto"
    learner: str = "auto"
    certify: str | None = "auto"
    delta: float = 0.05
    tolerance: float | None = None
    error: str = "overall"
    metric: str | None = None
    ledger: str | None = None
    budget: float | None = None
    seed: int = SEED
    route: str = "auto"
    rank: int | None = None
    cells: int | None = None
    time_limit: float | None = None
    memory_limit: str | None = None
    reading: Options = field(default_factory=Options)

    def to_dict(self) -> dict[str, Any]:
        """What differs from the defaults, in the words of ``run.toml``."""
        plain = FitOptions()
        found = {
            name: getattr(self, name)
            for name in (f.name for f in fields(self) if f.name != "reading")
            if getattr(self, name) != getattr(plain, name)
        }
        found |= {
            f.name: getattr(self.reading, f.name)
            for f in fields(Options)
            if getattr(self.reading, f.name) not in (None, ())
        }
        if "treat" in found:
            found["treat"] = [f"{name}={kind}" for name, kind in self.treat.items()]
        return {k: list(v) if isinstance(v, tuple) else v for k, v in found.items()}


def read_treatments(texts: tuple[str, ...]) -> dict[str, str]:
    """``NAME=KIND`` as typed."""
    treat = {}
    for text in texts:
        name, equals, kind = text.partition("=")
        if not equals:
            raise UserError(f"'{text}' is not NAME=KIND.", "For instance: --as size=ordinal")
        treat[name] = kind
    return treat
