"""Learners compete on training rows; the best by the same folds is the model."""

import numpy as np
import pytest

import mercer
from mercer.tables import TableMachine, TablePreparation
from mercer.tables.contest import race
from mercer.tables.contest.aims import Aim
from mercer.tables.contest.entrant import CUTTING, Case
from mercer.tables.contest.entrants import all_entrants
from mercer.tables.contest.race import DONE, Contest, Entry, entrants_for
from mercer.tables.forms import have_one_unit
from mercer.tables.in_a_hurry import with_few_settings


def boxes(n=200, seed=0):
    """Two classes cut out by thresholds in two of six columns: made for trees."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 6)) * np.array([1.0, 1e3, 1.0, 1.0, 1.0, 1.0])
    return X, np.where((X[:, 0] > 0.5) ^ (X[:, 1] > 500), "in", "out")


def texts(n=90, seed=0):
    rng = np.random.default_rng(seed)
    words = {"sea": ["ship", "sail", "port"], "farm": ["corn", "cow", "barn"]}
    kind = rng.choice(["sea", "farm"], n)
    told = [" ".join([*rng.choice(words[k], 3), *rng.choice(list("abcdefgh"), 4)]) for k in kind]
    table = np.empty((n, 1), dtype=object)
    table[:, 0] = told
    return table, kind


def test_trees_win_where_trees_are_right_and_are_stored(tmp_path):
    X, y = boxes()
    machine = TableMachine(random_state=1).fit(X[:140], y[:140])
    best = machine.contest_.best
    assert best.entrant.name in ("boosting", "forest")
    table = machine.contest_.table()
    assert table[0]["title"] == best.title
    everyone = {"kernel", "linear", "forest", "boosting", "lightgbm"}
    assert {row["learner"] for row in table} | {"lightgbm"} == everyone  # where it is installed
    done = [row["loss"] for row in table if row["status"] == DONE]
    assert table[0]["loss"] == min(done)
    assert all(row["behind"] > 0 for row in table if row["status"] == "behind")
    mercer.save(machine, tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    assert again.predict(X).tolist() == machine.predict(X).tolist()
    np.testing.assert_array_equal(again.predict_proba(X), machine.predict_proba(X))
    assert np.mean(machine.predict(X[140:]) != y[140:]) < 0.25


@pytest.mark.parametrize("asked", [{"learner": "kernel"}, {"kernel": "gaussian"}])
def test_kernels_only_if_asked_for(asked):
    X, y = boxes(50)
    machine = TableMachine(**asked).fit(X, y)
    assert all(entry.entrant.kernel for entry in machine.contest_.entries)
    assert machine.search_ is machine.contest_.best.search


@pytest.mark.parametrize("learner", ["linear", "forest", "boosting"])
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_one_learner_alone(learner, task):
    X, y = boxes(50)
    y = y if task == "classification" else X[:, 0] + (X[:, 1] > 500)
    machine = TableMachine(task, learner=learner).fit(X, y)
    assert machine.search_ is None
    assert {entry.entrant.name for entry in machine.contest_.entries} == {learner}
    assert machine.predict(X[:5]).shape == (5,)


def test_texts_by_words_are_stored(tmp_path):
    table, kind = texts()
    machine = TableMachine(learner="linear").fit(table[:60], kind[:60])
    assert np.mean(machine.predict(table[60:]) != kind[60:]) < 0.1
    mercer.save(machine, tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    assert again.predict(table).tolist() == machine.predict(table).tolist()


def test_pixels_share_a_unit_and_other_columns_do_not():
    rng = np.random.default_rng(0)
    pixels = rng.integers(0, 256, (50, 30)).astype(float)
    assert have_one_unit(pixels, list(range(30)))
    assert not have_one_unit(pixels * 10.0 ** np.arange(30), list(range(30)))
    assert not have_one_unit(pixels, [0, 1])
    pixels[:, :10] /= 8  # dim at the border
    common = TablePreparation(form="common").fit_transform(pixels)
    ratio = pixels.std(0) / common.std(0)
    np.testing.assert_allclose(ratio, ratio[0])
    np.testing.assert_allclose(common.mean(0), 0, atol=1e-12)


def test_gaps_stay_gaps_for_trees():
    table = np.array([[1.0, 5.0], [np.nan, 6.0], [3.0, 7.0]])
    np.testing.assert_array_equal(TablePreparation(form="trees").fit_transform(table), table)


def test_of_equals_the_first_wins_and_the_unfinished_never():
    kinds = all_entrants()

    def entry(kind, losses, status=DONE):
        return Entry(kind, "", losses=np.array(losses, dtype=float), status=status)

    contest = Contest([entry(kinds[0], [0, 1, 1, 0]), entry(kinds[1], [1, 0, 0, 1]),
                       entry(kinds[2], [0, 0, np.nan, np.nan], "behind")])  # fmt: skip
    assert contest.best is contest.entries[0]
    assert [row["behind"] for row in contest.table()][:2] == [0.0, 0.0]


def test_a_lead_within_the_noise_is_none():
    kernel = next(one for one in all_entrants() if one.kernel)
    other = next(one for one in all_entrants() if not one.kernel)
    rng = np.random.default_rng(0)
    far = (rng.random(400) < 0.3).astype(float)
    near = np.where(rng.random(400) < 0.2, 1.0 - far, far)
    near[:6] = far[:6] = 0.0
    far[0] = 1.0  # one error more among many that differ
    near[:] = near * (far.mean() / max(near.mean(), 1e-9)) - 0.001
    tied = Contest([Entry(kernel, "", losses=far, status=DONE),
                    Entry(other, "", losses=near, status=DONE)])  # fmt: skip
    assert tied.entries[1].loss < tied.entries[0].loss
    assert tied.best is tied.entries[0]
    clear = Contest([Entry(kernel, "", losses=far, status=DONE),
                     Entry(other, "", losses=far * 0.5, status=DONE)])  # fmt: skip
    assert clear.best is clear.entries[1]


def test_names_of_learners():
    assert {one.name for one in entrants_for("trees")} == {"boosting", "forest", "lightgbm"}
    assert all(one.kernel for one in entrants_for("kernel_logistic"))
    assert entrants_for("auto") == all_entrants()


def test_without_time_there_is_still_a_model():
    X, y = boxes(60)
    machine = TableMachine(time_limit=0.01).fit(X, y)
    assert machine.predict(X[:3]).shape == (3,)
    assert any(row["status"] == "no time" for row in machine.contest_.table())


@pytest.mark.parametrize(("left", "searched"), [(3600.0, 2), (1e-3, 1)])
def test_a_search_that_would_end_after_the_time_is_not_begun(monkeypatch, left, searched):
    """The words of a text column are searched last, and only with as long as a search has taken."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 120)
    words = [" ".join(rng.choice(list("abcdefgh"), 12)) + (" yes" * int(c)) for c in y]
    calls, original = [], TableMachine._searched

    def counted(self, *more):
        calls.append(1)
        return original(self, *more)

    monkeypatch.setattr(TableMachine, "_searched", counted)
    monkeypatch.setattr(TableMachine, "time_left", lambda self: left if calls else 3600.0)
    machine = TableMachine(names=["text"], stored=["text"], treat={"text": "text"})
    machine.fit(np.array(words, dtype=object)[:, None], y)
    assert len(calls) == searched


