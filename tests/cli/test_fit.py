"""``mercer fit`` as a user meets it: files in, a sentence and four files out."""

import json
import os
import signal
import subprocess
import sys
import time
import tomllib

import numpy as np
import pytest

import mercer as library
from helpers_cli import mercer, mercer_process
from mercer.certification.core import looks
from mercer.report.advice import at_a_terminal

QUICK = ("--kernel", "gaussian", "--certify", "holdout", "--report", "none")


def table(n=120, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 2))
    kind = rng.choice(["north", "south", ""], n)
    label = np.where(x[:, 0] + (kind == "north") + 0.3 * rng.normal(size=n) > 0.3, "yes", "no")
    lines = ["id,a,b,side,y"]
    lines += [f"{i},{p:.4f},{q:.4f},{k},{lab}"
              for i, ((p, q), k, lab) in enumerate(zip(x, kind, label, strict=True))]  # fmt: skip
    return "\n".join(lines) + "\n"


@pytest.fixture
def csv(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text(table())
    return path


def test_the_main_job(csv, tmp_path):
    out = tmp_path / "out"
    ran = mercer("fit", csv, "--target", "y", "-o", out, *QUICK)
    assert ran.code == 0, ran.err
    for words in ("120 used, none dropped", "With 95 % confidence, this model errs on at most",
                  "assumes:", "always", "linear model", "only names the rows"):  # fmt: skip
        assert words in ran.out.replace("\n          ", " ")
    written = {"model.mercer", "certificate.json", "run.toml", "manifest.json"}
    assert {p.name for p in out.iterdir()} == written
    document = json.loads((out / "certificate.json").read_text())
    model = library.load(out / "model.mercer")
    assert document["certificate"]["value"] == model.certificate_.value < 0.5
    assert document["statement"].startswith("With 95 % confidence")


def test_json_has_every_row_and_adds_up(csv, tmp_path):
    csv.write_text(table() + "1,2\n" + "500,1.0,1.0,south,\n")
    ran = mercer("fit", csv, "-t", "y", "-o", tmp_path / "o", "--json", *QUICK)
    record = json.loads(ran.out)
    data = record["data"]
    assert data["rows_read"] == 122 == data["rows_used"] + len(data["dropped"])
    assert [d["row"] for d in data["dropped"]] == [121, 122]
    assert data["dropped"][1]["reason"] == "no value in the target"
    assert record["split"]["train"] + record["split"]["counted"] == 120
    assert len(record["predictions"]["row"]) == record["split"]["counted"]
    assert record["baselines"][0]["errors"] == sum(
        a != b for a, b in zip(record["predictions"]["truth"], record["predictions"]["predicted"],
                               strict=True)
    )  # fmt: skip


def test_rivals_are_measured_on_rows_that_are_not_counted(csv, tmp_path):
    """Changing over after a look at the counted rows is what no certificate covers."""
    ran = mercer("fit", csv, "-t", "y", "-o", tmp_path / "o", "--json", *QUICK)
    record = json.loads(ran.out)
    own, *rivals = record["baselines"]
    assert own["rows"] == record["split"]["counted"]
    assert [r["name"].split()[0] for r in rivals] == ["always", "linear"]
    assert {r["rows"] for r in rivals} == {record["split"]["train"]}
    said = " ".join(mercer("fit", csv, "-t", "y", "-o", tmp_path / "p", *QUICK).out.split())
    assert "on its own training rows, left out in turn, always" in said
    assert "unseen rows, linear" not in said


def test_a_run_is_replayed_to_the_bit(csv, tmp_path):
    first, second = tmp_path / "1", tmp_path / "2"
    assert mercer("fit", csv, "-t", "y", "-o", first, "--seed", "7", "-q", *QUICK).code == 0
    run = tomllib.loads((first / "run.toml").read_text())
    assert run["seed"] == 7
    assert run["about"]["data_sha256"]
    assert mercer("fit", "--config", first / "run.toml", "-o", second, "-q").code == 0
    a, b = (json.loads((f / "certificate.json").read_text()) for f in (first, second))
    assert a["certificate"] == b["certificate"]
    x = np.array([[0.1, 0.2, "north"], [1.0, 1.0, None]], dtype=object)
    models = [library.load(f / "model.mercer") for f in (first, second)]
    assert np.array_equal(*(m.predict_proba(x) for m in models))


def test_the_exit_code_gates_on_the_guarantee(csv, tmp_path):
    common = ("fit", csv, "-t", "y", "-o", tmp_path, "-q", *QUICK)
    strict = mercer(*common, "--require-error", "0.0001")
    assert strict.code == 5
    assert "was required" in strict.err
    assert mercer(*common, "--require-error", "0.9").code == 0


def test_models_of_a_mixture_are_judged_by_rows_they_never_saw(csv, tmp_path):
    ran = mercer("fit", csv, "-t", "y", *QUICK, "--certify", "easy", "-o", tmp_path / "out")
    assert ran.code == 0, ran.err
    assert "judged by rows they never saw" in " ".join(ran.out.split())
    assert "comes from the same rows" not in " ".join(ran.out.split())


def test_an_in_sample_certificate_does_not_pass_the_gate(csv, tmp_path):
    ran = mercer("fit", csv, "-t", "y", "-o", tmp_path, "--require-error", "1.0", "--kernel",
                 "gaussian", "--certify", "in-sample", "--report", "none")  # fmt: skip
    assert "DOES NOT COVER" in ran.out
    assert ran.code == 5


def test_numbers_groups_and_order(tmp_path):
    rng = np.random.default_rng(0)
    n = 90
    x = rng.normal(size=n)
    lines = ["g,when,x,y"]
    lines += [f"g{i // 3},2020-01-{1 + i % 28:02d},{v:.3f},{2 * v + 0.1 * rng.normal():.3f}"
              for i, v in enumerate(x)]  # fmt: skip
    path = tmp_path / "r.csv"
    path.write_text("\n".join(lines))
    ran = mercer("fit", path, "-t", "y", "--group", "g", "-o", tmp_path, "--json", *QUICK)
    record = json.loads(ran.out)
    assert record["split"]["order"] == "groups"
    assert record["target"]["task"] == "regression"
    assert record["model"]["tolerance"] > 0
    ran = mercer("fit", path, "-t", "y", "--order", "when", "-o", tmp_path, "--json", *QUICK)
    assert json.loads(ran.out)["split"]["order"] == "time"


@pytest.mark.parametrize("kind", ["kernel", "distance"])
def test_matrices_of_pairs(kind, tmp_path):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 3))
    square = ((X[:, None] - X[None]) ** 2).sum(-1)
    np.save(tmp_path / "m.npy", np.exp(-square / 4) if kind == "kernel" else np.sqrt(square))
    (tmp_path / "y.csv").write_text("y\n" + "\n".join(np.where(X[:, 0] > 0, "p", "q")) + "\n")
    ran = mercer("fit", tmp_path / "m.npy", "--precomputed", kind, "--labels", tmp_path / "y.csv",
                 "-o", tmp_path / "o", "--json", *QUICK[2:])  # fmt: skip
    record = json.loads(ran.out)
    assert record["certificate"]["value"] < 0.6
    back = mercer("predict", tmp_path / "o" / "model.mercer", tmp_path / "m.npy", "--only")
    assert back.code == 0, back.err
    assert len(back.out.splitlines()) == 61


