"""The figures of Herbrich's second chapter: a sphere of classifiers, maps, margins, strings.

2.1: points cut the sphere of classifiers. 2.2: one update of the perceptron. 2.3: the unit square
under (x₁, x₂², x₁x₂), and curves that are planes there. 2.4: sums of bumps of four widths. 2.5:
three string kernels on sentences of our own, nine each about four subjects. 2.6: a large and a
small margin. 2.7: losses. 2.8: the largest ball in version space. Table 2.1 is printed.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

from mercer import SVC
from mercer.kernels import BagOfWords, Gaussian, Linear, Polynomial, Spectrum, Subsequence
from mercer.plots import GramDisplay

rng = np.random.default_rng(2)
figure = plt.figure(figsize=(20, 15), layout="constrained")
grid = figure.add_gridspec(3, 5)

# 2.1 and 2.8: every point of the sphere is a classifier; training points cut it by great circles
X = np.array([[1.0, 0.2, 0.3], [-0.2, 1.0, 0.3], [0.3, -0.5, 1.0], [-1.0, -0.6, 0.2]])
X /= np.linalg.norm(X, axis=1, keepdims=True)
turn, height = np.meshgrid(np.linspace(0, 2 * np.pi, 140), np.linspace(0, np.pi, 70))
ball = np.stack([np.cos(turn) * np.sin(height), np.sin(turn) * np.sin(height), np.cos(height)], -1)
machine = SVC(kernel=Linear(), C=np.inf, fit_intercept=False, tol=1e-8, certify=None)
machine.fit(X, [1, 1, 1, -1])
w = machine.coef_.ravel() / np.linalg.norm(machine.coef_)
inner = np.min((X * np.array([1, 1, 1, -1])[:, None]) @ w)
for place, count, title in (
    (0, 3, "2.1: three points cut the sphere"),
    (4, 4, "2.8: largest ball"),
):
    ax = figure.add_subplot(grid[0, place], projection="3d")
    cell = ((ball @ X[:count].T > 0) @ 2 ** np.arange(count)) % 10
    shade = plt.get_cmap("tab10")(cell)
    if count == 4:
        inside = np.all((ball @ X.T) * [1, 1, 1, -1] > 0, axis=-1)
        cap = ball @ w > np.sqrt(1 - inner**2)
        shade = np.where(inside[..., None], [0.6, 0.75, 0.95, 1], [0.93, 0.93, 0.93, 1])
        shade = np.where(cap[..., None], [0.95, 0.6, 0.2, 1], shade)
        ax.plot(*(1.05 * w)[:, None], "k*", ms=12, zorder=10)
    ax.plot_surface(*np.moveaxis(ball, -1, 0), facecolors=shade, rstride=1, cstride=1, shade=False)
    seen = np.degrees([np.arcsin(w[2]), np.arctan2(w[1], w[0])]) if count == 4 else (35, 30)
    ax.view_init(*seen)
    ax.set(title=title, xticks=[], yticks=[], zticks=[])
    ax.set_box_aspect((1, 1, 1), zoom=1.4)
    ax.set_axis_off()
print(f"largest ball in version space: radius {inner:.4f} around {np.round(w, 3)}")

# 2.2: the weight vector turns towards a point it got wrong
ax = figure.add_subplot(grid[0, 1])
old, wrong = np.array([1.0, 0.6]), np.array([-0.9, 0.8])
for vector, name, colour in (
    (old, "w", "C0"),
    (wrong, "x, y = +1", "C3"),
    (old + wrong, "w + x", "C2"),
):
    ax.annotate("", vector, (0, 0), arrowprops={"color": colour, "width": 1.5, "headwidth": 8})
    ax.text(*(1.08 * vector), name, color=colour)
for vector, colour in ((old, "C0"), (old + wrong, "C2")):
    side = np.array([-vector[1], vector[0]]) * 1.6 / np.linalg.norm(vector)
    ax.plot(*np.array([-side, side]).T, "--", color=colour, lw=1)
ax.set(title="2.2: one perceptron update", xlim=(-1.7, 1.7), ylim=(-1.7, 1.7), aspect="equal")
print(f"⟨w, x⟩ = {old @ wrong:.2f} before the update, {(old + wrong) @ wrong:.2f} after it")

# 2.3: left the image of the unit square, right roots of w₁x₁ + w₂x₂² + w₃x₁x₂ = 0 for w₂ = 1
ax = figure.add_subplot(grid[0, 2], projection="3d")
a, b = np.meshgrid(np.linspace(0, 1, 25), np.linspace(0, 1, 25))
ax.plot_surface(a, b**2, a * b, cmap="viridis", rstride=1, cstride=1)
ax.set(title="2.3: (x₁, x₂², x₁x₂)", xlabel="x₁", ylabel="x₂²", zlabel="x₁x₂")
ax = figure.add_subplot(grid[0, 3])
x = np.linspace(-1, 1, 801)
for first in (-1, 0, 1):
    for third in (-1, 0, 1):
        square = (third * x) ** 2 - 4 * first * x
        root = np.sqrt(np.where(square >= 0, square, np.nan))
        for sign in (1, -1):
            y = (-third * x + sign * root) / 2
            ax.plot(x, y, color=f"C{first + 1}", ls=("--", "-", ":")[third + 1])
            gone = np.nanmax(np.abs(first * x + y**2 + third * x * y))
            assert gone < 1e-12
ax.set(title="2.3: nine decision curves (colour w₁, line w₃)", xlabel="x₁", ylabel="x₂")

# 2.4: twenty bumps of height one
centres = rng.uniform(0, 5, size=(20, 2))
plane = np.stack(np.meshgrid(*[np.linspace(0, 5, 70)] * 2), -1)
for place, sigma in enumerate((0.5, 0.7, 1.0, 2.0)):
    ax = figure.add_subplot(grid[1, place])
    values = Gaussian(sigma)(plane.reshape(-1, 2), centres).sum(axis=1)
    ax.contourf(*np.moveaxis(plane, -1, 0), values.reshape(70, 70), 15)
    ax.plot(*centres.T, "w.", ms=4)
    ax.set(title=f"2.4: Σ k(xᵢ, ·), σ = {sigma}", aspect="equal", xticks=[], yticks=[])

# 2.6: the plane of the largest margin, and one turned by 25 degrees
ax = figure.add_subplot(grid[1, 4])
y = np.repeat([-1, 1], 40)
points = rng.normal(size=(80, 2)) + np.outer(y, [3, -3])
machine = SVC(kernel=Linear(), C=np.inf, fit_intercept=False, tol=1e-8, certify=None).fit(points, y)
best = machine.coef_.ravel() / np.linalg.norm(machine.coef_)
ax.scatter(*points.T, c=y, cmap="coolwarm", s=12)
for angle, style in ((0, "k-"), (25, "k--")):
    c, s = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    normal = np.array([[c, -s], [s, c]]) @ best
    margin = np.min(y * (points @ normal))
    ax.plot(*np.outer([-6, 6], [-normal[1], normal[0]]).T, style, label=f"margin {margin:.2f}")
    print(f"line turned by {angle:>2} degrees: margin {margin:.4f}")
ax.set(title="2.6: two lines without error", aspect="equal", xlim=(-6, 6), ylim=(-6, 6))
ax.legend(fontsize=8)

# 2.5: which sentences look alike
subjects = {
    "margins": ("the", "margin of a separating plane", "distance of the nearest row to the plane",
                "separating plane with the largest margin"),
    "strings": ("a", "substring that two words share", "subsequence with gaps between its letters",
                "kernel that counts shared letters of words"),
    "priors": ("some", "prior belief about functions", "posterior belief after the sample was seen",
               "belief that the sample turns into a posterior"),
    "graphs": ("every", "eigenvector of a walk on the graph", "walk on neighbours in a graph",
               "cluster of neighbours that a walk seldom leaves"),
}  # fmt: skip
verbs = ("is", "was found to be", "may be called")
sentences = [f"{article} {thing} {verb} {'small' if i % 2 else 'what we look for'}"
             for article, *things in subjects.values() for i, thing in enumerate(things)
             for verb in verbs][:36]  # fmt: skip
group = np.repeat(np.arange(4), 9)
same = (group[:, None] == group) & ~np.eye(36, dtype=bool)
kernels = {"bag of words": BagOfWords(), "substrings of 5": Spectrum(5),
           "subsequences of 5, λ = ½": Subsequence(5, 0.5)}  # fmt: skip
for place, (name, kernel) in enumerate(kernels.items()):
    ax = figure.add_subplot(grid[2, place])
    G = GramDisplay(gram=kernel(sentences), y=group).plot(ax=ax, title=f"2.5: {name}").gram
    apart = G[group[:, None] != group].mean()
    print(f"{name}: {G[same].mean():.3f} within a subject, {apart:.3f} between subjects")

# 2.7: losses of a real-valued output
ax = figure.add_subplot(grid[2, 3])
u = np.linspace(-2, 1, 400)
ax.plot(u, u >= 0, "k", label="zero-one")
ax.plot(u, np.maximum(0, 1 + u), label="hinge")
ax.plot(u, np.maximum(0, 1 + u) ** 2, label="quadratic")  # (2.47): zero beyond the margin
ax.set(title="2.7: losses", xlabel="−y f(x)", ylim=(-0.1, 4.1))
ax.legend(fontsize=8)

# table 2.1: how many features a kernel on R^N has
text = [f"{'N':>3}{'(⟨x,z⟩+1)³':>14}{'⟨x,z⟩³':>14}"]
for n in (2, 10, 100, 784):
    complete, plain = (Polynomial(3, coef0=c).n_features_out(n) for c in (1.0, 0.0))
    text.append(f"{n:>3}{complete:>14,}{plain:>14,}")
text.append("Gaussian: infinitely many")
print("\n".join(text))
ax = figure.add_subplot(grid[2, 4])
ax.axis("off")
ax.text(
    0,
    0.95,
    "\n".join(["table 2.1: features of kernels", "", *text]),
    va="top",
    family="monospace",
    fontsize=9,
)
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
figure.savefig(folder / "book_chapter_2.png", dpi=60)
print(f"drawn: {folder / 'book_chapter_2.png'}")
