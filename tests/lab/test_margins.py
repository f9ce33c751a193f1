"""The view of margins says what the machine says."""

from functools import partial

import numpy as np
import pytest

from helpers_lab import running_lab  # skips without the extra
from mercer import SVC, kernels
from mercer.errors import UserError
from mercer.lab.address import Address
from mercer.lab.room import Room
from mercer.lab.views.margins import Draw, Judged, Margins, Own, Picture
from mercer.learners.margin.svm.training import Budget

assert running_lab


@pytest.fixture(scope="module")
def view():
    return Margins(Room(Address()))


@pytest.fixture(scope="module")
def sample(view):
    return view.draw(Draw(n=40, seed=3))["points"]


def test_numbers_are_those_of_the_machine(view, sample):
    found = view.fit(Picture(points=sample, C=2.0, scale=0.7))
    model = SVC(C=2.0, kernel=kernels.Gaussian(0.7), tol=1e-5).fit(sample[:, :2], sample[:, 2])
    assert found["gap"] == pytest.approx(model.diagnostics_.gap, abs=1e-9)
    assert list(found["states"]) == list(model.diagnostics_.states)
    assert np.flatnonzero(found["alphas"] > 0).tolist() == sorted(model.support_)
    corner = model.decision_function([[-3.0, -3.0]])[0]
    assert found["mesh"][0] == pytest.approx(corner, abs=1e-3)
    assert len(found["mesh"]) == found["wide"] * found["high"]


def test_removing_a_row_outside_changes_nothing(view, sample):
    found = view.fit(Picture(points=sample))
    outside = int(np.flatnonzero((found["alphas"] == 0) & (found["states"] == "outside"))[0])
    held = int(np.argmax(found["alphas"]))
    without = view.fit(Picture(points=np.delete(sample, outside, axis=0)))
    changed = view.fit(Picture(points=np.delete(sample, held, axis=0)))
    assert np.abs(np.subtract(without["mesh"], found["mesh"])).max() < 1e-3
    assert np.abs(np.subtract(changed["mesh"], found["mesh"])).max() > 1e-2


def test_the_code_that_is_shown_gives_the_same_machine(view, sample, tmp_path, monkeypatch, capsys):
    asked = Picture(points=sample, kernel="cubic", C=0.5, scale=2.0)
    found = view.fit(asked)
    rows = "\n".join(",".join(map(str, row)) for row in sample.tolist())
    (tmp_path / "points.csv").write_text(f"x,y,sign\n{rows}\n")
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    exec(found["python"], names)  # our own words, not a user's
    shown = names["model"].decision_function([[-3.0, -3.0]])[0]
    assert shown == pytest.approx(found["mesh"][0], rel=0.01, abs=0.05)
    assert "support vectors" in capsys.readouterr().out


def test_a_machine_that_has_not_begun_is_no_answer(view, sample, monkeypatch):
    """On a computer with other things to do; a function that is zero everywhere says nothing."""
    options = Budget.options
    monkeypatch.setattr(Budget, "options", lambda self: options(self) | {"time_limit": 0.0})
    for ask in (partial(view.fit, Picture(points=sample)), partial(view.judge, Judged(sample))):
        with pytest.raises(UserError, match="busy"):
            ask()


def test_leave_one_out_and_the_law(view):
    rows = view.draw(Draw(n=24, sample="two clouds"))["points"]
    found = view.judge(Judged(points=rows, sample="two clouds", kernel="linear"))
    wrong = 0
    for i in range(len(rows)):
        rest = np.delete(rows, i, axis=0)
        model = SVC(kernel=kernels.Linear(), tol=1e-5).fit(rest[:, :2], rest[:, 2])
        wrong += int(model.predict(rows[[i], :2])[0] != rows[i, 2])
    assert found["leave_one_out"]["error"] == pytest.approx(wrong / len(rows))
    assert found["bayes_risk"] <= found["risk"] < 0.5


def test_one_class_is_refused_in_words(view):
    with pytest.raises(UserError, match="both classes"):
        view.fit(Picture(points=np.array([[0.0, 0.0, 1.0], [1.0, 1.0, 1.0]])))


def test_a_plane_of_a_file(tmp_path):
    """Two of its columns, standardised, or the first two components of all of them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3)) * [1.0, 5.0, 0.1] + [0.0, 100.0, 0.0]
    names = np.where(X[:, 0] > 0, "yes", "no")
    lines = ["a,b,c,kind", "1,,2,yes"]
    lines += [f"{a},{b},{c},{k}" for (a, b, c), k in zip(X.tolist(), names, strict=True)]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    view = Margins(Room(Address(folder=tmp_path)))
    found = view.own(Own(file="t.csv", target="kind", across="a", up="b"))["points"]
    assert found.shape == (60, 3)  # the row with a gap is left out
    assert np.allclose(found[:, :2].std(axis=0), 1.0, atol=1e-2)
    assert set(found[:, 2]) == {-1.0, 1.0}
    fitted = view.fit(Picture(points=found, kernel="linear", C=10.0))
    assert fitted["counts"]["misclassified"] <= 2
    plane = view.own(Own(file="t.csv", target="kind"))
    assert plane["axes"][1] == "component 2"
    with pytest.raises(UserError, match="folder"):
        view.own(Own(file="../t.csv", target="kind"))
    with pytest.raises(UserError, match="numbers"):
        view.own(Own(file="t.csv", target="a", across="kind", up="b"))


def test_quiet_in_many_threads_at_once():
    """Every thread hears its own warnings, and one that ends takes no filter from the others."""
    import threading
    import warnings

    from sklearn.exceptions import ConvergenceWarning

    from mercer.lab.quiet import said

    heard, before, gate = {}, list(warnings.filters), threading.Barrier(4)
    shown = warnings.showwarning

    def work(k, pause):
        with said(ConvergenceWarning) as mine:
            gate.wait()
            pause.wait(5)
            for _ in range(2):  # the same place twice is said twice
                warnings.warn(
                    f"stopped early in {k}\nsecond line", ConvergenceWarning, stacklevel=1
                )
            heard[k] = mine

    pauses = [threading.Event() for _ in range(4)]
    threads = [threading.Thread(target=work, args=[k, p]) for k, p in enumerate(pauses)]
    for thread in threads:
        thread.start()
    for pause, thread in zip(pauses, threads, strict=True):
        pause.set()
        thread.join()
    assert heard == {k: [f"stopped early in {k}"] * 2 for k in range(4)}
    assert warnings.filters == before
    assert warnings.showwarning is shown


def test_leave_one_out_that_would_take_too_long_says_so(view):
    """Crossed classes on a line at a huge price: dozens of refits of seconds each."""
    points = view.draw(Draw(sample="crossed", n=80))["points"]
    found = view.judge(Judged(points=points, kernel="linear", C=1e6, sample="crossed"))
    assert found["leave_one_out"] is None
    assert "too long" in found["why"]
    assert found["risk"] > 0.2
