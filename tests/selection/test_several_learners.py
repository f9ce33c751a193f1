"""A list of learners: the best of all, and what is searched without a grid fold by fold."""

import numpy as np
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import (
    SVC,
    SVR,
    KernelRidge,
    KernelSearch,
    NuSVC,
    RelevanceVectorClassifier,
    certified_fit,
)
from mercer.kernels import Spectrum
from mercer.selection import EveryCandidateFailed
from mercer.selection.criteria import NotForThis

RNG = np.random.default_rng(3)
X = RNG.normal(size=(90, 3))
Y = np.where(X[:, 0] ** 2 + X[:, 1] > 0.7, "in", "out")
NUMBERS = np.sin(X[:, 0]) + 0.1 * RNG.normal(size=90)
PLAIN = SVC(certify=None)


def test_the_best_of_all_is_kept():
    learners = [LogisticRegression(), PLAIN]
    search = KernelSearch(
        learners, param_grid={"C": [0.1, 1.0, 10.0], "gamma": [0.3, 1.0]}, random_state=0
    ).fit(X, Y)
    alone = [
        KernelSearch(learners[0], param_grid={"C": [0.1, 1.0, 10.0]}, random_state=0).fit(X, Y),
        KernelSearch(
            PLAIN,
            param_grid={"C": [0.1, 1.0, 10.0], "gamma": [0.3, 1.0]},
            criterion="cv",
            random_state=0,
        ),
    ]
    alone[1].fit(X, Y)
    assert search.criterion_ == "cv"
    assert search.best_value_ == min(one.best_value_ for one in alone)
    assert search.best_learner_ == "SVC"  # the border is a parabola
    table = search.results_
    assert list(table["learner"]) == ["LogisticRegression"] * 3 + ["SVC"] * 6
    assert table["learner"][search.best_index_] == "SVC"
    assert table["params"][search.best_index_] == search.best_params_
    assert table["rank_test_score"][search.best_index_] == 1
    assert sorted(table["tried"]) == list(range(9))
    assert search.n_candidates_ == 9
    assert isinstance(search.best_estimator_, SVC)
    assert search.score(X, Y) > 0.9


def test_a_pipeline_and_a_plain_learner_have_values_of_their_own():
    grid = {"svc__C": [1.0, 2.0], "C": [3.0], "gamma": [1.0]}
    search = KernelSearch([make_pipeline(StandardScaler(), PLAIN), PLAIN], param_grid=grid).fit(
        X, Y
    )
    costs = [params.get("svc__C", params.get("C")) for params in search.results_["params"]]
    assert costs == [1.0, 2.0, 3.0]
    alone = KernelSearch([PLAIN], param_grid={"C": [1.0], "gamma": [1.0]}).fit(X, Y)
    assert list(alone.results_["learner"]) == ["SVC"]
    with pytest.raises(ValueError, match="'C' and 'svc__C', which are the same"):
        KernelSearch(make_pipeline(StandardScaler(), PLAIN), param_grid=grid).fit(X, Y)


def test_equal_kinds_keep_their_own_criterion():
    search = KernelSearch([NuSVC(certify=None), PLAIN]).fit(X, Y)
    assert search.criterion_ == "cv-smooth"
    numbers = KernelSearch([SVR(certify=None), KernelRidge(fit_intercept=True), Ridge()],
                           param_grid={"alpha": [0.1, 1.0]})  # fmt: skip
    assert numbers.fit(X, NUMBERS).criterion_ == "cv"
    assert numbers.best_learner_ != "Ridge"
    assert set(numbers.results_["learner"]) == {"SVR", "KernelRidge", "Ridge"}


def test_it_is_an_estimator_like_others():
    search = KernelSearch([PLAIN, SVC(certify=None, loss="squared_hinge")])
    assert is_classifier(search)
    assert is_regressor(KernelSearch([SVR(), Ridge()]))
    assert len(clone(search).estimator) == 2
    assert cross_val_score(search, X, Y, cv=2).min() > 0.6
    assert search.fit(X, Y).best_learner_ in ("SVC 1", "SVC 2")


def test_its_certificate_pays_for_all_learners():
    grid = {"C": [1.0, 10.0], "gamma": [0.3, 1.0]}
    learners = [SVC(), SVC(loss="squared_hinge")]
    search = KernelSearch(learners, param_grid=grid, certify="union").fit(X, Y)
    assert search.certificate_.details["candidates"] == 8
    assert search.certificate_.details["own_delta"] == pytest.approx(0.05 / 8)
    with pytest.raises(ValueError, match="one learner"):
        certified_fit(KernelSearch(learners), X, Y, mode="shortlist")


