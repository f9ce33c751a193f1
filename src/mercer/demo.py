"""A first look: ``python -m mercer.demo`` learns from a real file, certifies and reports.

``--tour`` goes on with pictures and comparisons, ``--lab`` opens the lab on the same file instead.
Everything it says is also written to
``demo-output/summary.txt``.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from mercer import SVC, datasets
from mercer.certification import certified_fit
from mercer.plots import (
    CertificateDisplay,
    DecisionRegionDisplay,
    GramDisplay,
    MarginDistributionDisplay,
)

PICTURES = ("certificates.png", "margins.png", "gram.png", "moons.png", "penguins.png")
HEADS = {"fit": 12, "predict": 12, "support": 10, "test acc.": 11, "dual objective": 18}


class Page:
    """Writes lines to the terminal and keeps them for the file."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.lines: list[str] = []

    def __call__(self, line: str = "") -> None:
        """Write one line."""
        self.lines.append(line)
        self.stream.write(line + "\n")
        self.stream.flush()

    def title(self, text: str) -> None:
        """Write an underlined heading."""
        self("")
        self(text)
        self("─" * len(text))

    def fact(self, name: str, value: str) -> None:
        """Write a name and a value in two columns."""
        self(f"  {name:<22} {value}")


def best_time(task: Callable[[], Any], seconds: float = 0.3) -> tuple[Any, float]:
    """Result and quickest of the runs that fit into ``seconds`` (at least one)."""
    best, spent, result = np.inf, 0.0, None
    while spent < seconds:
        start = time.perf_counter()
        result = task()
        took = time.perf_counter() - start
        best, spent = min(best, took), spent + took
    return result, best


def dual_objective(kernel: Any, model: Any) -> float:
    """½ b'Kb - sum |b| of a two-class machine, computed alike for both libraries."""
    beta = np.asarray(model.dual_coef_, dtype=float).ravel()
    points = model.support_vectors_
    return float(0.5 * beta @ kernel.matmul(points, points, beta[:, None])[:, 0] - abs(beta).sum())


def compare(page: Page, train: tuple[Any, ...], test: tuple[Any, ...], **options: Any) -> SVC:
    """Fit Mercer's and scikit-learn's SVC on the same data and set their numbers side by side."""
    from sklearn.svm import SVC as Peer

    SVC(**options).fit(train[0][:50], train[1][:50])  # load the code before the clock starts
    rows = []
    kernel: Any = None
    for name, maker in (("Mercer", SVC), ("scikit-learn", Peer)):
        model, took = best_time(partial(maker(**options).fit, *train))
        kernel = kernel or model.kernel_
        _, asked = best_time(partial(model.predict, test[0]), 0.1)
        rows.append((name, model, took, asked, dual_objective(kernel, model)))
    heads = (f"{head:>{wide}}" for head, wide in HEADS.items())
    page(f"  {'':<14}{''.join(heads)}")
    for name, model, took, asked, value in rows:
        accuracy = np.mean(model.predict(test[0]) == test[1])
        page(
            f"  {name:<14}{1e3 * took:>9.2f} ms{1e3 * asked:>9.2f} ms{len(model.support_):>10}"
            f"{accuracy:>11.2%}{value:>18.6f}"
        )
    (_, mine, fit, ask, _), (_, _, peer_fit, peer_ask, _) = rows
    page(f"  Mercer fits {peer_fit / fit:.1f}× and predicts {peer_ask / ask:.1f}× as fast here.")
    return mine


