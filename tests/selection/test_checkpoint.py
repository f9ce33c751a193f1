"""A search that is interrupted, by Ctrl-C or by force, loses nothing that was finished."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from mercer import SVC, KernelSearch

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
search = KernelSearch(SVC(certify="none"), params=params, checkpoint=sys.argv[1], progress=slowly)
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
    rest, _ = process.communicate(timeout=60)
    return process.returncode, lines, rest


def count_work(path):
    """Finish the search from the file; how many candidates were trained now, and the search."""
    X, y = data()
    seen = []
    search = KernelSearch(
        SVC(certify="none"), params=PARAMS, checkpoint=path, progress=lambda s: seen.append(s)
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
    fresh = KernelSearch(SVC(certify="none"), params=PARAMS).fit(X, y)
    assert np.array_equal(search.results_["value"], fresh.results_["value"])
    assert search.best_params_["C"] == fresh.best_params_["C"]


def test_a_finished_search_is_read_back(tmp_path):
    path = tmp_path / "deep" / "search.jsonl"
    first, search = count_work(path)
    again, same = count_work(path)
    assert (first, again) == (6, 0)
    assert np.array_equal(search.results_["value"], same.results_["value"])
    assert json.loads(path.read_text().splitlines()[1])["status"] in ("done", "pruned")


def test_a_line_cut_off_by_a_crash_is_dropped(tmp_path):
    path = tmp_path / "search.jsonl"
    count_work(path)
    text = path.read_text()
    path.write_text(text[:-20])
    trained, _ = count_work(path)
    assert trained == 1
    assert all(json.loads(line) for line in path.read_text().splitlines())


def test_other_data_or_damage_is_refused(tmp_path):
    path = tmp_path / "search.jsonl"
    count_work(path)
    X, y = data()
    search = KernelSearch(SVC(certify="none"), params=PARAMS, checkpoint=path)
    with pytest.raises(ValueError, match="another search"):
        search.fit(X + 1, y)
    with pytest.raises(ValueError, match="another search"):
        KernelSearch(SVC(tol=1e-5), params=PARAMS, checkpoint=path).fit(X, y)
    with pytest.raises(ValueError, match="another search"):
        KernelSearch(SVC(certify="none"), params=PARAMS, checkpoint=path, cv=3).fit(X, y)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], "{broken", *lines[2:]]) + "\n")
    with pytest.raises(ValueError, match="damaged"):
        search.fit(X, y)
    path.write_text("hello\n")
    with pytest.raises(ValueError, match=r"damaged|not a checkpoint"):
        search.fit(X, y)
