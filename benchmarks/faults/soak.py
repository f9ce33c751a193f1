"""Many fits in one process, fits in many threads, and forks while other threads allocate.

    python -m benchmarks.faults soak [--fits 1000] [--only svc kernel_ridge ...]

What must hold: memory after the last fit is what it was after the first fifth of them, answers are
those of a fit alone, and no child hangs.
"""

import argparse
import gc
import multiprocessing
import os
import signal
import threading
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.base import clone, is_classifier, is_regressor

from benchmarks.faults.records import keep
from mercer.learners import available

FLAT = 5.0  # megabytes: what allocators keep between fits
PATIENCE = 60  # seconds after which a child that does not end is called hung
CROWD = ("svc", "kernel_ridge", "knn_classifier", "k_means", "pca", "gaussian_process_regressor")
rng = np.random.default_rng(0)
X = rng.normal(size=(60, 3))
LABELS = (X[:, 0] + 0.3 * rng.normal(size=60) > 0).astype(int)
NUMBERS = X[:, 0] + 0.1 * rng.normal(size=60)


def first(name):
    """The first example of a learner that takes vectors."""
    return available()[name].examples()[0]


def once(estimator):
    """Fit and answer: an array that equal fits have in common."""
    model = clone(estimator)
    y = LABELS if is_classifier(model) else NUMBERS if is_regressor(model) else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X) if y is None else model.fit(X, y)
        for part in ("predict", "transform"):
            if hasattr(model, part):
                return np.asarray(getattr(model, part)(X))
    return np.asarray(getattr(model, "labels_", getattr(model, "embedding_", X)))


def resident():
    """Megabytes that this process holds."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def fits(name, count):
    """Megabytes that this process has grown by between the first fifth and the end."""
    estimator, begun = first(name), time.process_time()
    for k in range(count):
        if k == count // 5:
            warm = resident()
        once(estimator)
    grown = resident() - warm
    return {"fits": count, "MB grown": round(grown, 2),
            "processor seconds": round(time.process_time() - begun, 1)}  # fmt: skip


def alone(work, *arguments):
    """In a process of its own, so that what was before does not count."""
    with multiprocessing.get_context("fork").Pool(1) as pool:
        return pool.apply(work, arguments)


def in_threads(threads, count):
    """Fits of several learners by many threads at once; how many differ from a fit alone."""
    expected = {name: once(first(name)) for name in CROWD}
    wrong = []

    def work(k):
        for i in range(count):
            name = CROWD[(k + i) % len(CROWD)]
            try:
                same = np.array_equal(once(first(name)), expected[name])
            except Exception as problem:
                wrong.append(f"{name}: {problem!r}"[:200])
            else:
                if not same:
                    wrong.append(f"{name}: other numbers than alone")

    crowd = [threading.Thread(target=work, args=(k,)) for k in range(threads)]
    for thread in crowd:
        thread.start()
    for thread in crowd:
        thread.join()
    return {"fits": threads * count, "threads": threads, **told(wrong)}


def while_others_allocate(forks, threads=4):
    """Children that are forked while other threads fit; how many hang, fail or differ."""
    expected = {name: once(first(name)) for name in CROWD}
    done, wrong = threading.Event(), []

    def busy(k):
        while not done.is_set():
            once(first(CROWD[k % len(CROWD)]))
            np.ones(10**6).sum()

    crowd = [threading.Thread(target=busy, args=(k,), daemon=True) for k in range(threads)]
    for thread in crowd:
        thread.start()
    for k in range(forks):
        name = CROWD[k % len(CROWD)]
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(PATIENCE)  # ends a child that waits for a lock nobody holds
            code = 1
            try:
                code = 0 if np.array_equal(once(first(name)), expected[name]) else 2
            finally:
                os._exit(code)
        _, status = os.waitpid(child, 0)
        if status:
            words = {0x100: "an error", 0x200: "other numbers", signal.SIGALRM: "hung"}
            wrong.append(f"{name}: {words.get(status, f'ended with status {status}')}")
    done.set()
    for thread in crowd:
        thread.join()
    return {"forks": forks, "threads": threads, **told(wrong)}


def told(wrong):
    """How many, and a few of them."""
    return {"wrong": len(wrong), "problems": sorted(set(wrong))[:3]}


def main(arguments):
    """Every learner by itself, then the crowds; one record."""
    parser = argparse.ArgumentParser(prog="soak")
    parser.add_argument("--fits", type=int, default=1000)
    parser.add_argument("--forks", type=int, default=200)
    parser.add_argument("--only", nargs="*", default=[*available(), "threads", "forks"])
    chosen = parser.parse_args(arguments)
    crowds = {"threads": lambda: alone(in_threads, 32, chosen.fits // 32),
              "forks": lambda: alone(while_others_allocate, chosen.forks)}  # fmt: skip
    bad = False
    for name in chosen.only:
        found = crowds[name]() if name in crowds else alone(fits, name, chosen.fits)
        print(name, found, flush=True)
        keep("soak", name, found)
        bad = bad or found.get("wrong", 0) > 0 or found.get("MB grown", 0.0) > FLAT
    return bad