def real_data(page: Page, folder: Path) -> None:
    """Breast cancer: a comparison, the anatomy of the machine, two pictures."""
    from sklearn.model_selection import train_test_split
    from sklearn.preprocessing import StandardScaler

    table = datasets.load_breast_cancer()
    names = np.array(table.class_names)[table.y]
    X, X_test, y, y_test = train_test_split(
        table.X, names, test_size=0.3, random_state=0, stratify=names
    )
    scale = StandardScaler().fit(X)
    X, X_test = scale.transform(X), scale.transform(X_test)
    page.title("Real data: is the tumour malignant?")
    page.fact("data", f"{table.name}, {table.source}")
    page.fact(
        "examples", f"{len(X)} to learn from, {len(X_test)} to test on, {X.shape[1]} numbers each"
    )
    model = compare(page, (X, y), (X_test, y_test), C=1.0, gamma="scale")
    page("")
    page.fact("kernel", str(model.kernel_))
    for line in model.diagnostics_.summary().splitlines():
        page(f"  {line.strip()}")
    save(
        MarginDistributionDisplay.from_estimator(
            model, X, y, title="Breast cancer: how far from the border is each biopsy?"
        ),
        folder / "margins.png",
    )
    save(
        GramDisplay.from_estimator(
            model, X, y, spectrum=True, title="Breast cancer: what the kernel sees"
        ),
        folder / "gram.png",
    )


def known_law(page: Page, folder: Path) -> None:
    """Two moons: the best possible error is known, so the machine's own can be judged."""
    X, y, law = datasets.make_moons(8000, scale=0.3, noise=0.02, random_state=0)
    X_test, y_test = law.sample(8000, random_state=1)
    page.title("A law whose best possible error is known: two moons")
    page.fact("examples", "8000 to learn from, 8000 to test on; 2 % of the labels are flipped")
    model = compare(page, (X, y), (X_test, y_test), C=1.0, gamma=1.0)
    page.fact("error of the machine", f"{law.risk(model.predict, n=100_000):.2%}")
    page.fact("nobody can beat", f"{law.bayes_risk:.2%}  (Bayes risk, by integration)")
    X, y, _ = datasets.make_moons(220, scale=0.25, random_state=3)
    small = SVC(C=2.0, gamma=1.0).fit(X, y)
    save(
        DecisionRegionDisplay.from_estimator(
            small, X, y, title="Two moons: the line, its margins, and the points that hold it"
        ),
        folder / "moons.png",
    )


def several_classes(page: Page, folder: Path) -> None:
    """Penguins: three classes, a pipeline, and a map."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    table = datasets.load_penguins()
    X, y = table.X[:, :2], np.array(table.class_names)[table.y]
    model = make_pipeline(StandardScaler(), SVC(gamma=0.5)).fit(X, y)
    page.title("Several classes: penguins by their bills")
    page.fact("examples", f"{len(X)} birds ({len(table.left_out)} were never measured)")
    page.fact("right on these birds", f"{model.score(X, y):.1%}")
    save(
        DecisionRegionDisplay.from_estimator(
            model,
            X,
            y,
            feature_names=("bill length, mm", "bill depth, mm"),
            title="Penguins: which species has such a bill?",
        ),
        folder / "penguins.png",
    )


def certificates(page: Page, folder: Path) -> None:
    """How wrong can it be? On real data, and on a law whose answer is known."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    table = datasets.load_breast_cancer()
    machine = make_pipeline(StandardScaler(), SVC(C=1.0, gamma="scale"))
    model: Any = certified_fit(machine, table.X, table.y, random_state=0)
    page.title("Certificates: how wrong can it be?")
    page(f"  {model.certificate_}.")
    for line in str(model.certification_).splitlines():
        page(f"  {line}")
    page("")
    page("  All rows for training, and a bound without any other rows, is dearer:")
    in_sample = certified_fit(machine, table.X, table.y, mode="in-sample", random_state=0)
    list_certificates(page, in_sample.certificates_)

    X, y, law = datasets.make_twonorm(1000, random_state=0)
    model = certified_fit(SVC(C=1.0, gamma=0.02), X, y, random_state=0, compare=True)
    truth, bar = law.risk(model.predict, n=100_000), model.certification_.comparison["value"]
    page("")
    page("  On 1000 rows of twonorm, a law whose every error rate can be computed:")
    page.fact("certificate (auto)", f"at most {model.certificate_.value:.2%}")
    page.fact("the truth", f"{truth:.2%}  (nobody can beat {law.bayes_risk:.2%})")
    page.fact("plain 80/20 split", f"at most {bar:.2%}")
    save(
        CertificateDisplay.from_estimator(
            model, truth=truth, bar=bar, title="Twonorm, 1000 rows: how wrong can it be?"
        ),
        folder / "certificates.png",
    )


