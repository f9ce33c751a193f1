"""The record of a function on a metric space."""

from __future__ import annotations

from dataclasses import dataclass

from mercer.bounds._records import Floats, Record, frozen_array


@dataclass(frozen=True, eq=False)
class Lipschitz(Record):
    """A function whose Lipschitz constant on the whole metric space is ``constant``.

    ``complexity[k]`` is the mean, over ``draws`` draws of random signs σ, of the largest
    (1/n) Σ σ_i g(x_i) over all |g| ≤ 1 with Lipschitz constant at most 2^``exponents[k]``; empty if
    it was too expensive. ``radii`` are the covering radii of a farthest-first traversal of the
    rows: 1 + (number of radii above ε) balls of radius ε cover them. ``losses[k]`` is the mean ramp
    loss of the function scaled to constant 2^``exponents[k]``; empty: it follows from the margins.

    With more than two ``classes`` there is one function each, ``constant`` is the largest of their
    constants, the loss is that of half the lead of the right function, and ``complexity`` is that
    of the class of such leads (the sum over its parts).
    """

    constant: float = 0.0
    exponents: tuple[int, ...] = ()
    complexity: tuple[float, ...] = ()
    draws: int = 1
    radii: Floats | None = None
    losses: tuple[float, ...] = ()
    classes: int = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "exponents", tuple(int(j) for j in self.exponents))
        for name in ("complexity", "losses"):
            object.__setattr__(self, name, tuple(float(v) for v in getattr(self, name)))
            if getattr(self, name) and len(getattr(self, name)) != len(self.exponents):
                raise ValueError(f"Lipschitz.{name} needs one value per exponent")
        if not self.constant >= 0:
            raise ValueError(f"Lipschitz.constant must be >= 0, got {self.constant!r}")
        if self.classes < 2:
            raise ValueError(f"Lipschitz.classes must be at least 2, got {self.classes}")
        if self.radii is not None and len(self.radii):
            object.__setattr__(self, "radii", frozen_array(self.radii, "Lipschitz.radii"))
        elif self.radii is not None:
            object.__setattr__(self, "radii", None)