def test_limits_and_failures(tmp_path):
    with pytest.raises(ValueError, match="empty list"):
        KernelSearch([]).fit(X, Y)
    with pytest.raises(ValueError, match="classifiers and regressors"):
        KernelSearch([PLAIN, SVR()]).fit(X, Y)
    with pytest.raises(ValueError, match="no parameter of the estimator"):
        KernelSearch([PLAIN, NuSVC()], param_grid={"zeta": [1.0]}).fit(X, Y)
    with pytest.raises(TimeoutError, match="before any candidate"):
        KernelSearch([PLAIN, NuSVC()], time_limit=1e-9).fit(X, Y)
    with pytest.raises(EveryCandidateFailed, match=r"LogisticRegression, .*C=-1"):
        KernelSearch([PLAIN, LogisticRegression()], param_grid={"C": [-1.0]}).fit(X, Y)
    half = KernelSearch([LogisticRegression(), PLAIN], param_grid={"C": [1.0], "l1_ratio": [7.0]})
    half.fit(X, Y)  # one learner fails, with its reason in the table; the other is kept
    assert half.best_learner_ == "SVC"
    assert list(half.results_["status"]).count("failed") == 1
    assert "l1_ratio" in half.results_["message"][0]
    path = tmp_path / "search.jsonl"
    for _ in range(2):
        KernelSearch([PLAIN, NuSVC(certify=None)], checkpoint=path).fit(X, Y)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["search-NuSVC.jsonl", "search-SVC.jsonl"]


def test_an_interruption_keeps_what_other_learners_found():
    count = []

    def stop(state):
        count.append(state)
        if len(count) == 12:
            raise KeyboardInterrupt

    search = KernelSearch([PLAIN, NuSVC(certify=None)], progress=stop)
    with pytest.raises(KeyboardInterrupt, match="interrupted after"):
        search.fit(X, Y)
    assert search.best_params_
    assert search.stopped_ == "interrupted"


@pytest.mark.parametrize(
    "estimator",
    [
        make_pipeline(SelectKBest(k=2), SVC(certify=None)),
        RelevanceVectorClassifier(),
    ],
    ids=["a step that looks at labels", "a learner without a route"],
)
def test_mercers_machines_need_no_grid_fold_by_fold(estimator):
    search = KernelSearch(estimator, cv=2).fit(X.tolist(), Y.tolist())
    assert search.route_ == "one training per candidate and fold"
    assert search.best_score_ > 0.8
    assert len(set(search.results_["bandwidth"])) > 5


@pytest.mark.filterwarnings("ignore::mercer.NothingLearnedWarning")
def test_relevance_vectors_by_their_own_evidence():
    search = KernelSearch(RelevanceVectorClassifier(), criterion="marginal-likelihood").fit(X, Y)
    best = RelevanceVectorClassifier(kernel=search.best_kernel_).fit(X, Y)
    assert search.best_value_ == pytest.approx(-best.log_marginal_likelihood_value_ / len(X))
    values = search.results_["value"]
    assert search.best_value_ == values.min() < values.max()
    with pytest.raises(NotForThis, match="is about c-svc"):
        KernelSearch(RelevanceVectorClassifier(), criterion="span").fit(X, Y)


def test_weights_count_in_the_errors_of_every_route():
    weight = np.where(np.arange(90) < 45, 1.0, 1e-9)
    params = {"C": [1.0], "gamma": [1.0]}
    fast = KernelSearch(PLAIN, param_grid=params, criterion="cv", random_state=0).fit(
        X, Y, sample_weight=weight
    )
    grid = {"svc__C": [1.0], "svc__gamma": [1.0]}
    slow = KernelSearch(make_pipeline(SelectKBest(k=3), PLAIN), grid, random_state=0)
    slow.fit(X, Y, sample_weight=weight)
    assert slow.best_score_ == pytest.approx(fast.best_score_, abs=1e-6)


class Unweighted(LogisticRegression):
    """Its score knows no weights, its training does."""

    def score(self, X, y):
        return super().score(X, y)


def test_a_score_of_its_own_without_weights_counts_every_row():
    options = {"kernels": None, "param_grid": {"C": [1.0]}, "random_state": 0}
    found = KernelSearch(Unweighted(), **options).fit(X, Y, sample_weight=np.ones(90))
    assert found.best_score_ == KernelSearch(LogisticRegression(), **options).fit(X, Y).best_score_


def test_what_cannot_be_searched_says_why():
    with pytest.raises(ValueError, match=r"param_grid=\{'C': "):
        KernelSearch(LogisticRegression()).fit(X, Y)
    with pytest.raises(ValueError, match="positive weight are of class"):
        KernelSearch().fit(X, Y, sample_weight=Y == "in")
    words = ["abab", "baba"] * 10
    with pytest.raises(ValueError, match="X holds strings"):
        KernelSearch().fit(words, [0, 1] * 10)
    assert KernelSearch(SVC(kernel=Spectrum(2))).fit(words, [0, 1] * 10).best_score_ == 1.0
