"""Version space: all weights that make no error, as a circle or a sphere, and who lives in it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.bounds import Evidence, Posterior, assess
from mercer.errors import UserError
from mercer.lab.questions import number, rows_of, whole
from mercer.lab.view import Answer, Call, View
from mercer.learners.bayes.point.version_space import VersionSpace as Cone
from mercer.learners.bayes.point.version_space import gibbs_samples
from mercer.learners.bayes.point.version_space import perceptron as consistent
from mercer.learners.bayes.point.volume import estimate_volume
from mercer.learners.margin import NotSeparableError
from mercer.learners.quantities.version_space import inscribed_ball
from mercer.plots import VersionSpaceDisplay

Floats = NDArray[np.float64]
MOST = 60
SIDE = 72
BOUNDS = ("consistent-gibbs", "consistent-vote", "catoni", "pac-bayes-lambda", "mcallester")


@dataclass(frozen=True)
class Shown:
    """Points with signs; two weights are lines through the origin, three have an offset."""

    points: Any = rows_of(3, MOST)
    weights: int = whole(2, 3, 3)
    draws: int = whole(10, 400, 120)
    delta: float = number(1e-9, 0.5, 0.05)
    seed: int = whole(0, 10**6, 0)


class VersionSpace(View):
    """One point of the sphere is one classifier; every row cuts it in half."""

    name, title, group, place = "version_space", "Version space", "See", 1
    about = "Classifiers as points of a sphere, rows as great circles; see who is in the middle."

    def calls(self) -> Mapping[str, Call]:
        """The whole picture for some points."""
        return {"show": self.show}

    def show(self, asked: Shown) -> Answer:
        """Great circles, errors over the sphere, and the inhabitants if there are any."""
        X = asked.points[:, :2]
        rows = VersionSpaceDisplay.lifted(X) if asked.weights == 3 else X
        signs = np.sign(asked.points[:, 2])
        if len(rows) < 2 or np.any(signs == 0) or np.any(np.linalg.norm(rows, axis=1) == 0):
            raise UserError("needs two points or more, none of them at the origin.")
        rng = np.random.default_rng(asked.seed)
        answer: Answer = {"path": perceptron_path(rows, signs, 400), "python": _python(asked)}
        marks: dict[str, Floats] = {}
        try:
            ball = inscribed_ball(rows, signs, kernel="linear")
            marks["SVM"] = _unit(ball.centre.coef @ ball.centre.points)
            answer |= self._inside(asked, rows, signs, marks, rng) | {"sine": ball.sine}
        except NotSeparableError:
            answer |= {"separable": False, "volume": 0.0, "bounds": [], "samples": []}
        pole = marks.get("SVM", _unit(signs @ rows))
        if asked.weights == 3:
            answer |= _sphere(rows, signs, marks, pole, answer)
        else:
            answer |= _circle(rows, signs, marks, answer)
        return answer

    def _inside(
        self, asked: Shown, rows: Floats, signs: Floats, marks: dict[str, Floats], rng: Any
    ) -> Answer:
        """Draws from version space, their mean, its volume, and what that is worth."""
        unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        space = Cone.of(rows @ rows.T, signs)
        start = consistent(space, rng)
        if start is None:
            raise UserError("version space is too small to be found by a perceptron.")
        coefs = gibbs_samples(space, start, rng, asked.draws)
        draws = coefs @ (signs[:, None] * unit)
        draws /= np.linalg.norm(draws, axis=1, keepdims=True)
        marks["Bayes point"] = _unit(draws.mean(axis=0))
        volume = estimate_volume(space, 4000, rng)
        kl = -volume.log_lower(0.5 * asked.delta)
        posterior = Posterior(len(rows), gibbs=0.0, kl=kl, restricted=True,
                              kl_risk=0.5 * asked.delta, vote_is_model=False)  # fmt: skip
        found, _ = assess(Evidence(n=len(rows), posterior=posterior), asked.delta, BOUNDS)
        told = [{"code": c.code, "title": c.title, "value": c.value} for c in found.values()]
        return {"separable": True, "volume": math.exp(volume.log_volume), "kl": kl,
                "bounds": sorted(told, key=lambda row: row["value"]), "samples": draws}  # fmt: skip


def _python(asked: Shown) -> str:
    """The same rows and their largest ball; three weights have a picture, too."""
    rows, picture, plots = "points[:, :2]", "", ""
    if asked.weights == 3:
        rows = "plots.VersionSpaceDisplay.lifted(points[:, :2])  # the third weight is the offset"
        plots = "from mercer import plots\n"
        picture = "plots.VersionSpaceDisplay(X=rows, signs=signs).plot()\n"
    return (
        f"import numpy as np\n\n{plots}"
        "from mercer.learners.quantities.version_space import inscribed_ball\n\n"
        f"points = np.array({asked.points.tolist()})\nsigns = np.sign(points[:, 2])\n"
        f'rows = {rows}\nprint(inscribed_ball(rows, signs, kernel="linear").sine)\n{picture}'
    )


def perceptron_path(rows: Floats, signs: Floats, most: int) -> list[Floats]:
    """Directions of the weights after every mistake, rows of length one visited in their order."""
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    path: list[Floats] = []
    w, clean = np.zeros(rows.shape[1]), 0
    while clean < len(rows) and len(path) < most:
        for x, sign in zip(unit, signs, strict=True):
            clean += 1
            if sign * (w @ x) <= 0 and len(path) < most:
                w, clean = w + sign * x, 0
                if np.any(w):
                    path.append(_unit(w))
    return path


def _sphere(
    rows: Floats, signs: Floats, marks: dict[str, Floats], pole: Floats, found: Answer
) -> Answer:
    """Everything on the disc that keeps areas, the hemisphere around ``pole``."""
    display = VersionSpaceDisplay(X=rows, signs=signs, pole=pole)
    mesh = display.frame(SIDE)
    circles = [np.round(display.circle(i, 120), 3) for i in range(len(rows))]
    ahead = [w for w in found["path"] if w @ pole > 0]
    on_disc = {name: display.to_disc(w)[0] for name, w in marks.items()}
    return {
        "circles": circles,
        "errors": np.asarray(mesh["errors"]).ravel(),
        "side": SIDE,
        "marks": on_disc,
        "samples": np.round(display.to_disc(found["samples"]), 3) if len(found["samples"]) else [],
        "path": np.round(display.to_disc(ahead), 3) if ahead else [],
        "hidden": len(found["path"]) - len(ahead),
    }


def _circle(rows: Floats, signs: Floats, marks: dict[str, Floats], found: Answer) -> Answer:
    """Angles only: the directions at which each row changes sides, and errors around the circle."""
    angles = np.linspace(-np.pi, np.pi, 361)
    w = np.column_stack([np.cos(angles), np.sin(angles)])
    errors = np.count_nonzero((w @ rows.T) * signs <= 0, axis=1)
    turned = np.arctan2(rows[:, 0], -rows[:, 1])  # perpendicular to the row
    told = {"samples": [_angle(v) for v in found["samples"]], "path": [_angle(v) for v in
            found["path"]], "marks": {name: _angle(v) for name, v in marks.items()}}  # fmt: skip
    return {"turns": turned, "angles": angles, "errors": errors, "hidden": 0} | told


def _unit(w: Any) -> Floats:
    found: Floats = np.asarray(w, dtype=np.float64)
    return found / max(float(np.linalg.norm(found)), 1e-300)


def _angle(w: Any) -> float:
    return float(np.arctan2(w[1], w[0]))
