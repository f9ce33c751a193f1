"""What was fitted around a learner, on the rows its certificate counts, is not covered by it."""

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.cross_decomposition import PLSRegression
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier, StackingClassifier
from sklearn.feature_selection import RFE, SelectFromModel, SelectKBest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import FunctionTransformer

import mercer
from helpers_leaks import claim, noise, way
from mercer import kernels
from mercer.learners.margin import KernelPerceptron, Perceptron

SPENDING = ("auto", "holdout", "compress", "progressive", "selective")


def _spending_rows_behind_a_selector(mode):
    def run(rng):
        X, y = noise(rng, 80, 500)
        svc = mercer.SVC(kernel="linear", certify=mode, delta=0.05)
        return claim(make_pipeline(SelectKBest(k=8), svc).fit(X, y)[-1].certificate_)

    return run


for _mode in SPENDING:
    way(name=f"selector_then_svc_{_mode}", draws=8)(_spending_rows_behind_a_selector(_mode))


@way(draws=5)
def discriminant_then_svc_spending_rows(rng):
    X, y = noise(rng, 80, 60)
    steps = make_pipeline(LinearDiscriminantAnalysis(), mercer.SVC(kernel="linear", certify="auto"))
    return claim(steps.fit(X, y)[-1].certificate_)


def _pick(X, columns):
    return X[:, list(columns)]


def _candidates(rng, X, y):
    """Columns to choose from, as a grid: some at random, and some that a look at y brought up."""
    found = SelectKBest(k=8).fit(X, y).get_support(indices=True)
    drawn = [rng.choice(X.shape[1], 8, replace=False) for _ in range(3)]
    return [{"columns": [int(c) for c in columns]} for columns in (*drawn, found)]


@way(draws=8)
def winner_of_a_search_spending_rows(rng):
    X, y = noise(rng, 80, 500)
    svc = mercer.SVC(kernel="linear", certify="auto")
    steps = make_pipeline(FunctionTransformer(_pick), svc)
    grid = {"functiontransformer__kw_args": _candidates(rng, X, y)}
    search = GridSearchCV(steps, grid, cv=2, error_score="raise").fit(X, y)
    return claim(search.best_estimator_[-1].certificate_)


@way()
def selector_then_plain_svc(rng):
    X, y = noise(rng, 100, 5000)
    steps = make_pipeline(SelectKBest(k=30), mercer.SVC(kernel="linear"))
    return claim(steps.fit(X, y)[-1].certificate_)


@way()
def discriminant_then_plain_svc(rng):
    X, y = noise(rng, 100, 90)
    steps = make_pipeline(LinearDiscriminantAnalysis(), mercer.SVC(kernel="linear"))
    return claim(steps.fit(X, y)[-1].certificate_)


def _first_of_two(pair):
    return pair[0]


@way()
def partial_least_squares_then_svc(rng):
    """Two directions that follow the labels, as a transformer of scikit-learn's gives them."""
    X, y = noise(rng, 100, 2000)
    steps = (PLSRegression(2), FunctionTransformer(_first_of_two), mercer.SVC(kernel="linear"))
    return claim(make_pipeline(*steps).fit(X, y)[-1].certificate_)


@way()
def columns_chosen_by_another_model_then_svc(rng):
    X, y = noise(rng, 100, 2000)
    chooser = SelectFromModel(LogisticRegression(), max_features=30, threshold=-np.inf)
    return claim(make_pipeline(chooser, mercer.SVC(kernel="linear")).fit(X, y)[-1].certificate_)


@way()
def selector_inside_a_union_then_svc(rng):
    X, y = noise(rng, 100, 5000)
    union = FeatureUnion([("one", SelectKBest(k=20)), ("two", SelectKBest(k=30))])
    return claim(make_pipeline(union, mercer.SVC(kernel="linear")).fit(X, y)[-1].certificate_)


@way()
def selector_inside_a_column_transformer_then_perceptron(rng):
    X, y = noise(rng, 100, 90)
    columns = ColumnTransformer([("chosen", LinearDiscriminantAnalysis(), slice(0, 90))])
    return claim(make_pipeline(columns, Perceptron()).fit(X, y)[-1].certificate_)


@way()
def discriminant_then_kernel_perceptron(rng):
    X, y = noise(rng, 100, 90)
    steps = make_pipeline(LinearDiscriminantAnalysis(), KernelPerceptron(kernel="linear"))
    return claim(steps.fit(X, y)[-1].certificate_)


@way()
def columns_eliminated_around_an_svc(rng):
    X, y = noise(rng, 100, 2000)
    chosen = RFE(mercer.SVC(kernel="linear"), n_features_to_select=30, step=0.5).fit(X, y)
    return claim(chosen.estimator_.certificate_)


@way()
def last_svc_of_a_stack(rng):
    X, y = noise(rng, 200, 5)
    forest = FrozenEstimator(RandomForestClassifier(20, random_state=0).fit(X, y))
    stack = StackingClassifier([("forest", forest)], mercer.SVC(kernel="linear"), cv="prefit")
    return claim(stack.fit(X, y).final_estimator_.certificate_)


