"""The other commands: predict, certify, compare, inspect, bound, completion, and the frame."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from scipy.stats import binom

from helpers_cli import mercer, mercer_process
from mercer.bounds import available
from mercer.cli._compare_run import by_chance
from mercer.report.advice import at_a_terminal


def table(n, seed, label=True):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 2))
    side = rng.choice(["north", "south"], n)
    y = np.where(x[:, 0] + (side == "north") + 0.2 * rng.normal(size=n) > 0.5, "yes", "no")
    lines = ["a,b,side" + ",y" * label]
    lines += [f"{p:.4f},{q:.4f},{s}" + f",{t}" * label
              for (p, q), s, t in zip(x, side, y, strict=True)]  # fmt: skip
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("fit")
    (place / "data.csv").write_text(table(150, 0))
    (place / "fresh.csv").write_text(table(100, 1))
    (place / "new.csv").write_text(table(30, 2, label=False))
    ran = mercer("fit", place / "data.csv", "-t", "y", "-o", place, "-q", "--kernel", "gaussian",
                 "--certify", "holdout", "--report", "none")  # fmt: skip
    assert ran.code == 0, ran.err
    return place


@pytest.fixture
def model(folder):
    return folder / "model.mercer"


def test_predict_writes_one_line_per_row(model, folder, tmp_path):
    ran = mercer("predict", model, folder / "new.csv")
    lines = ran.out.splitlines()
    assert lines[0] == "row,predicted,p(no),p(yes)"
    assert len(lines) == 31
    for kind in (".csv", ".tsv", ".jsonl", ".parquet"):
        assert mercer("predict", model, folder / "new.csv", "-o", tmp_path / f"o{kind}").code == 0
    rows = [json.loads(line) for line in (tmp_path / "o.jsonl").read_text().splitlines()]
    assert [r["row"] for r in rows] == list(range(1, 31))
    assert all(r["predicted"] == max(("no", "yes"), key=lambda k: r[f"p({k})"]) for r in rows)


def test_predict_may_refuse_to_answer(model, folder):
    ran = mercer("predict", model, folder / "new.csv", "--reject", "0.95")
    rows = [line.split(",") for line in ran.out.splitlines()[1:]]
    for row in rows:
        assert (row[2] == "yes") == (max(float(row[3]), float(row[4])) >= 0.95)
    assert {row[2] for row in rows} == {"yes", "no"}


def test_predict_matches_columns_by_name(model, tmp_path):
    (tmp_path / "n.csv").write_text("side,extra,b,a\nnorth,9,0.1,0.2\neast,9,,0.2\n")
    ran = mercer("predict", model, tmp_path / "n.csv", "--only")
    assert len(ran.out.splitlines()) == 3
    (tmp_path / "n.csv").write_text("side,b,aa\nnorth,0.1,0.2\n")
    ran = mercer("predict", model, tmp_path / "n.csv")
    assert (ran.code, "needs the column 'a'" in ran.err) == (3, True)
    (tmp_path / "n.csv").write_text("side,b,a\nnorth,0.1,many\n")
    ran = mercer("predict", model, tmp_path / "n.csv")
    assert "held numbers when the model was trained" in ran.err
    assert "'many' (row 1)" in ran.err


def test_predictions_cannot_run_in_a_spreadsheet(folder, tmp_path):
    text = (folder / "data.csv").read_text().replace(",yes", ",=cmd()")
    (tmp_path / "d.csv").write_text(text)
    assert mercer("fit", tmp_path / "d.csv", "-t", "y", "-o", tmp_path, "-q", "--kernel",
                  "gaussian", "--certify", "none", "--report", "none").code == 0  # fmt: skip
    ran = mercer("predict", tmp_path / "model.mercer", folder / "new.csv", "--only")
    assert ",'=cmd()" in ran.out


def test_certify_shows_the_saved_certificate(model):
    ran = mercer("certify", model)
    assert "95 % confidence" in ran.out
    assert "Theorem:" in ran.out


def test_certify_with_fresh_rows_is_the_exact_binomial(model, folder):
    ran = mercer("certify", model, folder / "fresh.csv", "--json")
    found = json.loads(ran.out)
    errors = round(found["observed"] * 100)
    # the limit is the rate at which so few errors would have probability delta
    assert binom.cdf(errors, 100, found["value"]) == pytest.approx(0.05, rel=1e-6)
    paid = json.loads(
        mercer("certify", model, folder / "fresh.csv", "--candidates", "4", "--json").out
    )
    assert binom.cdf(errors, 100, paid["value"]) == pytest.approx(0.05 / 4, rel=1e-6)


def test_certify_refuses_rows_it_was_trained_on(model, folder, tmp_path):
    ran = mercer("certify", model, folder / "data.csv")
    assert (ran.code, "very file" in ran.err) == (3, True)
    lines = (folder / "data.csv").read_text().splitlines()
    (tmp_path / "part.csv").write_text("\n".join(lines[:60]))
    ran = mercer("certify", model, tmp_path / "part.csv")
    assert ran.out.split(";")[0].endswith("fresh rows equal rows the model was trained on")
    gate = mercer("certify", model, tmp_path / "part.csv", "--require-error", "1")
    assert (gate.code, "cannot count" in gate.err) == (5, True)


def test_certify_any_predictions(tmp_path):
    (tmp_path / "p.csv").write_text("truth,guess\n" + "a,a\n" * 95 + "b,a\n" * 5)
    ran = mercer("certify", "--predictions", tmp_path / "p.csv", "--truth", "truth",
                 "--predicted", "guess", "--json")  # fmt: skip
    found = json.loads(ran.out)
    assert binom.cdf(5, 100, found["value"]) == pytest.approx(0.05, rel=1e-6)
    ran = mercer("certify", "--predictions", tmp_path / "p.csv", "--truth", "truth",
                 "--predicted", "guess", "--require-error", "0.1")  # fmt: skip
    assert ran.code == 5
    (tmp_path / "r.csv").write_text("t,f\n" + "1,1.05\n" * 90 + "1,2\n" * 10)
    ran = mercer("certify", "--predictions", tmp_path / "r.csv", "--truth", "t",
                 "--predicted", "f", "--tolerance", "0.1", "--json")  # fmt: skip
    assert json.loads(ran.out)["observed"] == 0.1


def test_compare_pays_for_everybody(folder):
    ran = mercer("compare", folder / "data.csv", "-t", "y", "--with", "svm:gaussian", "--with",
                 "linear", "--with", "trivial", "--json")  # fmt: skip
    found = json.loads(ran.out)
    assert len(found["models"]) == 3
    for row in found["models"]:
        limit = binom.cdf(row["errors"], row["rows"], row["certified"])
        assert limit == pytest.approx(0.05 / 3, rel=1e-6)
    shown = mercer(
        "compare", folder / "data.csv", "-t", "y", "--with", "linear", "--with", "trivial"
    )
    assert "All 2 limits hold at once" in shown.out


def test_compare_saved_models(model, folder):
    ran = mercer("compare", model, model, "--on", folder / "fresh.csv")
    assert ran.code == 0, ran.err
    assert "p = 1" in ran.out
    assert mercer("compare", model).code == 2


def test_mcnemar_by_hand():
    first = np.array([True, False, False, False, False, False])
    second = np.array([False, True, True, True, True, True])
    assert by_chance(first, second) == pytest.approx(2 * (1 + 6) / 64)
    assert by_chance(first, first) == 1.0


def test_inspect_data_and_model(folder, model):
    ran = mercer("inspect", folder / "data.csv", "-t", "y")
    assert "150 rows x 4 columns" in ran.out
    assert "a fit would be: exact" in ran.out
    assert "privacy" in mercer("inspect", model).out


@pytest.mark.parametrize(
    ("matrix", "kind", "words"),
    [
        ([[2, 1], [1, 2]], "kernel", "positive semi-definite: yes"),
        ([[1, 2], [2, 1]], "kernel", "positive semi-definite: NO"),
        ([[0, 1, 3], [1, 0, 1], [3, 1, 0]], "distance", "triangle inequality fails by up to 1"),
        ([[0, 3, 4], [3, 0, 5], [4, 5, 0]], "distance", "points of a Euclidean space"),
        # the four-cycle: a metric of negative type whose square is not
        (
            [[0, 1, 2, 1], [1, 0, 1, 2], [2, 1, 0, 1], [1, 2, 1, 0]],
            "distance",
            "exp(-d/l) is a kernel",
        ),
        ([[0, 0], [0, 0]], "distance", "almost"),
    ],
)
def test_inspect_matrices(matrix, kind, words, tmp_path):
    np.save(tmp_path / "m.npy", np.array(matrix, dtype=float))
    assert words in mercer("inspect", tmp_path / "m.npy", "--precomputed", kind).out


def test_inspect_refuses_what_is_no_matrix(tmp_path):
    np.save(tmp_path / "m.npy", np.array([[1.0, 2.0, 0.0], [3.0, 1.0, 0.0]]))
    ran = mercer("inspect", tmp_path / "m.npy", "--precomputed", "kernel")
    assert (ran.code, "is square" in ran.err) == (3, True)
    np.save(tmp_path / "m.npy", np.array([[0.0, np.nan], [1.0, 0.0]]))
    ran = mercer("inspect", tmp_path / "m.npy", "--precomputed", "distance")
    assert (ran.code, "row 1, column 2" in ran.err) == (3, True)


LINE = np.abs(np.arange(6.0)[:, None] - np.arange(6.0)[None, :])


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        (
            (1, 3),
            2.0,
            [
                "distance matrix of 6 x 6 by its looks",
                "metric: yes",
                "D5 yes",
                "embeds in 1 positive",
            ],
        ),
        ((1, 3), 2.5, ["D3 NO", "off by 0.5 at rows 2, 4 (1 violations)", "symmetrise(D)"]),
        ((1, 3), -1.0, ["D2 NO", "at rows 2, 4", "negative entries are no distances"]),
        ((0, 0), 0.5, ["D1 NO", "at row 1"]),
    ],
)
def test_inspect_recognises_distances_and_says_what_is_wrong_where(place, value, words, tmp_path):
    D = LINE.copy()
    D[place] = value
    np.save(tmp_path / "D.npy", D)
    wish = () if place[0] != place[1] else ("--precomputed", "distance")
    ran = mercer("inspect", tmp_path / "D.npy", *wish)
    assert ran.code == 0
    for word in words:
        assert word in ran.out


def test_inspect_tries_repairs_and_gives_their_constants(tmp_path):
    D = LINE.copy()
    D[0, 5] = D[5, 0] = 9.0
    np.save(tmp_path / "D.npy", D)
    out = mercer("inspect", tmp_path / "D.npy").out
    assert "triangle inequality fails by up to 4" in out
    for name in ("shortest_paths(D)", "additive_constant(D)", "lingoes(D)", "cailliez(D)"):
        assert name in out
    assert "metric, constant 4" in out
    found = json.loads(mercer("inspect", tmp_path / "D.npy", "--json").out)
    assert found["guessed"]
    assert {r["after"] for r in found["repairs"]} == {"metric", "Euclidean metric"}


def test_inspect_of_a_kernel_lists_the_axioms_of_a_similarity(tmp_path):
    np.save(tmp_path / "K.npy", np.array([[1, 2, 0], [2, 1, -1], [0, -1, 1]], dtype=float))
    out = mercer("inspect", tmp_path / "K.npy").out
    assert "kernel matrix of 3 x 3 by its looks" in out
    assert "S3 NO   s(x, y) >= 0: off by 1 at rows 2, 3 (2 violations)" in out
    assert "to the diagonal makes it one" in out


def test_a_table_is_not_taken_for_a_matrix(tmp_path):
    rng = np.random.default_rng(0)
    np.save(tmp_path / "T.npy", rng.normal(size=(5, 5)))
    assert "column 1" in mercer("inspect", tmp_path / "T.npy").out


def test_bound_values_inversions_and_curves():
    ran = mercer("bound", "holdout", "--n", "100", "--error", "0.05", "--target", "0.08", "--json")
    found = json.loads(ran.out)
    assert binom.cdf(5, 100, found["certificate"]["value"]) == pytest.approx(0.05, rel=1e-6)
    rows = found["rows"]
    again = json.loads(mercer("bound", "holdout", "--n", rows, "--error", "0.05", "--json").out)
    assert again["certificate"]["value"] <= 0.08
    ran = mercer("bound", "vc", "--n", "1000", "--vc", "10", "--error", "0.05", "--curve",
                 "n=100:100000")  # fmt: skip
    assert ran.out.count("\nn ") == 13
    assert "says nothing" in ran.out


def test_bound_lists_every_bound_and_explains_what_is_missing():
    listed = mercer("bound").out
    assert all(code in listed for code in available())
    ran = mercer("bound", "vc", "--n", "10")
    assert (ran.code, "needs --vc, --error" in ran.err) == (2, True)
    assert "Did you mean" in mercer("bound", "vcc", "--n", "3").err
    assert (
        mercer("bound", "vc", "--n", "10", "--vc", "1", "--error", "0", "--curve", "n=5").code == 2
    )


def test_bound_draws(tmp_path):
    ran = mercer("bound", "vc", "--n", "1000", "--vc", "3", "--error", "0", "--curve",
                 "n=100:10000", "--plot", tmp_path / "c.png")  # fmt: skip
    assert ran.code == 0, ran.err
    assert (tmp_path / "c.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell):
    assert "mercer" in mercer("completion", shell).out


def test_tab_completes_commands():
    environment = os.environ | {"_MERCER_COMPLETE": "bash_complete", "COMP_WORDS": "mercer ins",
                                "COMP_CWORD": "1"}  # fmt: skip
    ran = mercer_process(env=environment)
    assert "inspect" in ran.stdout


def test_help_of_every_command_has_examples():
    from mercer.cli._main import group

    for name in group.list_commands(None):
        ran = mercer(name, "--help")
        assert ran.code == 0
        assert "Usage: mercer" in ran.out
    for name in ("fit", "predict", "certify", "compare", "inspect", "bound"):
        assert "Examples:" in mercer(name, "--help").out


def test_errors_have_no_traceback_unless_asked(tmp_path):
    assert mercer("nothing").code == 2
    assert "Did you mean 'inspect'" in mercer("inspekt").err
    with pytest.raises(Exception, match="no file"):
        mercer("predict", tmp_path / "m.mercer", "x.csv", "--debug")


def test_help_loads_nothing_heavy_and_answers_at_once():
    code = (
        "import sys, time\n"
        "from mercer.cli._main import main; main(['--help'])\n"
        "print(time.process_time(), *sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    seconds, *loaded = done.stderr.split()
    assert float(seconds) < 5.0  # of the processor
    assert not {"numpy", "sklearn", "scipy", "rich", "pyarrow", "matplotlib"} & set(loaded)


def test_advice_for_python_is_not_given_at_a_terminal():
    words = "rows may come from the same source (pass order= or groups=)"
    assert at_a_terminal(words) == "rows may come from the same source (use --order or --group)"
    told = "column 'bypass order' is a key (drop them, or pass groups=)"
    assert at_a_terminal(told) == "column 'bypass order' is a key (drop them, or use --group)"


@pytest.mark.parametrize(
    ("mode", "needs"), [("tube", "a space of functions"), ("transfer", "pool")]
)
def test_modes_that_need_more_than_a_file_say_what_and_where(mode, needs):
    done = mercer("fit", "any.csv", "--target", "y", "--certify", mode)
    assert done.code == 2
    assert f"needs more than a file can give ({needs}" in " ".join(done.err.split())
    assert f"mode='{mode}'" in done.err
