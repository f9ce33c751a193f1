"""``mercer inspect`` for a matrix of pairs: is it a metric, is it a kernel, what repairs it?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer import metrics
from mercer.app.roles import number_matrix
from mercer.metrics import Repaired
from mercer.tables.dataset import TEXT, Dataset

Floats = NDArray[np.float64]
TRIPLES = 400  # rows among which the triangle inequality is checked completely
SPECTRUM = 3000
REPAIRS = 500  # rows up to which repairs are tried out: Cailliez takes eigenvalues of twice as many
AGREE = 0.9  # share of pairs that must be equal in both directions for a guess


def guess_kind(data: Dataset) -> str | None:
    """Whether a square table of numbers looks like distances or like kernel values."""
    columns = data.columns
    if data.matrix is not None:
        matrix = data.matrix if isinstance(data.matrix, np.ndarray) else None
    elif len(columns) == data.n > 2 and all(c.kind != TEXT for c in columns):
        matrix = np.column_stack([c.values for c in columns])
    else:
        matrix = None
    if matrix is None or matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or len(matrix) < 3:
        return None
    if matrix.dtype.kind not in "fiub":
        return None
    both = np.isclose(matrix, matrix.T, rtol=1e-8, equal_nan=True)[np.triu_indices(len(matrix), 1)]
    if both.mean() < AGREE:
        return None
    diagonal = np.diagonal(matrix)
    if np.all(diagonal == 0):
        return "distance"
    return "kernel" if np.mean(diagonal > 0) > 0.5 else None


def inspect_matrix(
    data: Dataset, kind: str, *, guessed: bool = False
) -> tuple[dict[str, Any], list[str]]:
    """Is it a kernel, or a metric, and how much is in it?"""
    matrix = number_matrix(data, kind)
    n = len(matrix)
    document: dict[str, Any] = {"kind": kind, "rows": n, "guessed": guessed}
    lines = [f"{kind} matrix of {n} x {n}"]
    if guessed:
        lines[0] += " by its looks (--precomputed kernel or distance, if not)"
    part = matrix
    if n > SPECTRUM:
        pick = np.linspace(0, n - 1, SPECTRUM).astype(np.intp)
        part = matrix[np.ix_(pick, pick)]
        lines.append(f"looked at: {SPECTRUM} of the rows, evenly spread")
    facts = kernel_facts if kind == "kernel" else distance_facts
    document |= facts(part, lines)
    return document, lines


def axiom_lines(axioms: Any) -> Iterator[str]:
    """One line each; rows are counted from 1, as in the file."""
    for axiom in axioms:
        line = f"  {axiom.code} {'yes' if axiom.holds else 'NO '}  {axiom.statement}"
        if not axiom.holds:
            line += f": off by {abs(axiom.worst):.4g}" if axiom.worst else ""
            if axiom.place:
                rows = dict.fromkeys(i + 1 for i in axiom.place)
                line += f" at row{'s' if len(rows) > 1 else ''} " + ", ".join(map(str, rows))
            line += f" ({axiom.count:,} violations)" if axiom.count else ""
        yield line


def kernel_facts(K: Floats, lines: list[str]) -> dict[str, Any]:
    """Positive semi-definite? Effective rank? Equal rows?"""
    found = metrics.similarity_report(K)
    values = np.linalg.eigvalsh((K + K.T) / 2.0)
    tolerance = 10 * len(K) * np.finfo(float).eps * max(abs(values[0]), abs(values[-1]))
    positive = values[values > tolerance]
    total = float(positive.sum())
    rank = total**2 / float(np.sum(positive**2)) if len(positive) else 0.0
    needed = int(np.searchsorted(np.cumsum(positive[::-1]), 0.99 * total) + 1) if total else 0
    twins = int(len(K) - len(np.unique(K.round(12), axis=0)))
    facts = {
        "psd": found["S4"].holds, "smallest": float(values[0]), "largest": float(values[-1]),
        "effective_rank": rank, "rank_99": needed, "equal_rows": twins, "report": found.to_dict(),
    }  # fmt: skip
    lines += axiom_lines(found.axioms)
    lines.append(
        f"positive semi-definite: {'yes' if found['S4'].holds else 'NO'} (smallest eigenvalue "
        f"{values[0]:.3g}, largest {values[-1]:.3g})"
    )
    if not found["S4"].holds:
        negative = float(-values[values < -tolerance].sum())
        share = negative / (negative + total)
        facts["negative_share"] = share
        lines.append(
            f"negative eigenvalues carry {100 * share:.2g} % of the spectrum: not a kernel; "
            f"adding {-values[0]:.4g} to the diagonal makes it one, or learn on distances instead"
        )
    lines.append(f"effective rank {rank:.1f}; {needed} directions carry 99 % of the trace")
    lines.append(f"rows equal to an earlier one: {twins}")
    return facts


def distance_facts(D: Floats, lines: list[str]) -> dict[str, Any]:
    """A metric? Of negative type, so that Gaussians of it are kernels? And what would repair it?"""
    n = len(D)
    found = metrics.report(D, max_rows=TRIPLES)
    holds = {axiom.code: axiom.holds for axiom in found.axioms}
    sound = all(holds[code] for code in ("D1", "D2", "D3", "D5"))
    said = "yes" if found.is_metric else "almost: different rows at distance 0" if sound else "NO"
    facts: dict[str, Any] = {
        "metric": found.is_metric,
        "pseudometric": sound,
        "diagonal": float(np.max(np.abs(np.diag(D)))),
        "zero_pairs": found["D4"].count,
        "triangle_violation": found["D5"].worst,
    }
    lines.append(f"metric: {said} ({found.kind}, diameter {found.diameter:.4g})")
    lines += axiom_lines(found.axioms)
    if found["D5"].place:
        a, b, c = (v + 1 for v in found["D5"].place)
        lines.append(f"  triangle inequality fails by up to {found['D5'].worst:.3g}: d({a},{c}) > "
                     f"d({a},{b}) + d({b},{c})")  # fmt: skip
    centre, both = np.eye(n) - 1.0 / n, (D + D.T) / 2.0
    if not holds["D3"]:
        lines.append("what follows is about the mean of both directions")
    for power, name in ((1.0, "distance"), (2.0, "squared distance")):
        values = np.linalg.eigvalsh(-0.5 * centre @ np.abs(both) ** power @ centre)
        good = bool(values[0] >= -1e-9 * max(abs(values[-1]), 1e-300) * n) and holds["D2"]
        facts[f"negative_type_{int(power)}"] = good
        lines.append(f"{name} of negative type: {'yes' if good else 'NO'} "
                     f"(smallest eigenvalue {values[0]:.3g})")  # fmt: skip
    shape = np.sort(np.abs(values))[::-1]
    if facts["negative_type_2"]:
        lines.append("so the rows are points of a Euclidean space, and exp(-d²/2l²) is a kernel")
    elif facts["negative_type_1"]:
        lines.append("so exp(-d/l) is a kernel for every l")
    p, q = found.signature
    two = 100 * shape[:2].sum() / max(float(shape.sum()), 1e-300)
    lines.append(
        f"embeds in {p} positive and {q} negative directions; the first two carry {two:.0f} % of "
        "the spectrum"
    )
    facts["report"] = found.to_dict()
    facts["repairs"] = []
    tried = list(repairs(D, holds, found.euclidean)) if n <= REPAIRS else []
    if tried:
        lines.append("repairs (mercer.metrics), with the smallest constant that does it:")
    for name, result in tried:
        facts["repairs"].append({"name": name, "constant": result.constant,
                                 "after": result.after.kind})  # fmt: skip
        used = "" if result.constant is None else f", constant {result.constant:.4g}"
        if result.matrix.shape == D.shape:
            moved = float(np.max(np.abs(result.matrix - D)))
            used += f", moves a distance by up to {moved:.4g}"
        else:
            used += f", {n} objects become {len(result.matrix)}"
        lines.append(f"  {name + '(D)':24} {result.after.kind}{used}")
    if not tried:
        lines += [f"repair (mercer.metrics): {hint}" for hint in found.advice()]
    return facts


def repairs(D: Floats, holds: dict[str, bool], euclidean: bool) -> Iterator[tuple[str, Repaired]]:
    """Those that change something."""
    if not holds["D2"]:
        return  # a negative entry is no distance of any kind: nothing here is meant for it
    if not (holds["D3"] and holds["D1"]):
        step = metrics.symmetrise(D)
        yield "symmetrise", step
        D = step.matrix
        holds = {axiom.code: axiom.holds for axiom in step.after.axioms}
        euclidean = step.after.euclidean
    if not holds["D4"]:
        yield "merge_zero_distances", metrics.merge_zero_distances(D)
    if not holds["D5"]:
        yield "shortest_paths", metrics.shortest_paths(D)
        yield "additive_constant", metrics.additive_constant(D)
    if not euclidean:
        yield "lingoes", metrics.lingoes(D)
        yield "cailliez", metrics.cailliez(D)