@way()
def one_of_a_bag_of_svcs(rng):
    X, y = noise(rng, 100, 90)
    lda = LinearDiscriminantAnalysis()
    bag = BaggingClassifier(
        make_pipeline(lda, mercer.SVC(kernel="linear")), 2, bootstrap=False, random_state=0
    )
    return claim(bag.fit(X, y).estimators_[0][-1].certificate_)


@way()
def pipeline_inside_a_search_in_sample(rng):
    X, y = noise(rng, 100, 90)
    steps = make_pipeline(LinearDiscriminantAnalysis(), mercer.SVC(kernel="linear"))
    search = GridSearchCV(steps, {"svc__C": [0.1, 1.0]}, cv=2).fit(X, y)
    return claim(search.best_estimator_[-1].certificate_)


@way()
def in_sample_certificate_of_a_pipeline(rng):
    """Says what it does not cover since the first version."""
    X, y = noise(rng, 100, 90)
    steps = make_pipeline(LinearDiscriminantAnalysis(), mercer.SVC(kernel="linear")).fit(X, y)
    return claim(mercer.certification.in_sample_certificate(steps))


@way(draws=8)
def certified_behind_a_selector(rng):
    X, y = noise(rng, 80, 500)
    last = mercer.Certified(KNeighborsClassifier(), mode="holdout", random_state=0)
    return claim(make_pipeline(SelectKBest(k=8), last).fit(X, y)[-1].certificate_)


@way(draws=5)
def certified_behind_a_discriminant(rng):
    X, y = noise(rng, 80, 60)
    last = mercer.Certified(mercer.SVC(kernel="linear"), mode="auto", random_state=0)
    return claim(make_pipeline(LinearDiscriminantAnalysis(), last).fit(X, y)[-1].certificate_)


@way(draws=8)
def certified_inside_a_search(rng):
    """The search picks columns by their scores on the counted rows."""
    X, y = noise(rng, 80, 500)
    inner = make_pipeline(FunctionTransformer(_pick), mercer.SVC(kernel="linear"))
    certified = mercer.Certified(inner, mode="auto", random_state=0)
    grid = {"estimator__functiontransformer__kw_args": _candidates(rng, X, y)}
    return claim(GridSearchCV(certified, grid, cv=2).fit(X, y).best_estimator_.certificate_)


def _hidden(step, rng):
    X, y = noise(rng, 100, 1000)
    selector = SelectKBest(k=8).fit(X, y)
    model = make_pipeline(step(selector), KNeighborsClassifier(5))
    return claim(mercer.certified_fit(model, X, y, random_state=0).certificate_)


@way(draws=5)
def fitted_selector_in_a_function_transformer(rng):
    return _hidden(lambda selector: FunctionTransformer(selector.transform), rng)


@way(draws=5)
def fitted_selector_in_a_closure(rng):
    return _hidden(lambda selector: FunctionTransformer(lambda X: selector.transform(X)), rng)


@way(draws=5)
def fitted_selector_frozen(rng):
    """Named in the first line since the first version."""
    return _hidden(FrozenEstimator, rng)


@way()
def kernel_made_of_a_fitted_forest(rng):
    X, y = noise(rng, 100, 5)
    forest = RandomForestClassifier(30, random_state=0).fit(X, y)

    def together(A, B):
        return np.mean(forest.apply(A)[:, None] == forest.apply(B)[None], axis=2)

    svc = mercer.SVC(kernel=together, C=10.0)
    return claim(mercer.certified_fit(svc, X, y, random_state=0).certificate_)


@way(draws=5)
def features_of_a_fitted_selector(rng):
    X, y = noise(rng, 100, 1000)
    selector = SelectKBest(k=8).fit(X, y)
    svc = mercer.SVC(kernel=kernels.FromFeatures(selector.transform))
    return claim(mercer.certified_fit(svc, X, y, random_state=0).certificate_)


@way(draws=5)
def fitted_selector_in_a_dictionary(rng):
    def step(selector):
        parts = {"columns": selector}
        return FunctionTransformer(lambda X: parts["columns"].transform(X))

    return _hidden(step, rng)


@way(draws=5)
def fitted_selector_names_the_columns(rng):
    def step(selector):
        names = lambda X: selector.get_support(indices=True)  # noqa: E731
        return ColumnTransformer([("chosen", "passthrough", names)])

    return _hidden(step, rng)


class _Model:
    """A model of the user's own, no estimator."""

    def __init__(self, inner):
        self.inner = inner

    def __call__(self, X):
        return self.inner.transform(X)


class _Holder:
    def __init__(self, model):
        self.model = model

    def columns(self, X):
        return self.model(X)


@way(draws=5)
def fitted_selector_in_an_object_in_an_object(rng):
    return _hidden(lambda s: FunctionTransformer(_Holder(_Model(s)).columns), rng)