def list_certificates(page: Page, found: dict[str, Any]) -> None:
    """Bounds first, the tightest on top; what they leave out is said once, below."""
    for c in sorted(found.values(), key=lambda c: (c.kind == "estimate", c.unclipped)):
        sign = "≈" if c.kind == "estimate" else "≤"
        about = ", of a randomised classifier" if c.classifier == "gibbs" else ""
        page(
            f"    {sign} {c.value:>6.1%}  {c.title.removesuffix(', randomised classifier')}{about}"
        )
    missed = sorted({choice.what for c in found.values() for choice in c.uncovered})
    if missed:
        page(f"    ≤ bound, ≈ estimate without guarantee. Not covered: {' and '.join(missed)},")
        page("    which were read off the same rows. The certificate above covers them.")


def main_job(page: Page, folder: Path) -> None:
    """What the command ``mercer fit`` does with a file of penguins: gaps, names, numbers."""
    from contextlib import redirect_stdout
    from importlib import resources
    from io import StringIO

    from mercer.cli import main as command

    with resources.as_file(resources.files("mercer.datasets") / "data/penguins.csv") as path:
        page.title("From a file to a certified model")
        page(f"  $ mercer fit penguins.csv --target species --output {folder}")
        page("")
        said = StringIO()
        with redirect_stdout(said):
            code = command(["fit", str(path), "--target", "species", "--output", str(folder)])
    if code:
        raise RuntimeError(f"mercer fit ended with code {code}")
    for line in said.getvalue().splitlines():
        page(f"  {line}".rstrip())
    page.title("Where to look")
    page.fact("the report, in a browser", str(folder / "report.html"))
    page.fact("the certificate", str(folder / "certificate.json"))
    page.fact("the same run again", f"mercer fit --config {folder / 'run.toml'}")


def open_lab(folder: Path) -> int:
    """The lab, in a folder with the penguins in it."""
    from importlib import resources

    from mercer.lab.address import Address
    from mercer.lab.serve import serve

    folder.mkdir(parents=True, exist_ok=True)
    bundled = resources.files("mercer.datasets") / "data/penguins.csv"
    (folder / "penguins.csv").write_bytes(bundled.read_bytes())
    serve(Address(folder=folder, data=folder / "penguins.csv"))
    return 0


def save(display: Any, path: Path) -> None:
    """Write a picture and forget it."""
    import matplotlib.pyplot as plt

    display.figure_.savefig(path, dpi=120)
    plt.close(display.figure_)


def main(arguments: list[str] | None = None, stream: TextIO | None = None) -> int:
    """Run the demonstration."""
    parser = argparse.ArgumentParser(prog="mercer.demo", description=__doc__)
    parser.add_argument(
        "--output", type=Path, default=Path("demo-output"), help="folder to write to"
    )
    parser.add_argument("--tour", action="store_true", help="go on with comparisons and pictures")
    parser.add_argument("--lab", action="store_true", help="open the lab on bundled data instead")
    options = parser.parse_args(arguments)
    folder: Path = options.output
    if options.lab:
        return open_lab(folder)
    import matplotlib

    matplotlib.use("Agg")
    from mercer import __version__

    folder.mkdir(parents=True, exist_ok=True)
    page = Page(stream or sys.stdout)
    page(f"Mercer {__version__}: kernel machines that come with a guarantee")
    main_job(page, folder)
    if options.tour:
        for part in (real_data, certificates, known_law, several_classes):
            part(page, folder)
        page.title("Pictures")
        for picture in PICTURES:
            page(f"  {folder / picture}")
    (folder / "summary.txt").write_text("\n".join(page.lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
