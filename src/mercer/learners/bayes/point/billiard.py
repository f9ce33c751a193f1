"""Kernel billiard: a ball bouncing through version space, averaged (algorithm 10, corrected).

Corrections to the printed algorithm: lengths are square roots of quadratic forms, the wall just
hit is excluded from the next flight, the direction is renormalised, and the weight of the average
uses the length travelled before the current chord.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer.learners.bayes.point.version_space import REFRESH, VersionSpace
from mercer.solvers.watch import Watch

Floats = NDArray[np.float64]
TOLD = 64  # bounces between looks at the time
FARTHEST = 1e4  # a flight this long leaves version space: draw another direction


def rho(c: float, mu: float) -> tuple[float, float]:
    """Weights of two unit vectors s, t with <s, t> = c whose combination is a unit vector.

    The distance of the combination from t is mu times that of s: mu = 0 gives t, mu = 1 gives s.
    """
    first = mu * math.sqrt(max(0.0, 2.0 - mu * mu * (1.0 - c)) / (1.0 + c)) if c > -1 else mu
    return first, -first * c + 1.0 - mu * mu * (1.0 - c)


@dataclass(frozen=True)
class Flown:
    """How far the ball has come: lengths, and the smallest cosine of a chord and the centre."""

    travelled: float = 0.0
    longest: float = 0.0
    smallest: float = 1.0


@dataclass
class Billiard:
    """The centre found, the number of bounces, whether it settled, and the trajectory if kept."""

    centre: Floats
    n_bounces: int
    converged: bool
    trajectory: list[Floats]
    flown: Flown


def play(
    space: VersionSpace,
    start: Floats,
    rng: np.random.Generator,
    tol: float = 1e-3,
    max_bounces: int = 100_000,
    keep: int = 0,
    watch: Watch | None = None,
    flown: Flown | None = None,
) -> Billiard:
    """Bounce until a further chord could not move the centre by more than ``tol``.

    Parameters
    ----------
    start : array of shape (n,)
        Coefficients of a weight vector strictly inside version space.
    keep : int
        Positions of so many first bounces are returned, as coefficients.
    flown : Flown, optional
        ``start`` is the centre of a game in the same space, which goes on.
    """
    ball = _Ball(space, start, rng)
    centre, centre_output = np.zeros(space.n), np.zeros(space.n)
    if flown is not None:
        centre, centre_output = ball.coef.copy(), ball.output.copy()
    flown = Flown() if flown is None else flown
    travelled, longest, smallest = flown.travelled, flown.longest, flown.smallest
    kept = [ball.coef.copy()] if keep else []
    for bounce in range(1, max_bounces + 1):
        old, old_output = ball.coef, ball.output
        inner = ball.fly()
        chord = math.sqrt(max(0.0, 2.0 - 2.0 * inner))
        scale = 1.0 / math.sqrt(max(1e-300, 2.0 + 2.0 * inner))
        middle = scale * (old + ball.coef)
        middle_output = scale * (old_output + ball.output)
        p = float(middle @ centre_output)
        mu = travelled / (travelled + chord) if travelled + chord > 0 else 0.0
        first, second = rho(min(1.0, p), mu)
        centre = first * centre + second * middle
        centre_output = first * centre_output + second * middle_output
        smallest, longest, travelled = min(p, smallest), max(chord, longest), travelled + chord
        if len(kept) < keep:
            kept.append(ball.coef.copy())
        if bounce % REFRESH == 0:
            centre_output = space.A @ centre
        gap = rho(smallest, travelled / (travelled + longest))[1]
        if gap <= tol:
            break
        told = bounce % TOLD == 0 or bounce == 1
        if told and watch is not None and watch.over(bounce, gap):
            break
    come = Flown(travelled, longest, smallest)
    return Billiard(centre / space.norm(centre), bounce, gap <= tol, kept, come)


class _Ball:
    """Position and direction as coefficients with their outputs, updated in O(n) per bounce."""

    def __init__(self, space: VersionSpace, start: Floats, rng: np.random.Generator) -> None:
        self.space, self.rng = space, rng
        self.coef = start / space.norm(start)
        self.output = space.A @ self.coef
        self.last: int | None = None
        self.bounces = 0
        self._turn()

    def _turn(self) -> None:
        """A random direction, away from the wall the ball touches."""
        while True:
            direction = self.rng.uniform(-1.0, 1.0, self.space.n)
            output = self.space.A @ direction
            length = math.sqrt(max(0.0, float(direction @ output)))
            if length > 1e-12 and (self.last is None or output[self.last] > 0):
                self.direction, self.velocity = direction / length, output / length
                return

    def fly(self) -> float:
        """Move to the next wall and reflect; the cosine of the angle travelled."""
        while True:
            with np.errstate(divide="ignore", invalid="ignore"):
                times = np.where(self.velocity < 0, -self.output / self.velocity, np.inf)
            times[times <= 0] = np.inf
            if self.last is not None:
                times[self.last] = np.inf
            wall = int(np.argmin(times))
            if times[wall] < FARTHEST:
                break
            self._turn()
        time = float(times[wall])
        along = float(self.direction @ self.output)
        length = math.sqrt(1.0 + 2.0 * time * along + time * time)
        cosine = (1.0 + time * along) / length
        self.coef = (self.coef + time * self.direction) / length
        self.output = (self.output + time * self.velocity) / length
        self.output[wall] = 0.0
        self._reflect(wall)
        self.last = wall
        self.bounces += 1
        if self.bounces % REFRESH == 0:
            self._refresh()
        return min(1.0, cosine)

    def _reflect(self, wall: int) -> None:
        speed = float(self.velocity[wall])
        self.direction[wall] -= 2.0 * speed
        self.velocity = self.velocity - 2.0 * speed * self.space.A[:, wall]

    def _refresh(self) -> None:
        """Outputs and lengths afresh, so that rounding cannot pile up."""
        self.output = self.space.A @ self.coef
        length = math.sqrt(max(1e-300, float(self.coef @ self.output)))
        self.coef, self.output = self.coef / length, self.output / length
        self.velocity = self.space.A @ self.direction
        speed = math.sqrt(max(1e-300, float(self.direction @ self.velocity)))
        self.direction, self.velocity = self.direction / speed, self.velocity / speed
