"""Rows that are almost equal: copies with a little noise, or the same thing measured again.

Only columns that hardly ever repeat can say so; in all others the two rows must be equal, or else
two rows that are close in one of two columns would look like copies. Around a row of a law with a
density in D dimensions, the ratio of its nearest distance to its k-th has (ratio)^D ~ Beta(1, k−1),
whatever the density: tiny ratios are rare. Two things must speak against chance:

- there are more tiny ratios than D allows, which is read off the k-th and the 2k-th distances,
  lowered, and never above the number of columns;
- their number hardly grows where the limit is raised. Without copies it grows at least with the
  root of the limit, however uneven the law is at small distances.

Where every column by itself is such that its values lie close together (whole numbers with a small
error, say), and for rows in tight small clusters, the labels decide, as they do for copies.
"""

from __future__ import annotations

import re
from typing import ClassVar

import numpy as np
from scipy.sparse import coo_array, csgraph

from mercer._marks import row_marks
from mercer.certification.checks.around import NEIGHBOURS, Around
from mercer.certification.checks.case import FEW, MOST_ROWS, Case, Index, standard
from mercer.certification.checks.check import Floats, few_columns
from mercer.certification.checks.copies import agreement_p, repeats
from mercer.certification.checks.finding import FIRST_LINE, Finding
from mercer.certification.checks.inspection import Inspection
from mercer.certification.checks.neighbors import sample

_FEWEST = 80  # rows below which the 2k-th neighbour is no neighbour
_WORTH = 0.01  # p-values above are not worth a second look
_JOINED = 5000  # rows among which all pairs are looked for
_EQUAL, _TIGHT = "almost equal to an earlier one", "in small clusters whose labels agree"
_NO_LETTERS = re.compile(r"[\W\d_]+")


class NearCopies(Inspection):
    """Distances with an atom near zero."""

    name: ClassVar[str] = "near copies"

    def look(self, case: Case) -> list[Finding]:
        """Of rows that differ; equal ones are the matter of another check."""
        if _are_texts(case):
            return self._typed_again(case)
        if not case.continuous:
            return []
        table = np.column_stack([np.asarray(case.columns[j]) for j in case.fine])
        rows = case.firsts[np.isfinite(table[case.firsts]).all(axis=1)]
        if len(rows) < _FEWEST:
            return []
        rows = rows[sample(len(rows), MOST_ROWS)]
        points, kind = few_columns(standard(table[rows]))[0], _rest(case)[rows]
        asked = sample(len(rows))
        around = Around(points, kind, asked, kind[asked])
        for words in (_EQUAL, _TIGHT):
            limit, p = around.pairs() if words == _EQUAL else around.clusters()
            if p > _WORTH or around.close(limit).any(axis=1).mean() <= FEW:
                continue
            if len(around.asked) < len(rows) <= _JOINED:
                around = Around(points, kind, np.arange(len(rows)), kind)
                limit, p = around.pairs() if words == _EQUAL else around.clusters()
            found = self._tell(case, around, rows, limit, p, words)
            if found:
                return found
        return []

    def _tell(
        self, case: Case, around: Around, rows: Index, limit: float, p: float, words: str
    ) -> list[Finding]:
        close = around.close(limit)
        together, again = None, round(float(close.any(axis=1).mean()) * case.n)
        if len(around.asked) == len(rows):
            one, place = np.nonzero(close)
            together = _joined(case, rows[one], rows[around.number[one, place]])
            again = repeats(case, together)
        if words == _TIGHT or around.by_nature(limit):
            if together is None:
                return []
            p = agreement_p(case, together)
        if together is not None and self._few(case, together):
            return []
        text = f"{again} of {case.n} rows are {words} (pass groups= if they belong together)"
        return [Finding(self.name, FIRST_LINE, text, p, together=together)]

    def _few(self, case: Case, together: Index) -> bool:
        return repeats(case, together) - repeats(case, case.cells) <= FEW * case.n

    def _typed_again(self, case: Case) -> list[Finding]:
        """Texts that differ in blanks and capitals only, or also in digits: a ticket's number."""
        found = []
        for bare, but in ((_typed, "blanks and capitals"), (_letters, "blanks, signs and digits")):
            marks = row_marks([bare(text) for text in case.X])
            together = np.unique(marks, return_inverse=True)[1].ravel()
            if self._few(case, together):
                continue
            words = f"{repeats(case, together)} of {case.n} texts are copies but for {but}"
            p = min(1.0, 2.0 * agreement_p(case, together))
            found.append(Finding(self.name, FIRST_LINE, words, p, together=together))
        return [min(found, key=lambda finding: finding.p_value or 0.0)] if found else []


def _rest(case: Case) -> Index:
    """Rows that are equal but for the columns that hardly ever repeat have equal numbers."""
    marks = case.cell_sum
    for j in case.fine:
        marks = marks - case.cell_marks[j]
    return np.unique(marks, return_inverse=True)[1].ravel()


def _typed(text: str) -> str:
    return " ".join(text.split()).casefold()


def _letters(text: str) -> str:
    """The letters of a text; the text itself if it has few."""
    letters = _typed(_NO_LETTERS.sub(" ", text))
    return letters if 2 * len(letters) >= len(text) else _typed(text)


def _are_texts(case: Case) -> bool:
    return len(case.shape) == 1 and all(isinstance(text, str) for text in case.X)


def close_to(fresh: Floats, old: Floats) -> tuple[int, float]:
    """Fresh rows almost equal to an old one, and how likely so many are by chance."""
    if len(old) < NEIGHBOURS:
        return 0, 1.0
    case = Case(np.concatenate([old, fresh]))
    if not case.continuous:
        return 0, 1.0
    points, kind = standard(case.X[:, case.fine]), _rest(case)
    known, asked = sample(len(old), MOST_ROWS), len(old) + sample(len(fresh))
    around = Around(points[known], kind[known], points[asked], kind[asked])
    limit, p = around.pairs()
    count = int(np.count_nonzero(around.ratio() <= limit))
    return round(count * len(fresh) / len(asked)), p


def _joined(case: Case, some: Index, others: Index) -> Index:
    """Cells, those of joined rows made one."""
    a, b = case.cells[some], case.cells[others]
    count = len(case.firsts)
    graph = coo_array((np.ones(len(a)), (a, b)), shape=(count, count))
    return csgraph.connected_components(graph, directed=False)[1][case.cells]
