"""From measurements to a table, and to the bars of the issue."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

LOOSE = ("pac-bayes", "recursive", "vote")
EASY = ("easy", "easy, one model", "transfer, easy", "tube")
BESIDE = ("auto", "transfer")
SPENDING = ("60/40", "50/50", "auto", "auto, tight", "progressive", "compress")
NOISY = 0.10
BAR, ALL_ROWS = "80/20", "all rows"
Draw = Mapping[str, Mapping[str, float]]


def summary(draws: list[Draw]) -> dict[str, dict[str, float]]:
    """Means over the draws, and how often the error was above the certificate."""
    ways = {name for draw in draws for name in draw}
    found = {}
    for name in sorted(ways):
        here = [draw[name] for draw in draws if name in draw]
        value, risk = (np.array([d[key] for d in here]) for key in ("value", "risk"))
        found[name] = {
            "draws": len(here),
            "value": float(value.mean()),
            "bar": _same_draws(draws, name, BAR, "value"),
            "base": _same_draws(draws, name, ALL_ROWS, "risk"),
            "risk": float(risk.mean()),
            "violations": int(np.sum(value < risk)),
            "seconds": float(np.mean([d["seconds"] for d in here])),
        }
        found[name]["ratio_error"] = _jackknife(draws, name)
        if "coverage" in here[0]:
            found[name]["coverage"] = float(np.mean([d["coverage"] for d in here]))
    return found


def _same_draws(draws: list[Draw], name: str, other: str, what: str) -> float:
    """Mean of another way over the draws on which this way was measured."""
    there = [d[other][what] for d in draws if name in d and other in d]
    return float(np.mean(there)) if there else float("nan")


def _jackknife(draws: list[Draw], name: str) -> float:
    """Standard error of mean certificate over mean bar, from leaving out one draw at a time."""
    both = [(d[name]["value"], d[BAR]["value"]) for d in draws if name in d and BAR in d]
    if len(both) < 2:
        return float("nan")
    values = np.array(both)
    without = (values.sum(axis=0) - values) / (len(values) - 1)
    ratios = without[:, 0] / without[:, 1]
    return float(np.sqrt((len(ratios) - 1) * ratios.var()))


def ratio(line: Mapping[str, Any], way: str) -> float:
    """Mean certificate over mean 80/20 bar, same draws."""
    return line["ways"][way]["value"] / line["ways"][way]["bar"]


def cost(line: Mapping[str, Any], way: str) -> float:
    """Error of the certified model over that of the model on all rows."""
    return line["ways"][way]["risk"] / line["ways"][way]["base"]


def geometric(values: Iterable[float]) -> float:
    logs = np.log(list(values))
    return float(np.exp(logs.mean())) if logs.size else np.nan  # a partial run may have no row


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "none drawn"


def best_on_all_rows(line: Mapping[str, Any]) -> tuple[str, float]:
    """The tightest bound about the model trained on all rows, and its ratio to the bar."""
    bounds = [w for w in line["ways"] if w.startswith("bound: ") or w == "transfer"]
    if not line["known"]:  # behind a scaler the in-sample ones do not cover its fit
        bounds = ["transfer"]
    best = min(bounds, key=lambda way: line["ways"][way]["value"])
    return best.removeprefix("bound: "), ratio(line, best)


def bars(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The bars of the issue and what was measured."""
    listed = [line for line in lines if not line["extra"]]
    ratios = {line["label"]: ratio(line, "auto") for line in lines}
    worst = max(ratios, key=lambda label: ratios[label])
    few = [line for line in listed if line["ways"]["all rows"]["risk"] < NOISY]
    over = [f"{line['label']} {ratio(line, 'compress'):.2f}" for line in few if
            ratio(line, "compress") > 1.0]  # fmt: skip
    known = [line for line in lines if line["known"]]
    wrong = sum(line["ways"]["auto"]["violations"] for line in known)
    draws = sum(line["ways"]["auto"]["draws"] for line in known)
    mean = geometric(ratio(line, "auto") for line in listed)
    tight = geometric(ratio(line, "auto, tight") for line in listed)
    risk = geometric(cost(line, "auto") for line in listed)
    everyone = geometric(best_on_all_rows(line)[1] for line in listed)
    real = [line for line in listed if not line["known"]]
    apart = f"{geometric(ratio(line, 'auto') for line in real):.3f}"
    return [
        _bar("auto / 80/20 bar, geometric mean", "<= 0.90", f"{mean:.3f}", mean <= 0.90),
        _bar("the same over the real sets alone, for information", "", apart, None),
        _bar("auto with objective='tight', for information", "", f"{tight:.3f}", None),
        _bar(
            f"auto / bar, worst row ({worst})", "<= 1.06", f"{ratios[worst]:.2f}",
            ratios[worst] <= 1.06,
        ),
        _bar(
            "error of auto's model / model on all rows, geometric mean", "<= 1.10", f"{risk:.3f}",
            risk <= 1.10,
        ),
        _bar(
            "violations of auto where the risk is known", "<= 5 %",
            f"{wrong} of {draws} ({_percent(wrong, draws)})", wrong <= 0.05 * draws,
        ),
        _bar(
            "compress / bar on every row with error < 10 %", "<= 1.00",
            f"geometric mean {geometric(ratio(line, 'compress') for line in few):.3f}"
            + ("" if not over else "; above: " + ", ".join(over)),
            not over,
        ),
        _bar("model on all rows: tightest valid bound / bar, geometric mean", "stated plainly",
             f"{everyone:.2f}", None),
    ]  # fmt: skip


