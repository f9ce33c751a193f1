"""A kernel class seen on two points: its cover, and the scale at which it is shattered.

Left: functions of a Gaussian kernel with norm at most one. Middle: the same functions as points
(f(x₁), f(x₂)), covered by boxes (figure 4.5 of Herbrich's book). Right: four of them realise all
signs around two levels (figure 4.7).
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Rectangle

from mercer.bounds.numerics import log2_cover_linear
from mercer.kernels import Gaussian
from mercer.theory.covers import greedy_cover, kernel_ball_outputs, sup_distances
from mercer.theory.fat_shattering import fat_shattered, largest_scale

kernel, points = Gaussian(0.5), np.array([[0.0], [0.8]])
gram = kernel(points)
outputs = kernel_ball_outputs(gram, 200, random_state=0)
scale = 0.25
centres = greedy_cover(sup_distances(outputs), scale)
corners = [(a, b) for a in (-1, 1) for b in (-1, 1)]
few = np.unique([np.argsort(outputs @ c)[-3:] for c in corners])
largest = largest_scale(outputs[few], (0, 1))
shattered = fat_shattered(outputs[few], (0, 1), largest)
print(f"{len(outputs)} functions, {len(centres)} boxes of half-width {scale}")
print(f"a guaranteed cover of the whole ball has at most 2^{log2_cover_linear(scale, 2):.1f} boxes")
print(
    f"both points are shattered up to scale {largest:.3f} around {np.round(shattered.witnesses, 3)}"
)

figure, (left, middle, right) = plt.subplots(1, 3, figsize=(13, 4))
line = np.linspace(-1.5, 2.3, 200)[:, None]
coefficients = np.linalg.solve(gram, outputs[:20].T)
left.plot(line, kernel(line, points) @ coefficients, lw=0.8)
left.plot(points, [0, 0], "k^")
left.set(title="20 functions of norm at most 1", xlabel="x")
middle.plot(*outputs.T, ".", ms=3, color="0.6")
for i in centres:
    corner = outputs[i] - scale
    middle.add_patch(Rectangle(corner, 2 * scale, 2 * scale, fill=False, lw=0.6))
middle.plot(*outputs[centres].T, "k.", ms=5)
middle.set(title=f"a cover of {len(centres)} boxes", xlabel="f(x₁)", ylabel="f(x₂)")
right.plot(*outputs[few].T, ".", color="0.6")
for level, draw in zip(shattered.witnesses, (right.axvline, right.axhline), strict=True):
    draw(level, color="k", lw=0.8)
    draw(level - largest, color="0.7", lw=0.6, ls="--")
    draw(level + largest, color="0.7", lw=0.6, ls="--")
right.set(title=f"shattered at scale {largest:.2f}", xlabel="f(x₁)", ylabel="f(x₂)")
figure.tight_layout()
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
figure.savefig(folder / "theory_covers.png", dpi=100)
print(f"drawn: {folder / 'theory_covers.png'}")
