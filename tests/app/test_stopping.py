"""What a signal does in every state of a run: real signals, at moments that are chosen by name."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import mercer
from mercer import _stopping
from mercer._stopping import OutOfPatience, Stopping, stopping
from mercer.app import run as run_module

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX systems")
rng = np.random.default_rng(0)
X = rng.normal(size=(120, 3))
Y = np.where(X[:, 0] * X[:, 1] + 0.2 * rng.normal(size=120) > 0, "yes", "no")
QUICK = {"kernel": "gaussian", "report": "none"}


@pytest.fixture(autouse=True)
def one_handler():
    """A shell that started us in the background may have had SIGINT ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
    assert not _stopping._now


def press(number=signal.SIGINT):
    os.kill(os.getpid(), number)
    time.sleep(0)  # Python looks for signals between two steps


def pressing_at(monkeypatch, call, *, number=signal.SIGINT):
    """Send the signal when the search has told its state so many times."""
    calls = []

    def told(self, state, tell=mercer.app.progress.Progress.__call__):
        answer = tell(self, state)
        calls.append(state)
        if len(calls) == call:
            press(number)
        return answer

    monkeypatch.setattr(mercer.app.progress.Progress, "__call__", told)
    return calls


def marked(model):
    facts = model.run_.model
    return facts["interrupted"], facts.get("stopped", "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("call", [1, 3, 6])
def test_in_the_search(monkeypatch, tmp_path, capsys, call, number):
    calls = pressing_at(monkeypatch, call, number=number)
    model = mercer.fit(X, Y, output=tmp_path, **QUICK)
    assert "stopping with the best so far" in capsys.readouterr().err
    assert len(calls) == call  # no candidate was tried after it
    stopped, words = marked(model)
    assert stopped
    assert words
    assert model.certificate_.value <= 1
    assert set(mercer.load(tmp_path / "model.mercer").predict(X)) <= {"yes", "no"}


def test_regression_and_matrices(monkeypatch):
    pressing_at(monkeypatch, 1)
    target = X[:, 0] + 0.1 * rng.normal(size=120)
    model = mercer.fit(X, target, **QUICK)
    assert marked(model)[0]
    assert np.isfinite(model.predict(X)).all()
    monkeypatch.undo()
    pressing_at(monkeypatch, 1)
    square = mercer.fit(X @ X.T, Y, precomputed="kernel", report="none", certify="holdout")
    assert marked(square)[0]


def test_settings_of_other_rows_are_not_used(monkeypatch):
    """The search of a trial fit has seen rows that the final fit must not see."""
    pressing_at(monkeypatch, 1)
    model = mercer.fit(X, Y, **QUICK)  # the first search belongs to a fit for the split
    machine = mercer.app.train.table_machine(model)
    assert machine.search_ is None
    assert marked(model)[1] == "what was known then"


def test_many_rows_are_not_waited_for(monkeypatch):
    monkeypatch.setattr(_stopping, "PATIENCE", -1.0)
    monkeypatch.setattr("mercer.tables.in_a_hurry.FEW", 30)
    pressing_at(monkeypatch, 3)
    model = mercer.fit(X, Y, certify="holdout", **QUICK)
    assert "trained on 30 of" in marked(model)[1]
    assert model.run_.model["trained_on"] == 30


def test_after_the_model_only_comparisons_are_left_out(monkeypatch):
    whole = mercer.fit(X, Y, **QUICK)
    assert not marked(whole)[0]
    answer = run_module.answer_questions

    def pressed(*arguments):
        press()
        answer(*arguments)

    monkeypatch.setattr(run_module, "answer_questions", pressed)
    model = mercer.fit(X, Y, **QUICK)
    assert marked(model) == (True, "the model was finished; comparisons were left out")
    assert model.run_.baselines == []
    assert model.certificate_.value == whole.certificate_.value
    assert (model.predict(X) == whole.predict(X)).all()


def test_while_the_certificate_is_worked_out(monkeypatch):
    describe = run_module.describe_certificate

    def pressed(*arguments):
        press()
        describe(*arguments)

    monkeypatch.setattr(run_module, "describe_certificate", pressed)
    model = mercer.fit(X, Y, **QUICK)
    assert marked(model)[0]
    assert model.run_.certificate is not None


def test_before_anything_is_found_nothing_is_promised(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(mercer.app.run, "train", lambda *arguments: press())
    with pytest.raises(KeyboardInterrupt):
        mercer.fit(X, Y, output=tmp_path / "o", **QUICK)
    assert "best so far" not in capsys.readouterr().err
    assert not (tmp_path / "o").exists()


def test_the_second_one_aborts(monkeypatch, tmp_path):
    pressing_at(monkeypatch, 3)
    monkeypatch.setattr("mercer.tables.machine.fit_in_a_hurry", lambda *arguments: press())
    with pytest.raises(KeyboardInterrupt):
        mercer.fit(X, Y, output=tmp_path / "o", **QUICK)
    assert not (tmp_path / "o").exists()


def busy():
    end = time.monotonic() + 60
    while time.monotonic() < end:
        pass
    raise AssertionError("nobody came")


def swallows():
    with contextlib.suppress(KeyboardInterrupt):  # as a callback or a destructor does
        press()
    busy()


def test_what_swallows_the_signal_is_told_again():
    with Stopping() as state:
        state.found = True
        assert not state.unless_asked(swallows)
        assert state.going_on


class Careless:
    """Python ignores what its destructor raises."""

    def __init__(self, raised):
        self.raised = raised

    def __del__(self):
        raise self.raised


def losing_a_signal():
    Careless(KeyboardInterrupt())
    for _ in range(20_000):
        time.sleep(0.001)


def test_a_signal_in_a_destructor_is_not_lost(capsys):
    """Seen in a callback of the import machinery: the run went on, below a traceback."""
    with stopping(), pytest.raises(KeyboardInterrupt):
        losing_a_signal()
    assert capsys.readouterr().err == ""


def test_other_errors_in_destructors_are_told_as_ever(monkeypatch):
    told = []
    monkeypatch.setattr(sys, "unraisablehook", told.append)
    with stopping():
        Careless(ValueError("careless"))
    assert [what.exc_type for what in told] == [ValueError]
    Careless(KeyboardInterrupt())  # afterwards it is nobody's business
    assert len(told) == 2


def test_a_signal_that_python_wraps_is_known():
    """Before Python 3.12, what is raised while a class is made becomes a RuntimeError."""

    class Property:
        def __set_name__(self, owner, name):
            press()

    def work():
        type("Made", (), {"factor": Property()})

    with pytest.raises((RuntimeError, KeyboardInterrupt)) as raised:
        work()
    assert _stopping.by_a_signal(raised.value)
    assert not _stopping.by_a_signal(ValueError("other"))
    with Stopping() as state:
        state.found = True
        assert not state.unless_asked(work)


def test_an_interrupt_inside_exec_does_not_change_the_exit_code(tmp_path):
    """Python ends the process by a signal once an interrupt has left exec(), as in dataclasses."""
    (tmp_path / "interrupted.py").write_text(
        "from mercer.cli import _main\n"
        "def main():\n"
        "    try:\n"
        "        exec('raise KeyboardInterrupt')\n"
        "    except KeyboardInterrupt:\n"
        "        return _main.INTERRUPTED\n"
        "_main.main = main\n"
        "_main.installed()\n"
    )
    ran = subprocess.run([sys.executable, "-m", "interrupted"], cwd=tmp_path)
    assert ran.returncode == 130


def test_patience_ends():
    with Stopping() as state:
        state.found = True
        press()
        with pytest.raises(OutOfPatience), state.with_patience():
            busy()


def test_saved_is_saved(capsys):
    with Stopping() as state:
        state.saved = True
        press()
        press(signal.SIGTERM)
        assert not state.asked
    assert capsys.readouterr().err == ""


def test_handlers_are_put_back_and_threads_are_left_alone():
    before = [signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)]
    with stopping() as outer, stopping() as inner:
        assert inner is outer
        found = []
        thread = threading.Thread(target=lambda: found.append(mercer.fit(X, Y, **QUICK)))
        thread.start()
        thread.join()
        assert found[0].certificate_ is not None
    assert before == [signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)]


def test_a_stream_ends_with_the_model_of_its_pilot(monkeypatch, tmp_path):
    from mercer.app.options import FitOptions
    from mercer.app.streams import fit as stream

    lines = ["a,b,c,y", *(",".join(map(str, [*row, c])) for row, c in zip(X, Y, strict=True))]
    for part in range(3):
        (tmp_path / f"{part}.csv").write_text("\n".join(lines[:1] + lines[1 + part :: 3]) + "\n")
    monkeypatch.setattr(stream._Stream, "_worth_it", lambda self, machine: press() or [])
    options = FitOptions(target="y", kernel="gaussian", learner="kernel")
    run = stream.fit_stream([str(tmp_path)], options, stream.StreamOptions(quiet=True))
    assert run.record.model["interrupted"]
    assert "pilot" in run.record.model["stopped"]
    assert run.record.certificate is None
    assert len(run.model.predict(X)) == 120