def _bar(what: str, wanted: str, measured: str, met: bool | None) -> dict[str, Any]:
    return {"what": what, "wanted": wanted, "measured": measured, "met": met}


def markdown(result: Mapping[str, Any]) -> str:
    lines = result["rows"]
    return "\n\n".join(
        [
            "# Certificates, measured",
            f"δ = {result['delta']}, {result['machine']}, {result['date']}. Ratios are mean "
            "certificate over mean 80/20 bar on the same draws.",
            _bars_table(result["bars"]),
            "## Certificates that spend rows",
            _spending_table(lines),
            "## Error of the certified model over that of the model on all rows",
            _cost_table(lines),
            "## The model trained on all rows",
            _all_rows_table(lines),
            "## Randomised classifiers and votes",
            "Fewer draws. `pac-bayes` and `recursive` certify a classifier that draws its weights, "
            "`vote` a majority vote; ratios to the 80/20 bar of the same draws.",
            _loose_table(lines),
            "## Easy hold-outs and tubes",
            "Fewer draws. `easy` certifies a mixture of twelve models, `easy, one model` one of "
            "them, `transfer, easy` and `tube` (five anchors, up to 400 rows) the model of all "
            "rows; `transfer` is the one with a plain hold-out. Ratios to the 80/20 bar, all of "
            "the same draws; 1/bar where a way refused.",
            _easy_table(lines),
            "## Abstaining on a tenth",
            _selective_table(lines),
            "## Violations and seconds",
            _violations_table(lines),
            *([_skipped(result["skipped"])] if result["skipped"] else []),
        ]
    ) + "\n"  # fmt: skip


def _grid(head: list[str], body: list[list[str]]) -> str:
    rows = [head, ["---"] * len(head), *body]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def _bars_table(found: list[dict[str, Any]]) -> str:
    word = {True: "met", False: "**missed**", None: ""}
    body = [[b["what"], b["wanted"], b["measured"], word[b["met"]]] for b in found]
    return _grid(["bar", "wanted", "measured", ""], body)


def _spending_table(lines: list[dict[str, Any]]) -> str:
    body = [
        [
            _label(line),
            str(line["ways"]["80/20"]["draws"]),
            f"{line['ways']['all rows']['risk']:.4f}",
            f"{line['ways']['80/20']['value']:.4f}",
            *(f"{ratio(line, way):.2f}" for way in SPENDING),
            *(f"{line['ways'][way]['ratio_error']:.2f}" for way in ("auto", "compress")),
        ]
        for line in lines
    ]
    listed = [line for line in lines if not line["extra"]]
    means = [f"**{geometric(ratio(line, way) for line in listed):.3f}**" for way in SPENDING]
    body.append(["geometric mean (rows without *)", "", "", "", *means, "", ""])
    errors = ["± auto", "± compress"]
    return _grid(["data", "draws", "error, all rows", "80/20 bar", *SPENDING, *errors], body)


