"""What a model of strings looks at: substrings or words, and places."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from mercer._clean import clean
from mercer.kernels import contributions
from mercer.kernels.sequences.bag_of_words import BagOfWords
from mercer.kernels.sequences.mismatch import Mismatch
from mercer.kernels.sequences.spectrum import Spectrum, Substring
from mercer.kernels.sequences.weighted_degree import WeightedDegree
from mercer.report._blocks import Block, Picture, Table, Text
from mercer.report._section import Absent, Section
from mercer.report._source import Source
from mercer.report._svg import SHAPES, Chart
from mercer.report._text import number

_SHOWN = 12  # substrings per class
_LOOKED_AT = 200  # sequences whose substrings are weighed
_PIECES = 20_000
_KERNELS = (Spectrum, Substring, Mismatch, BagOfWords)


class LettersSection(Section):
    """Which letters decide?"""

    key, title, order = "letters", "Which letters decide", 45

    def collect(self, source: Source, done: Mapping[str, Any]) -> dict[str, Any]:
        """Weights of substrings or words, or mean shares by place."""
        fitted = source.machine
        kernel = getattr(fitted, "kernel_", None)
        if source.train is None or not isinstance(kernel, (*_KERNELS, WeightedDegree)):
            raise Absent("only for kernels of substrings or words")
        if len(getattr(fitted, "classes_", ())) != 2 or not hasattr(fitted, "dual_coef_"):
            raise Absent("substrings are weighed for two classes: train one class against the rest")
        part = source.train.some(_LOOKED_AT)
        texts = [thing for thing in part.X if isinstance(thing, str)]
        if len(texts) < len(part.X):
            raise Absent("the rows are not strings")
        found = {"classes": [str(label) for label in source.labels()]}
        if isinstance(kernel, WeightedDegree):
            return found | _places(fitted, kernel, texts, np.asarray(part.y))
        return found | _pieces(fitted, kernel, texts)

    def blocks(self, data: Mapping[str, Any]) -> Iterator[Block]:
        """A table of substrings, or curves over the places."""
        low, high = (clean(c, 40) for c in data["classes"])
        if "shares" in data:
            yield Picture([_draw(data)], (
                f"Mean share of each place in the output, over training sequences. Above 0 it "
                f"speaks for {high}, below for {low}."
            ))  # fmt: skip
            return
        yield Text(
            f"The {data['what']} with the largest weights, of those that occur in the training "
            "sequences: what a sequence holding nothing else would score. They show what the model "
            "uses, not what causes the class; overlapping ones are often one motif."
        )
        rows = [
            [clean(a, 40), number(u), clean(b, 40), number(v)]
            for (a, u), (b, v) in zip(data["low"], data["high"], strict=False)
        ]
        head = [f"for {low}", "weight", f"for {high}", "weight"]
        yield Table(head, rows, numbers=frozenset({1, 3}))


def _pieces(fitted: Any, kernel: Any, texts: list[str]) -> dict[str, Any]:
    pieces: Counter[str] = Counter()
    for text in texts:
        if isinstance(kernel, BagOfWords):
            pieces.update(kernel._tokens(text))
        else:
            size = int(kernel.length)
            pieces.update(text[i : i + size] for i in range(len(text) - size + 1))
    chosen = [piece for piece, _ in pieces.most_common(_PIECES)]
    if len(chosen) < 2:
        raise Absent("the training sequences are too short to hold anything that is counted")
    alone = fitted.decision_function(chosen) - float(np.ravel(fitted.intercept_)[0])
    order = np.argsort(alone, kind="stable")
    few = min(_SHOWN, len(chosen) // 2)
    words = "words" if isinstance(kernel, BagOfWords) else f"substrings of {kernel.length} symbols"
    return {
        "what": words,
        "low": [[chosen[i], float(alone[i])] for i in order[:few]],
        "high": [[chosen[i], float(alone[i])] for i in order[::-1][:few]],
    }


def _places(fitted: Any, kernel: Any, texts: list[str], y: Any) -> dict[str, Any]:
    length = len(texts[0])
    if any(len(text) != length for text in texts):
        raise Absent("sequences of different lengths have no common places")
    coef = np.ravel(fitted.dual_coef_)
    all_shares = np.array([contributions(kernel, fitted.support_vectors_, coef, t) for t in texts])
    labels = np.unique(y)
    return {"shares": [all_shares[y == label].mean(axis=0).tolist() for label in labels]}


def _draw(data: Mapping[str, Any]) -> Chart:
    shares = np.asarray(data["shares"])
    places = np.arange(1, shares.shape[1] + 1)
    room = 0.05 * max(float(np.ptp(shares)), 1e-12)
    limits = (float(shares.min()) - room, float(shares.max()) + room)
    chart = Chart("Share of each place in the output.", (0.5, places[-1] + 0.5), limits, height=280)
    chart.axis_y("mean share")
    chart.horizontal(0.0)
    for k, (name, row) in enumerate(zip(data["classes"], shares, strict=False)):
        chart.line(places.tolist(), row.tolist(), f"c{k} thick")
        legend = 0.76 * places[-1]
        height = limits[1] - (0.05 + 0.08 * k) * (limits[1] - limits[0])
        chart.mark(legend, height, f"c{k}", SHAPES[k])
        chart.words(chart.px(legend) + 9, chart.py(height) + 4, clean(name, 24), "small")
    chart.axis_x("place in the sequence")
    return chart
