"""Results as text: one line, a Markdown page, the bars of the project and whether they are met."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Results = dict[str, dict[str, Any]]


def one_line(result: dict[str, Any]) -> str:
    if "train_wall" not in result:
        return result.get("skipped") or result.get("failed") or "no result"
    return (
        f"train {result['train_wall']:9.4f} s (cpu {result['train_cpu']:9.4f})  "
        f"predict {result['predict_wall']:8.4f} s  peak {result['memory_peak_mb']:6.0f} MB  "
        f"nSV {result['support_vectors']:6d}  objective {result['objective']:.6g}  "
        f"score {result['score']:.4f}  load {result['load']:.1f}"
    )


NOISY = 0.25  # repeats that differ by more, relative to the quickest, say more about the machine


def spread(result: dict[str, Any], key: str = "train_wall") -> float:
    """How far the repeats of one measurement lie apart, relative to the quickest; 0 for one."""
    runs = result.get("runs", {}).get(key, [1.0])
    return max(runs) / min(runs) - 1.0


def noisy(results: Results, other: str, key: str = "train_wall") -> bool:
    """Whether repeats of either side differ too much for a ratio."""
    return any(spread(results.get(who, {}), key) > NOISY for who in (other, "mercer"))


def ratio(results: Results, other: str, key: str = "train_wall") -> float | None:
    """How many times longer ``other`` takes than Mercer; None if that was not measured well."""
    try:
        if noisy(results, other, key):
            return None
        return results[other][key] / results["mercer"][key]
    except KeyError:
        return None


def seconds(value: float) -> str:
    return f"{value:.2f}" if value >= 1 else f"{value:.3f}" if value >= 0.01 else f"{value:.5f}"


def case_table(results: Results) -> list[str]:
    lines = [
        "| library | train s | first fit s | cpu s | ×Mercer | predict s | ×Mercer | peak MB | SVs "
        "| dual objective | score |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name, result in results.items():
        if "train_wall" not in result:
            lines.append(f"| {name} | {one_line(result)} | | | | | | | | | |")
            continue
        times = [ratio(results, name, key) for key in ("train_wall", "predict_wall")]
        shown = ["–" if t is None else f"{t:.3g}" for t in times]
        lines.append(
            f"| {name} {result['version']} | {seconds(result['train_wall'])} "
            f"| {seconds(result['train_first_wall'])} "
            f"| {seconds(result['train_cpu'])} | {shown[0]} | {seconds(result['predict_wall'])} "
            f"| {shown[1]} | {result['memory_peak_mb']:.0f} | {result['support_vectors']} "
            f"| {result['objective']:.8g} | {result['score']:.4f} |"
        )
    return lines


@dataclass(frozen=True)
class Bar:
    case: str
    other: str
    target: float
    key: str = "train_wall"

    def row(self, cases: dict[str, Any]) -> str:
        what = "predict" if self.key.startswith("predict") else "train"
        wanted = f"| {self.case} | {what} ≥ {self.target:g}× {self.other} "
        results = cases.get(self.case, {}).get("results", {})
        reached = ratio(results, self.other, self.key)
        if noisy(results, self.other, self.key):
            return f"{wanted}| no ratio: repeats differ by more than {NOISY:.0%} | – |"
        if reached is None:
            return f"{wanted}| not measured | – |"
        if self.key == "train_wall" and not same_optimum(results, self.other):
            return f"{wanted}| {reached:.1f}× | objectives differ by more than 1e-5 |"
        met = "met" if reached >= self.target else f"missed: {reached / self.target:.0%} of it"
        return f"{wanted}| {reached:.1f}× | {met} |"


BARS = (
    Bar("blobs-20k-C1", "sklearn", 20),
    Bar("blobs-20k-C1", "sklearnex-f32", 6),
    Bar("blobs-20k-C100", "sklearn", 10),
    Bar("blobs-20k-C100", "sklearnex-f32", 4),
    Bar("mnist-parity", "sklearnex-f32", 4),
    Bar("mnist-10", "sklearnex-f32", 4),
    Bar("blobs-100k-C1", "sklearnex-f32", 4),
    Bar("blobs-20k-C1", "sklearn", 50, "predict_wall"),
    Bar("prediction", "sklearn", 50, "predict_wall"),
)


def same_optimum(results: Results, other: str, tolerance: float = 1e-5) -> bool:
    """Whether Mercer's objective is as good as the other's, up to ``tolerance`` relative."""
    mine, theirs = results["mercer"]["objective"], results[other]["objective"]
    return mine <= theirs + tolerance * abs(theirs)


def never_slower(cases: dict[str, Any]) -> str:
    ratios = {name: ratio(case["results"], "sklearn") for name, case in cases.items()}
    known = {name: value for name, value in ratios.items() if value is not None}
    if not known:
        return "| all | never slower than sklearn | not measured | – |"
    worst = min(known, key=known.__getitem__)
    met = "met" if known[worst] >= 1 else f"missed on {worst}"
    reached = f"slowest ratio {known[worst]:.2f}× ({worst})"
    return f"| all {len(known)} | never slower than sklearn | {reached} | {met} |"


def memory_row(cases: dict[str, Any]) -> str:
    extra = {}
    for name, case in cases.items():
        mine, theirs = (case["results"].get(who, {}) for who in ("mercer", "sklearn"))
        if "memory_peak_mb" in mine and "memory_peak_mb" in theirs:
            extra[name] = mine["memory_peak_mb"] - theirs["memory_peak_mb"]
    if not extra:
        return "| all | peak memory ≤ sklearn + 200 MB | not measured | – |"
    worst = max(extra, key=extra.__getitem__)
    met = "met" if extra[worst] <= 200 else f"missed on {worst}"
    reached = f"at most {extra[worst]:+.0f} MB ({worst})"
    return f"| all {len(extra)} | peak memory ≤ sklearn + 200 MB | {reached} | {met} |"


def bars(outcome: dict[str, Any]) -> list[str]:
    cases = outcome["cases"]
    head = ["| case | bar | reached | |", "|---|---|---|---|"]
    return [*head, *(bar.row(cases) for bar in BARS), never_slower(cases), memory_row(cases)]


def markdown(outcome: dict[str, Any]) -> str:
    where = outcome["machine"]
    lines = [
        "# Benchmark results",
        "",
        f"Generated by `make bench` on {outcome['started'][:10]}: {where['processor']}, "
        f"{where['cores']} cores, instruction level {where.get('level', 'unknown')} of "
        f"{', '.join(where.get('levels', ['unknown']))}, Python {where['python']}; best of "
        f"{outcome['repeats']} processes per library, alternating. Wall and processor seconds; "
        "×Mercer is how many times longer a library takes than Mercer, and is left out where "
        f"repeats differ by more than {NOISY:.0%}.",
        "",
        "## Bars",
        "",
        *bars(outcome),
    ]
    for case in outcome["cases"].values():
        notes = {r["note"] for r in case["results"].values() if r.get("note")}
        lines += ["", f"## {case['title']}", "", *case_table(case["results"]), *notes]
    return "\n".join(lines) + "\n"