def test_svmlight_and_standard_input(tmp_path):
    rng = np.random.default_rng(2)
    lines = [f"{1 if v > 0 else -1} 1:{v:.3f} 3:{rng.normal():.3f}" for v in rng.normal(size=80)]
    ran = mercer_process("fit", "-", "-o", tmp_path, "--json", "--certify", "holdout", "--report",
                         "none", input="\n".join(lines))  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["data"]["format"] == "svmlight"


BAD = {
    "unknown target": (table(), ("-t", "z"), 3, "there is no column 'z'"),
    "one class": ("a,y\n" + "1,x\n2,x\n" * 20, ("-t", "y"), 3, "single class"),
    "too many classes": ("a,y\n" + "".join(f"1,c{i}\n" for i in range(300)), ("-t", "y"), 3,
                         "too many to be classes"),
    "one row": ("a,y\n1,x\n", ("-t", "y"), 3, "single class"),
    "few rows": ("a,y\n" + "1,x\n2,y\n" * 4, ("-t", "y"), 3, "too few"),
    "no target named": (table(), (), 3, "--target"),
    "text target as numbers": (table(), ("-t", "y", "--task", "regression"), 3, "not numbers"),
    "nothing to learn from": ("a,y\n" + "1,x\n1,y\n" * 20, ("-t", "y"), 3, "no column can be used"),
    "unknown kernel": (table(), ("-t", "y", "--kernel", "gausian"), 2, "Did you mean gaussian"),
    "unknown learner": (table(), ("-t", "y", "--learner", "tree"), 2, "there is no learner"),
    "no learner at all": (table(), ("-t", "y", "--learner", "config"), 2, "There are svm, nu-svm"),
    "misspelt learner": (table(), ("-t", "y", "--learner", "kernel_logistik"), 2,
                         "Did you mean kernel_logistic"),
    "no classifier": (table(), ("-t", "y", "--learner", "KernelPCA"), 2, "not for a table's"),
    "no memory": (table(), ("-t", "y", "--memory-limit", "10KB"), 4, "memory limit"),
    "bad memory": (table(), ("-t", "y", "--memory-limit", "much"), 3, "not a positive size"),
    "one group": ("g,a,y\n" + "1,1,x\n1,2,y\n" * 20, ("-t", "y", "--group", "g"), 3, "one value"),
    "zero bytes": ("a,y\n1\x00,x\n" * 20, ("-t", "y"), 3, "bad.csv is not text"),
    "text in a matrix": (table(), ("-t", "y", "--precomputed", "kernel"), 3, "holds numbers"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_explained(name, tmp_path):
    content, options, code, words = BAD[name]
    path = tmp_path / "bad.csv"
    path.write_text(content)
    ran = mercer("fit", path, *options, "-o", tmp_path / "o", "--report", "none")
    assert ran.code == code
    assert words in ran.err
    assert "Traceback" not in ran.err
    assert not (tmp_path / "o").exists()


@pytest.mark.parametrize(
    ("delta", "words"),
    [
        ("0.00001", "confidence 1 − 1e-05"),  # never "100 %"
        ("0.9", "That may as well be wrong"),
    ],
)
def test_odd_confidences_are_said_as_they_are(csv, tmp_path, delta, words):
    ran = mercer("fit", csv, "-t", "y", "--delta", delta, "-o", tmp_path / "o", *QUICK)
    assert ran.code == 0, ran.err
    assert words in ran.out
    assert "100 % confidence" not in ran.out


def test_missing_file_and_folder(tmp_path):
    assert mercer("fit", tmp_path / "no.csv", "-t", "y", "-o", tmp_path).code == 3
    assert mercer("fit", tmp_path, "-t", "y", "-o", tmp_path).code == 3


def test_a_place_that_cannot_be_written_is_said_first(csv, tmp_path):
    (tmp_path / "file").write_text("")
    ran = mercer("fit", csv, "-t", "y", "-o", tmp_path / "file" / "below")
    assert ran.code == 6
    assert "cannot write" in ran.err


def _interrupted(path, folder, seconds):
    command = [sys.executable, "-m", "mercer", "fit", str(path), "-t", "y", "-o",
               str(folder), "--report", "none"]  # fmt: skip
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for line in process.stderr:
        if line.startswith("plan:"):
            break
    time.sleep(seconds)
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=900)
    return process.returncode, out, err


def test_ctrl_c_keeps_the_best_so_far(tmp_path):
    """A real SIGINT to a real process in the middle of its search.

    On a busy machine half a second may be before the first candidate is ready; then later is tried.
    """
    path = tmp_path / "data.csv"
    path.write_text(table(1500))
    for seconds in (0.5, 1.0, 2.0, 4.0):
        code, out, err = _interrupted(path, tmp_path / "o", seconds)
        assert code in (0, 130), err
        if code == 130 and out:
            break
    assert "stopping with the best so far" in err
    assert "STOPPED EARLY" in out
    assert library.load(tmp_path / "o" / "model.mercer").certificate_ is not None


def test_a_file_in_order_of_time_is_noticed(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=120)
    drift = x + np.linspace(0, 8, 120)
    lines = [f"{a:.4f},{i},{b:.4f}" for i, (a, b) in enumerate(zip(x, drift, strict=True))]
    (tmp_path / "time.csv").write_text("\n".join(["a,when,y", *lines]) + "\n")
    common = ("-t", "y", "-o", tmp_path, "--kernel", "gaussian", "--report", "none", "--json")
    ran = mercer("fit", tmp_path / "time.csv", *common)
    codes = [c["code"] for c in json.loads(ran.out)["checks"]]
    assert "trend" in codes
    ran = mercer("fit", tmp_path / "time.csv", *common, "--order", "when")
    assert "trend" not in [c["code"] for c in json.loads(ran.out)["checks"]]


def test_looks_are_counted_across_runs_only_if_asked(csv, tmp_path):
    ledger = tmp_path / "looks.jsonl"
    told = []
    for seed, options in ((1, ()), (2, ("--ledger", ledger)), (3, ("--ledger", ledger))):
        looks.forget()  # every run is a process of its own
        out = tmp_path / str(seed)
        ran = mercer("fit", csv, "-t", "y", "-o", out, "--seed", seed, *options, *QUICK)
        assert ran.code == 0
        assert ledger.exists() == bool(options)
        written = json.loads((out / "certificate.json").read_text())
        told.append(written["certificate"].get("found", []))
    assert not any("from these rows" in words for words in told[0] + told[1])
    assert told[2][0].startswith("one of 2 numbers from these rows")


def test_looks_across_runs_share_a_budget(csv, tmp_path):
    ledger, told = tmp_path / "looks.jsonl", []
    for seed in (1, 2):
        looks.forget()
        out = tmp_path / str(seed)
        options = ("--ledger", ledger, "--budget", 0.1, "-o", out, "--seed", seed)
        assert mercer("fit", csv, "-t", "y", *options, *QUICK).code == 0
        told.append(json.loads((out / "certificate.json").read_text())["certificate"])
    assert [c["delta"] for c in told] == [0.1, 0.1]
    assert [c["details"]["own_delta"] for c in told] == pytest.approx([0.09, 0.01 * 6 / np.pi**2])
    assert not any(c.get("found") for c in told)
    alone = mercer("fit", csv, "-t", "y", "-o", tmp_path / "no", "--budget", 0.1, *QUICK)
    assert alone.code == 2
    assert "--ledger" in alone.err


def test_what_the_gate_says_of_the_order_is_what_the_command_says(tmp_path):
    """One function serves both."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(120, 2))
    y = (np.arange(120) + 40 * rng.normal(size=120) > 60) * 1
    lines = [f"{a:.4f},{b:.4f},{c}" for (a, b), c in zip(x, y, strict=True)]
    (tmp_path / "trend.csv").write_text("\n".join(["a,b,y", *lines]) + "\n")
    common = ("-t", "y", "-o", tmp_path / "out", "--kernel", "gaussian", "--report", "none")
    ran = mercer("fit", tmp_path / "trend.csv", *common, "--json")
    record = json.loads(ran.out)
    note = next(c["message"] for c in record["checks"] if c["code"] == "trend")
    assert note == record["certificate"]["about"]["checks"]["trend"][0]["words"]
    assert any(at_a_terminal(note) in words for words in record["certification"]["notes"])
    assert not record["certificate"].get("found")  # told below the number
    shown = " ".join(mercer("fit", tmp_path / "trend.csv", *common).out.split())
    assert "use --order with the column that says when" in shown
