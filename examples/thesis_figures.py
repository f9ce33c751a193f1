"""Figures of von Luxburg's thesis: the graph, matching rates, rotation regions, criteria.

II.1, III.15 (rates), III.22 (bounds over n), IV.1 and IV.2 (what a margin leaves room for) and IV.3
to IV.6 on one generated table. II.2 is drawn by ``unlabelled_clusters``, the flip-book by
``spectral_movie``. Every function returns what is drawn.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial.distance import cdist

from mercer import SVC
from mercer.bounds.lipschitz import centered_complexity, cube_rate
from mercer.datasets import make_twonorm
from mercer.kernels import Gaussian
from mercer.learners.metric import noise_fit
from mercer.metrics import discrepancy
from mercer.selection import criteria, experiment


def similarity_graph(n=14, seed=3):
    """II.1: points, and the similarity of every pair as the weight of its edge."""
    rng = np.random.default_rng(seed)
    X = np.concatenate([rng.normal(c, 0.4, size=(n // 2, 2)) for c in ((0, 0), (2, 1))])
    return X, Gaussian(0.6)(X)


def matching_costs(dimensions=(1, 2, 3, 5), sizes=(25, 50, 100, 200, 400), draws=4, seed=0):
    """III.15: mean cost of matching two samples of the cube, one row per dimension."""
    rng = np.random.default_rng(seed)
    return np.array(
        [
            [
                np.mean([discrepancy(cdist(*rng.random((2, n, d)))) for _ in range(draws)])
                for n in sizes
            ]
            for d in dimensions
        ]
    )


SIZES = (50, 200, 800, 3200, 10**5, 10**6, 10**7)


def complexities(sizes=SIZES, constant=1.0, seed=0, largest=800):
    """III.22 over n, on [0, 1]: random signs followed exactly, the bound, and the bound as printed.

    Signs are matched for n up to ``largest``; the bound needs no sample, N(X, u) = ⌈1/2u⌉.
    """
    rng = np.random.default_rng(seed)

    def covering(u):
        return np.ceil(1 / (2 * u))

    exact = np.full(len(sizes), np.nan)
    for k, n in enumerate(sizes):
        if n <= largest:
            x = rng.random((n, 1))
            signs = rng.choice([-1.0, 1.0], size=(3, n))
            exact[k] = np.mean([noise_fit(cdist(x, x), s, constant) for s in signs])
    bounds = [
        [centered_complexity(covering, constant, n, as_printed=printed) for n in sizes]
        for printed in (False, True)
    ]
    return np.array([exact, *bounds])


def rotation_region(seed=1, codebook=40):
    """IV.1: a separated sample, its hyperplane through the origin, and directions that agree.

    Normal vectors of length R within rho of w are those at an angle up to 2 asin(rho/2R).
    """
    rng = np.random.default_rng(seed)
    X = np.concatenate([rng.normal((2, 1), 0.6, (12, 2)), rng.normal((-2, -1), 0.6, (12, 2))])
    X -= X.mean(axis=0)
    y = np.repeat([1, -1], 12)
    model = SVC(kernel="linear", C=1e6, fit_intercept=False, certify=None).fit(X, y)
    w = model.coef_[0]
    rho, radius = 1 / np.linalg.norm(w), np.linalg.norm(X, axis=1).max()
    middle = np.arctan2(w[1], w[0])
    angles = 2 * np.pi * np.arange(codebook) / codebook
    gap = np.abs(np.angle(np.exp(1j * (angles - middle))))
    return {
        "X": X, "y": y, "w": w, "rho": rho, "radius": radius, "angle": middle,
        "half_width": 2 * np.arcsin(rho / (2 * radius)), "codebook": angles,
        "nearest": angles[gap.argmin()],
    }  # fmt: skip


def ellipse_balls(axes=(3.0, 1.0), rho=0.5, steps=1001):
    """IV.2: how far two hyperplanes of one margin may turn before a point of the ellipse changes.

    For normals along the two axes: the half-width of the angles that classify every point of the
    ellipse farther than rho from the hyperplane as before.
    """
    t = np.linspace(0, 2 * np.pi, 20001)
    edge = np.column_stack([axes[0] * np.cos(t), axes[1] * np.sin(t)])
    found = []
    for normal in np.eye(2):
        side = edge @ normal
        kept = np.abs(side) >= rho
        turn = np.linspace(0, np.pi / 2, steps)
        across = np.array([-normal[1], normal[0]])
        turned = np.cos(turn)[:, None] * normal + np.sin(turn)[:, None] * across
        same = np.all((turned @ edge[kept].T) * side[kept] > 0, axis=1)
        found.append(turn[~same].min())
    return np.array(found)


def criteria_on_twonorm(rows=900, runs=3):
    """IV.3, IV.4 and IV.6: criteria and test errors over the grid, n = 100."""
    X, y, _ = make_twonorm(rows, random_state=0)
    codes = ("C1", "C2", "C3", "C4", "C5", "span", "rm", "trace", "cs")
    sigmas = tuple(10.0 ** np.arange(-1, 2.6, 0.25))
    return experiment.compare_criteria(X, y, codes, sigmas=sigmas, runs=runs)


def parts_of_c3(found, rows=900):
    """IV.5: the parts of C3 at its best width, one row per cost."""
    X, y, _ = make_twonorm(rows, random_state=0)
    train, _ = experiment.disjoint_subsets(rows, 100)[0]
    parts = []
    for j, cost in enumerate(found.costs):
        sigma = found.sigmas[found.values["C3"][0, :, j].argmin()]
        kernel = Gaussian(sigma / np.sqrt(2))
        model = SVC(C=cost, kernel=kernel, certify=None).fit(X[train], y[train])
        parts.append(criteria.get("C3").score(model, X[train], y[train]).components)
    return {name: np.array([part[name] for part in parts]) for name in parts[0]}


def draw_regions(graph, region, ball):
    """II.1, IV.1 and IV.2."""
    X, K = similarity_graph()
    for i, j in zip(*np.nonzero(np.triu(K, 1) > 0.02), strict=True):
        graph.plot(*X[[i, j]].T, color="0.3", lw=4 * K[i, j], zorder=1)
    graph.scatter(*X.T, s=40, zorder=2)
    graph.set_title("II.1: similarities as a graph", loc="left")
    found = rotation_region()
    for k in (-1, 0, 1):
        angle = found["angle"] + k * found["half_width"] + np.pi / 2
        line = 1.2 * found["radius"] * np.array([np.cos(angle), np.sin(angle)])
        label = {-1: "rotation region", 0: "H", 1: None}[k]
        region.plot(*np.array([-line, line]).T, "k-" if k == 0 else "k--", lw=1, label=label)
    region.scatter(*found["X"].T, c=found["y"], cmap="coolwarm", s=18)
    circle = found["radius"] * np.exp(1j * found["codebook"])
    region.plot(circle.real, circle.imag, "k.", ms=4, label="codebook")
    for name, style, label in (("angle", "g", "w"), ("nearest", "r", "v")):
        tip = found["radius"] * np.exp(1j * found[name])
        region.plot([0, tip.real], [0, tip.imag], style, lw=1.5, label=label)
    region.legend(fontsize=7, loc="upper left", bbox_to_anchor=(1, 1))
    region.set_title("IV.1: hyperplanes that agree, and a codebook", loc="left")
    region.set_aspect("equal")
    widths = ellipse_balls()
    t = np.linspace(0, 2 * np.pi, 300)
    ball.plot(3 * np.cos(t), np.sin(t), label="data")
    ball.plot(3 * np.cos(t), 3 * np.sin(t), "0.6", label="hypotheses")
    for width, (x, y), name in zip(widths, ((3, 0), (0, 3)), ("B2", "B1"), strict=True):
        ball.add_patch(plt.Circle((x, y), 6 * np.sin(width / 2), fill=False))
        ball.annotate(name, (x, y))
    ball.set_aspect("equal")
    ball.set_title("IV.2: equal margins, unequal balls", loc="left")
    ball.legend(fontsize=7)
    off = found["nearest"] - found["angle"]
    print(f"IV.1: codebook vector {off:+.3f} from w, region ±{found['half_width']:.3f}")
    print(f"IV.2: ±{widths[0]:.3f} and ±{widths[1]:.3f}")


def draw_rates(matching, bounds):
    """III.15 and III.22."""
    sizes = np.array((25, 50, 100, 200, 400))
    costs = matching_costs()
    for d, row in zip((1, 2, 3, 5), costs, strict=True):
        line = matching.loglog(sizes, row, "o", label=f"d = {d}")[0]
        rate = np.array([cube_rate(n, d) for n in sizes])
        matching.loglog(sizes, rate * row[-1] / rate[-1], color=line.get_color(), lw=0.8)
        print(f"III.15, d = {d}: cost / rate", (row / rate).round(3))
    matching.set_title("III.15: matching two samples, and the rates", loc="left")
    matching.set_xticks(sizes, [str(n) for n in sizes])
    matching.minorticks_off()
    matching.legend(fontsize=8)
    found = complexities()
    for row, label in zip(found, ("random signs followed", "bound", "as printed"), strict=True):
        bounds.loglog(SIZES, row, "o-", ms=3, label=label)
    bounds.set_title("III.22 over n, Λ = 1 on [0, 1]", loc="left")
    bounds.legend(fontsize=8)
    print("III.22:", found.round(4).tolist())


def draw_criteria(coefficients, others, parts, shapes):
    """IV.3 to IV.6."""
    found = criteria_on_twonorm()
    for ax, codes in ((coefficients, ("C1", "C2", "C3", "C4", "C5", "test")),
                      (others, ("C2", "C3", "span", "rm", "trace", "cs", "test"))):  # fmt: skip
        for code in codes:
            style = "k--" if code == "test" else "o-"
            ax.semilogx(found.costs, found.per_cost(code), style, ms=3, label=code)
        ax.legend(fontsize=7)
        ax.set_xlabel("C")
    coefficients.set_title("IV.3: test error of the coefficients' widths", loc="left", fontsize=10)
    others.set_title("IV.4: beside the other criteria", loc="left", fontsize=10)
    for name, values in parts_of_c3(found).items():
        parts.semilogx(found.costs, values, "o-", ms=3, label=name)
    parts.legend(fontsize=7)
    parts.set_title("IV.5: bits per row of C3, by part", loc="left", fontsize=10)
    for code in ("C2", "C3", "span", "trace", "cs"):
        curve = found.values[code][:, :, 2].mean(axis=0)  # infinite where all rows support
        known = np.isfinite(curve)
        scaled = (curve[known] - curve[known].min()) / np.ptp(curve[known])
        shapes.semilogx(found.sigmas[known], scaled, label=code)
    shapes.semilogx(found.sigmas, found.test[:, :, 2].mean(axis=0) * 2, "k--", label="test × 2")
    shapes.legend(fontsize=7)
    shapes.set_title("IV.6: shapes over σ at C = 100, each on [0, 1]", loc="left", fontsize=10)
    print(
        "twonorm, mean excess:", {c: round(float(found.excess(c).mean()), 3) for c in found.values}
    )


def main(folder):
    figure, axes = plt.subplots(3, 3, figsize=(15, 13), layout="constrained")
    draw_regions(axes[0, 0], axes[0, 1], axes[0, 2])
    draw_rates(axes[1, 0], axes[1, 1])
    draw_criteria(axes[1, 2], axes[2, 0], axes[2, 1], axes[2, 2])
    figure.savefig(folder / "thesis_figures.png", dpi=75)
    print(f"drawn: {folder / 'thesis_figures.png'}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