def _cost_table(lines: list[dict[str, Any]]) -> str:
    ways = ("80/20", *SPENDING)
    body = [[_label(line), *(f"{cost(line, way):.2f}" for way in ways)] for line in lines]
    listed = [line for line in lines if not line["extra"]]
    means = [f"**{geometric(cost(line, way) for line in listed):.3f}**" for way in ways]
    return _grid(["data", *ways], [*body, ["geometric mean (rows without *)", *means]])


def _all_rows_table(lines: list[dict[str, Any]]) -> str:
    codes = sorted({w for line in lines for w in line["ways"] if ": " in w})
    head = [
        "data",
        "error",
        "80/20 bar",
        "transfer",
        *codes,
        "tightest valid bound",
        "ratio",
        "draws",
    ]
    body = []
    for line in lines:
        ways = line["ways"]
        best, factor = best_on_all_rows(line)
        shown = [f"{ways[c]['value']:.3f}" if c in ways else "" for c in ("transfer", *codes)]
        error, bar = ways["all rows"]["risk"], ways["80/20"]["value"]
        draws = str(ways["transfer" if best == "transfer" else f"bound: {best}"]["draws"])
        numbers = [f"{error:.4f}", f"{bar:.4f}", *shown, best, f"{factor:.2f}", draws]
        body.append([_label(line), *numbers])
    return _grid(head, body)


def _selective_table(lines: list[dict[str, Any]]) -> str:
    body = []
    for line in lines:
        here = line["ways"]["selective"]
        numbers = (line["ways"]["auto"]["value"], here["value"], here["risk"], here["coverage"])
        body.append([_label(line), *(f"{v:.4f}" for v in numbers)])
    return _grid(["data", "auto, no abstention", "limit when accepting", "error", "coverage"], body)


def _loose_table(lines: list[dict[str, Any]]) -> str:
    body = []
    for line in lines:
        here = [line["ways"][way] for way in LOOSE if way in line["ways"]]
        if len(here) == len(LOOSE):
            ratios = [f"{ratio(line, way):.2f}" for way in LOOSE]
            counts = [f"{w['violations']}" if line["known"] else "" for w in here]
            body.append([_label(line), str(here[0]["draws"]), *ratios, *counts])
    violated = [f"violations, {way}" for way in LOOSE]
    return _grid(["data", "draws", *LOOSE, *violated], body)


def _easy_table(lines: list[dict[str, Any]]) -> str:
    ways, body = (*EASY, *BESIDE), []
    made: dict[str, list[float]] = {way: [] for way in ways}
    for line in lines:
        here = line.get("easy")
        if not here:
            continue
        ratios = {way: here[way]["value"] / here[way]["bar"] for way in ways if way in here}
        for way, found in ratios.items():
            if not line["extra"] and (way != "tube" or here[way]["value"] < 1):
                made[way].append(found)
        wrong = sum(here[way]["violations"] for way in EASY if way in here)
        body.append([_label(line), str(here["easy"]["draws"]),
                     *(f"{ratios[way]:.2f}" if way in ratios else "" for way in ways),
                     str(wrong) if line["known"] else ""])  # fmt: skip
    means = [f"**{geometric(made[way]):.3f}**" if made[way] else "" for way in ways]
    body.append(["geometric mean (rows without *)", "", *means, ""])
    return _grid(["data", "draws", *ways, "violations of the first four"], body)


def _violations_table(lines: list[dict[str, Any]]) -> str:
    ways = ("80/20", *SPENDING, "transfer", "selective")
    known = [line for line in lines if line["known"]]
    body = []
    for way in ways:
        wrong = sum(line["ways"][way]["violations"] for line in known)
        draws = sum(line["ways"][way]["draws"] for line in known)
        seconds = [_seconds(lines, way, n) for n in (300, 1000, 3000)]
        body.append([way, f"{wrong} of {draws} ({_percent(wrong, draws)})", *seconds])
    head = ["way", "violations, known risk", "seconds, n = 300", "n = 1000", "n = 3000"]
    return _grid(head, body)


def _seconds(lines: list[dict[str, Any]], way: str, n: int) -> str:
    found = [line["ways"][way]["seconds"] for line in lines if line["n"] == n]
    return f"{np.mean(found):.2f}" if found else ""


def _label(line: Mapping[str, Any]) -> str:
    return line["label"] + (" *" if line["extra"] else "")


def _skipped(reasons: Mapping[str, str]) -> str:
    return "Skipped: " + "; ".join(f"{name} ({why})" for name, why in reasons.items()) + "."
