"""Changed data files and model files, kept and changed again when they reach lines not seen before.

    python -m benchmarks.faults inputs [--seconds 600] [--seed 0] [--only readers models]

The lines of ``mercer.io`` that an input reaches are seen by ``sys.settrace``, so nothing has to be
installed; that takes longer than reading, so two of three inputs are only read. A process of its
own tries the inputs, and its death or a standstill is a finding.
Allowed are data or a model, or an error for people. The tests replay the corpus that is kept here.
"""

import argparse
import json
import os
import random
import resource
import signal
import sys
import tempfile
import time
import warnings
import zipfile
from pathlib import Path

import mercer
from benchmarks.faults.records import keep, kept
from benchmarks.faults.seeds import SEEDS, changed
from mercer.errors import UserError
from mercer.io.model_file import BadModel
from mercer.io.readers import read
from mercer.io.source import Source

CORPUS = Path(__file__).parent / "corpus"
WATCHED = os.sep + os.path.join("mercer", "io") + os.sep
PATIENCE = 10  # processor seconds for one input; three times that ends the process
MOST = 120  # inputs of a kept corpus, none larger than LARGE bytes
LARGE = 12_000
WATCHED_ARE = 3  # one input of so many is watched
FINE = (UserError, BadModel)


class Standstill(BaseException):
    """An input took too long."""


def read_data(content):
    """One of our own errors, or rows whose columns can all be read off."""
    for column in read(Source(None, content)).columns or ():
        len(column.values)


def load_model(content):
    """Loading must be refused with our own error; what loads may fail in use, but not crash."""
    with tempfile.NamedTemporaryFile(suffix=".mercer") as file:
        file.write(content)
        file.flush()
        model = mercer.load(file.name)
    try:
        model.predict([[0.0] * 4])
    except Exception:
        return


WORK = {"readers": read_data, "models": load_model}


def one(target, content):
    """None, or what went wrong in words."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            WORK[target](content)
    except FINE:
        return None
    except Standstill:
        return "took too long"
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}"[:300]
    return None


class Reached:
    """The lines of ``mercer.io`` that were ever run, and the ones of the last input."""

    def __init__(self):
        self.ever, self.now = set(), set()

    def _enter(self, frame, event, arg):
        return self._line if WATCHED in frame.f_code.co_filename else None

    def _line(self, frame, event, arg):
        if event in ("line", "exception"):  # a line that fails is another thing than one that works
            self.now.add((id(frame.f_code), frame.f_lineno, event))
        return self._line

    def new(self, target, content, watched=True):
        """What went wrong, and whether a line was new."""
        if not watched:
            return one(target, content), False
        self.now = set()
        sys.settrace(self._enter)
        try:
            wrong = one(target, content)
        finally:
            sys.settrace(None)
        fresh = not self.now <= self.ever
        self.ever |= self.now
        return wrong, fresh


def stored(target):
    """The kept corpus."""
    place = CORPUS / f"{target}.zip"
    if not place.exists():
        return []
    with zipfile.ZipFile(place) as box:
        return [box.read(name) for name in sorted(box.namelist())]


def store(target, inputs):
    """Keep these inputs in ``corpus/``."""
    CORPUS.mkdir(exist_ok=True)
    with zipfile.ZipFile(CORPUS / f"{target}.zip", "w", compresslevel=9) as box:
        for place, content in enumerate(inputs):
            member = zipfile.ZipInfo(f"{place:04d}")  # no date: the same inputs, the same bytes
            member.compress_type = zipfile.ZIP_DEFLATED
            box.writestr(member, content)


def _child(target, seed, until, folder):
    """Try inputs until the time is over; everything worth telling goes to the folder."""

    def late(*_):
        raise Standstill

    signal.signal(signal.SIGPROF, late)
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    draw, reached, pool = random.Random(seed), Reached(), []
    tries, wrongs = 0, {}
    mercer.set_config(memory_limit="200MB")
    waiting = [*SEEDS[target](), *stored(target)]
    while time.time() < until or waiting:
        begun = not waiting
        content = changed(target, draw.choice(pool), pool, draw) if begun else waiting.pop()
        (folder / "now").write_bytes(content)
        signal.setitimer(signal.ITIMER_PROF, PATIENCE)
        signal.setitimer(signal.ITIMER_VIRTUAL, 3 * PATIENCE)  # nobody catches this one
        wrong, fresh = reached.new(target, content, not begun or tries % WATCHED_ARE == 0)
        signal.setitimer(signal.ITIMER_PROF, 0)
        tries += 1
        if wrong and wrong.split(":")[0] not in wrongs:
            wrongs[wrong.split(":")[0]] = wrong
            (folder / f"wrong-{seed}-{len(wrongs)}").write_bytes(content)
        if fresh or not pool:
            pool.append(content)
        if tries % 50 == 0 or time.time() >= until:
            told = {"tries": tries, "wrong": wrongs, "lines": len(reached.ever)}
            (folder / "told").write_text(json.dumps(told))
    (folder / "pool").write_text(json.dumps([c.hex() for c in pool]))


def tried(target, seconds, seed, findings):
    """Run children until the time is over; what they did and what was found."""
    until, total, crashes, wrongs = time.time() + seconds, 0, [], {}
    pool, lines = [], 0
    while time.time() < until:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            child = os.fork()
            if child == 0:
                try:
                    _child(target, seed, until, folder)
                finally:
                    os._exit(0)
            _, status = os.waitpid(child, 0)
            told = json.loads((folder / "told").read_text()) if (folder / "told").exists() else {}
            total += told.get("tries", 0)
            lines = max(lines, told.get("lines", 0))
            wrongs.update(told.get("wrong", {}))
            for file in folder.glob("wrong-*"):
                (findings / f"{target}-{file.name}").write_bytes(file.read_bytes())
            if status:
                crashes.append(status & 127)
                where = findings / f"{target}-crash-{seed}"
                where.write_bytes((folder / "now").read_bytes())
            if (folder / "pool").exists():
                pool = [bytes.fromhex(c) for c in json.loads((folder / "pool").read_text())]
        seed += 1
    return {"tries": total, "crashes": crashes, "wrong": wrongs, "lines": lines}, pool


def replayed(target):
    """What goes wrong with the kept corpus, in this process."""
    return [wrong for content in stored(target) if (wrong := one(target, content))]


def main(arguments):
    """Search, keep what reached new lines, write the record."""
    parser = argparse.ArgumentParser(prog="inputs")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--only", nargs="*", default=list(WORK))
    parser.add_argument("--findings", type=Path, default=Path("build/faults"))
    chosen = parser.parse_args(arguments)
    chosen.findings.mkdir(parents=True, exist_ok=True)
    bad = False
    for target in chosen.only:
        found, pool = tried(target, chosen.seconds / len(chosen.only), chosen.seed, chosen.findings)
        print(target, json.dumps(found, indent=1), flush=True)
        small = sorted((c for c in pool if len(c) <= LARGE), key=len)
        if small:
            store(target, small[:: 1 + len(small) // MOST])
        before = kept("inputs").get(target, {})
        found["tries"] += before.get("tries", 0)
        keep("inputs", target, found)
        bad = bad or bool(found["crashes"] or found["wrong"])
    return bad
