"""A search that is interrupted, by Ctrl-C or by force, loses nothing that was finished."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from scipy import sparse
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from mercer import SVC, KernelSearch
from mercer.selection._fingerprint import digest, identity

PARAMS = {"C": [0.1, 1.0, 10.0], "gamma": [0.05, 0.1, 0.2, 0.5, 1.0, 2.0]}
SCRIPT = """
import signal, sys, time
import numpy as np
from mercer import SVC, KernelSearch
signal.signal(signal.SIGINT, signal.default_int_handler)
rng = np.random.default_rng(0)
X = rng.normal(size=(120, 2))
y = X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=120) > 0
params = {params!r}
def slowly(state):
    print(state["finished"], flush=True)
    time.sleep(0.4)
search = KernelSearch(SVC(certify=None), param_grid=params, checkpoint=sys.argv[1], progress=slowly)
try:
    search.fit(X, y)
except KeyboardInterrupt:
    print("interrupted", search.best_score_, len(search.results_["params"]), flush=True)
    sys.exit(3)
print("done")
""".replace("{params!r}", repr(PARAMS))


def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    return X, X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=120) > 0


def start(path):
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(path)], stdout=subprocess.PIPE, text=True
    )


def kill_after_two_units(path, how):
    """Let two kernels finish, then send the signal; the output until then."""
    process = start(path)
    lines = [process.stdout.readline().strip() for _ in range(2)]
    time.sleep(0.1)
    os.kill(process.pid, how)
    rest, _ = process.communicate(timeout=900)
    return process.returncode, lines, rest


def count_work(path):
    """Finish the search from the file; how many candidates were trained now, and the search."""
    X, y = data()
    seen = []
    search = KernelSearch(
        SVC(certify=None), param_grid=PARAMS, checkpoint=path, progress=lambda s: seen.append(s)
    ).fit(X, y)
    return len(seen), search


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_nothing_finished_is_lost(tmp_path, how):
    path = tmp_path / "search.jsonl"
    code, lines, rest = kill_after_two_units(path, how)
    assert lines == ["3", "6"]
    if how == signal.SIGINT:  # the best so far is there, and the interruption is not swallowed
        assert code == 3
        assert rest.startswith("interrupted")
    else:
        assert code == -signal.SIGKILL
    saved = path.read_text().splitlines()
    assert len(saved) >= 1 + 6
    trained, search = count_work(path)
    assert trained == 6 - (len(saved) - 1) // 3  # kernels left to do
    X, y = data()
    fresh = KernelSearch(SVC(certify=None), param_grid=PARAMS, random_state=0).fit(X, y)
    assert np.array_equal(search.results_["value"], fresh.results_["value"])
    assert search.best_params_["C"] == fresh.best_params_["C"]


def test_a_finished_search_is_read_back(tmp_path):
    path = tmp_path / "deep" / "search.jsonl"
    first, search = count_work(path)
    again, same = count_work(path)
    assert (first, again) == (6, 0)
    assert np.array_equal(search.results_["value"], same.results_["value"])
    assert json.loads(path.read_text().splitlines()[1])["status"] in ("done", "pruned")


def test_a_file_cut_off_anywhere_is_taken_up(tmp_path):
    path = tmp_path / "search.jsonl"
    _, whole = count_work(path)
    text = path.read_bytes()
    line = len(text.splitlines(keepends=True)[0])
    for cut in (0, 1, line // 2, line - 1, line, line + 5, len(text) - 20, len(text) - 1):
        path.write_bytes(text[:cut])
        trained, search = count_work(path)
        assert trained == (1 if cut >= len(text) - 20 else 6)
        # a kernel of which some costs are known starts the others from nothing
        assert np.allclose(search.results_["value"], whole.results_["value"], atol=1e-4)
        assert all(json.loads(entry) for entry in path.read_text().splitlines())


def test_values_of_another_criterion_are_not_mixed_in(tmp_path):
    """ "auto" was plain cross-validation once: its files must not serve the smoothed criterion."""
    path = tmp_path / "search.jsonl"
    X, y = data()
    options = {"param_grid": PARAMS, "checkpoint": path}
    KernelSearch(SVC(certify=None), criterion="cv", **options).fit(X, y)
    before = path.read_bytes()
    with pytest.raises(ValueError, match="criterion 'cv' instead of 'cv-smooth'"):
        KernelSearch(SVC(certify=None), **options).fit(X, y)
    assert path.read_bytes() == before
    old = b'{"format": "mercer-search-1", "search": "17c3"}\n' + b"\n".join(before.split(b"\n")[1:])
    path.write_bytes(old)
    with pytest.raises(ValueError, match="another version of Mercer"):
        KernelSearch(SVC(certify=None), **options).fit(X, y)
    assert path.read_bytes() == old


def test_candidates_of_another_grid_serve_unless_they_were_dropped_there(tmp_path):
    path = tmp_path / "search.jsonl"
    X, _ = data()
    y = X[:, 0] > 0

    def search(gammas, **options):
        params = {"C": [1.0, 10.0], "gamma": gammas}
        return KernelSearch(SVC(certify=None), param_grid=params, random_state=2, **options).fit(
            X, y
        )

    first = search([0.1, 50.0, 200.0], checkpoint=path)
    assert list(first.results_["status"]) == ["done"] * 2 + ["pruned"] * 4
    seen = []
    second = search([50.0, 200.0, 0.2], checkpoint=path, progress=seen.append)
    fresh = search([50.0, 200.0, 0.2])
    assert len(seen) == 3  # 0.1 was done, the two that it beat must show their values again
    assert second.best_value_ == fresh.best_value_
    assert list(second.results_["status"]) == list(fresh.results_["status"])
    assert search([50.0, 200.0], checkpoint=path).best_value_ == search([50.0, 200.0]).best_value_
    assert search([0.1], checkpoint=path, progress=seen.append).best_value_ == first.best_value_
    assert len(seen) == 3


def test_the_mark_sees_everything_and_is_the_same_in_every_process():
    long = np.arange(5000.0)
    series = np.empty(2, dtype=object)
    series[:] = [long, long[:10]]
    other = np.empty(2, dtype=object)
    other[:] = [np.where(long == 2500, 0, long), long[:10]]
    assert digest(series) != digest(other)
    assert digest(series) == digest(series.copy())
    assert digest(["ab", "c"]) != digest(["a", "bc"])
    assert digest(sparse.csr_array(np.eye(3))) != digest(sparse.csr_array(np.eye(4)))
    steps = [(f"a step with a long name {i}", StandardScaler()) for i in range(40)]
    one, two = (Pipeline([*steps, ("svc", SVC(C=c))]) for c in (1, 2))
    assert identity(one) != identity(two)
    assert identity(count_work) == f"{__name__}.count_work"


def test_other_data_or_damage_is_refused(tmp_path):
    path = tmp_path / "search.jsonl"
    count_work(path)
    X, y = data()
    search = KernelSearch(SVC(certify=None), param_grid=PARAMS, checkpoint=path)
    with pytest.raises(ValueError, match="another search: it differs in data"):
        search.fit(X + 1, y)
    with pytest.raises(ValueError, match="another search: it differs in estimator"):
        KernelSearch(SVC(tol=1e-5), param_grid=PARAMS, checkpoint=path).fit(X, y)
    with pytest.raises(ValueError, match="another search: it differs in folds"):
        KernelSearch(SVC(certify=None), param_grid=PARAMS, checkpoint=path, cv=3).fit(X, y)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], "{broken", *lines[2:]]) + "\n")
    with pytest.raises(ValueError, match="damaged"):
        search.fit(X, y)
    for foreign in (b"hello\n", b"[1]\n", b"no line", b"\x80\x04\x95\n\xff", b'{"a": 1}\n'):
        path.write_bytes(foreign)
        with pytest.raises(ValueError, match=r"damaged|not a checkpoint"):
            search.fit(X, y)
        assert path.read_bytes() == foreign