def test_few_rows_are_searched_only_where_there_is_no_model_yet(monkeypatch):
    X, y = boxes(60)
    machine = TableMachine()
    machine.contest_ = Contest([Entry(all_entrants()[0], "", status=DONE)])

    def late(*more):
        raise TimeoutError

    monkeypatch.setattr(machine, "_searched", late)
    with pytest.raises(TimeoutError):
        machine.search_kernels(X, y, None)
    calls = []
    machine.contest_ = Contest()
    monkeypatch.setattr(machine, "_searched", lambda *more: calls.append(1) or late()
                        if not calls else "few rows")  # fmt: skip
    machine._begun = 0.0
    assert machine.search_kernels(X, y, None) == "few rows"


def test_trials_are_quicker_and_of_the_same_kind():
    trial = TableMachine(learner="forest").for_trials()
    assert trial.effort == "trial"
    X, y = boxes(50)
    tried = TableMachine().for_trials().fit(X, y)
    assert {e.entrant.name for e in tried.contest_.entries} == {"kernel", "linear", "forest"}


def slanted(n=400, seed=0):
    """One row in twelve is of the rare class, and the classes overlap."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.uniform(size=n) < 1 / 12, "rare", "usual")
    return rng.normal(size=(n, 2)) + 1.5 * (y == "rare")[:, None], y


def test_losses_of_every_aim_average_to_what_they_are_called():
    from sklearn.metrics import balanced_accuracy_score, f1_score

    rng = np.random.default_rng(3)
    y = rng.choice(["a", "b"], 200, p=[0.9, 0.1])
    said = np.where(rng.uniform(size=200) < 0.8, y, rng.permutation(y))
    mean = {name: Aim.read(name).losses(y, said).mean() for name in ("balanced", "f1", "f1:a")}
    assert mean["balanced"] == pytest.approx(1 - balanced_accuracy_score(y, said))
    assert mean["f1"] == pytest.approx(1 - f1_score(y, said, pos_label="b"))
    assert mean["f1:a"] == pytest.approx(1 - f1_score(y, said, pos_label="a"))
    assert Aim().losses(y, said).mean() == np.mean(y != said)
    three = rng.choice(["a", "b", "c"], 50)
    assert Aim("f1").losses(three, three[::-1]).mean() == pytest.approx(
        1 - balanced_accuracy_score(three, three[::-1])
    )
    with pytest.raises(ValueError, match="aim must be one of"):
        Aim.read("fairness")


def test_the_standard_error_of_f1_is_that_of_repeated_draws():
    rng = np.random.default_rng(4)
    values, errors = [], []
    for _ in range(400):
        y = np.where(rng.uniform(size=300) < 0.2, "b", "a")
        said = np.where(rng.uniform(size=300) < 0.85, y, np.where(y == "a", "b", "a"))
        losses = Aim("f1").losses(y, said)
        values.append(losses.mean())
        errors.append(losses.std() / np.sqrt(300))
    assert np.mean(errors) == pytest.approx(np.std(values), rel=0.15)


def test_rare_classes_count_where_they_are_the_aim():
    X, y = slanted()
    fresh, truth = slanted(4000, 1)
    found = {}
    for aim in ("overall", "balanced", "f1:rare"):
        machine = TableMachine(learner="linear", aim=aim).fit(X, y)
        said = machine.predict(fresh)
        found[aim] = np.mean(said[truth == "rare"] != "rare")
        titles = [entry.title for entry in machine.contest_.entries]
        assert any("classes of equal weight" in title for title in titles) == (aim != "overall")
    assert found["balanced"] < 0.5 * found["overall"]
    assert found["balanced"] <= found["f1:rare"] <= found["overall"]


# Forests draw rows by their weights from scikit-learn 1.8 on; before, weights help them less
@pytest.mark.parametrize(("learner", "n"), [("kernel", 150), ("forest", 250), ("boosting", 150)])
def test_every_learner_can_weigh_its_classes(learner, n):
    X, y = slanted(n)
    machine = TableMachine(learner=learner, aim="balanced", kernel="auto").fit(X, y)
    weights = [entry.estimator.class_weight for entry in machine.contest_.entries]
    assert set(weights) == {"balanced", None}
    assert machine.contest_.best.estimator.class_weight == "balanced"


class TimeIsOver:
    """The progress of a run whose time is up when the winner is to be trained."""

    def __call__(self, *told, **more):
        pass

    def time_left(self):
        return 1e-9


def test_sequences_are_learned_though_the_time_is_over(monkeypatch):
    """The solver ends before its first step, and its constant answer was certified."""
    from mercer import datasets
    from mercer.tables import in_a_hurry, machine

    monkeypatch.setattr(machine, "LEAST", 1e-9)
    monkeypatch.setattr(in_a_hurry, "FAR", 0.0)  # what the clock stopped has not learned
    known = datasets.load_promoters()
    fitted = TableMachine(
        prepare="objects", kernel="weighted-degree", learner="svc", progress=TimeIsOver()
    ).fit(known.X[20:90], known.y[20:90])
    assert np.mean(fitted.predict(known.X[20:90]) == known.y[20:90]) > 0.9


def test_a_few_rows_are_better_than_a_machine_that_has_learned_nothing(monkeypatch):
    from mercer.tables import in_a_hurry, machine

    monkeypatch.setattr(machine, "LEAST", 1e-9)
    monkeypatch.setattr(in_a_hurry, "FAR", 0.0)  # what the clock stopped has not learned
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 2))
    y = np.where(X[:, 0] * X[:, 1] > 0, "a", "b")
    unfitted = TableMachine(learner="svc", kernel="gaussian", progress=TimeIsOver())
    with pytest.warns(UserWarning, match="trained on 300 of them"):
        fitted = unfitted.fit(X, y)
    assert np.mean(fitted.predict(X) == y) > 0.85


class LittleTime:
    """A progress that has so many seconds left, whenever it is asked."""

    stopped = False

    def __init__(self, left):
        self.left = left

    def time_left(self):
        return self.left

    def __call__(self, state):
        return False


@pytest.mark.parametrize(
    ("left", "first"), [(None, "kernel"), (1e3, "linear"), (1e-4, "kernel")],
    ids=["no limit", "a limit", "too little to cut texts"],
)  # fmt: skip
def test_words_are_tried_first_where_time_is_short(monkeypatch, left, first):
    monkeypatch.setattr(race, "pace", lambda: 1.0)
    table, kind = texts(60)
    machine = TableMachine(search_rows=60, progress=LittleTime(left))
    entrants = [one for one in entrants_for("auto") if one.suits(Case(machine, table, kind))]
    here = race.Race(Case(machine, table, kind), entrants)
    assert here._in_order()[0].name == first
    assert {one.title for one in here._in_order()} == {one.title for one in entrants}


def test_texts_are_not_cut_when_time_is_nearly_over(monkeypatch):
    monkeypatch.setattr(race, "pace", lambda: 1.0)
    table, kind = texts(60)
    progress = LittleTime(1e3)
    machine = TableMachine(search_rows=60, progress=progress)
    entrants = [one for one in entrants_for("auto") if one.title.startswith("kernel machine on")]
    kernel = next(one for one in entrants_for("auto") if one.title == "kernel machine")
    case = Case(machine, table, kind)
    here = race.Race(case, [kernel, *entrants])
    here.contest.entries.append(Entry(kernel, "", losses=np.zeros(60), status=DONE))
    assert entrants[0].preparing(case) == pytest.approx(CUTTING * sum(map(len, table[:, 0])))
    progress.left = entrants[0].preparing(case)
    here._enter(entrants[0])
    assert here.contest.entries[-1].message == "would take too long"
    assert not case.is_prepared("sparse")
    case.form("sparse")
    assert entrants[0].preparing(case) == 0.0


def test_a_search_that_had_no_time_tries_little_instead(monkeypatch):
    """The first search over kernels ends without a result: six settings on a few rows follow."""
    X, y = boxes(400)
    machine = TableMachine(learner="kernel", probability=False)
    real, seen = machine._searched, []

    def no_time(search, Z, y, most):
        seen.append((search.time_limit, most))
        if len(seen) == 1:
            raise TimeoutError
        return real(search, Z, y, most)

    monkeypatch.setattr(machine, "_searched", no_time)
    machine.fit(X, y)
    assert seen[1] == (None, 300)
    assert len(machine.search_.results_["params"]) == 6
    asked = TableMachine(learner="kernel", kernel="laplacian", probability=False)
    search = with_few_settings(asked, machine.search_.set_params(kernels=["laplacian"]), X, y)
    assert search.kernels == ["laplacian"]  # what was asked for stays


@pytest.mark.parametrize(("left", "folds"), [(1e3, 5), (-1.0, 1)])
def test_whoever_is_alone_when_time_is_over_goes_on_with_one_fold(left, folds):
    X, y = boxes(500)
    machine = TableMachine("regression", progress=LittleTime(left))
    forest = next(one for one in all_entrants() if one.name == "forest")
    case = Case(machine, X, X[:, 0] + (y == "in"))
    here = race.Race(case, [forest, forest])
    words, estimator = next(iter(forest.settings(case, forest.prepared(case)[1])))
    entry = Entry(forest, words, forest.prepared(case)[0], estimator)
    here._try(entry, forest.prepared(case)[1])
    assert entry.status == DONE
    assert np.isfinite(entry.losses).sum() == folds * 100
    assert np.isfinite(entry.loss)


def test_an_interval_takes_the_rows_there_are_when_time_is_over(monkeypatch):
    progress = LittleTime(-1.0)
    machine = TableMachine("regression", progress=progress)
    y = np.arange(1000.0)
    machine.scaled(y)
    losses = np.full(1000, np.nan)
    losses[:400] = 0.01
    kept = Entry(all_entrants()[0], "", losses=losses)
    monkeypatch.setattr(machine, "_final", lambda *given, **more: 1 / 0)  # no further training
    assert machine._tolerance(kept, y, y) == pytest.approx(0.1 * machine.target_spread_)
    progress.left = 100.0
    with pytest.raises(ZeroDivisionError):
        machine._tolerance(kept, y, y)
