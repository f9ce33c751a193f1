"""The number of a learner in a pipeline again, fetched by a detour that forgets the pipeline."""

import copy
import pickle
import tempfile
from pathlib import Path

import joblib
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import BaggingClassifier
from sklearn.pipeline import make_pipeline

import mercer
from helpers_leaks import claim, noise, way
from mercer.bounds import assess


def _behind_a_discriminant(rng):
    """The last step of a pipeline that has learnt 100 coin flips by heart."""
    X, y = noise(rng, 100, 90)
    steps = make_pipeline(LinearDiscriminantAnalysis(), mercer.SVC(kernel="linear"))
    return steps.fit(X, y)[-1]


def _saved(model):
    with tempfile.TemporaryDirectory() as folder:
        mercer.save(model, Path(folder) / "model.mercer")
        return mercer.load(Path(folder) / "model.mercer")


DETOURS = {
    "pickled": lambda svc: pickle.loads(pickle.dumps(svc)).certificate_,
    "saved": lambda svc: _saved(svc).certificate_,
    "copied": lambda svc: copy.deepcopy(svc).certificate_,
    "with_another_delta": lambda svc: svc.set_params(delta=0.04).certificate_,
    "asked_for_again": lambda svc: svc.set_params(certify="in-sample").certificate_,
    "as_a_function": mercer.certification.in_sample_certificate,
    "from_its_evidence": lambda svc: assess(svc.evidence_, 0.05)[0]["vc-additive"],
    "among_all": lambda svc: svc.certificates_["vc-additive"],
}


def _by(detour):
    return lambda rng: claim(DETOURS[detour](_behind_a_discriminant(rng)))


for _name in DETOURS:
    way(name=f"svc_of_a_pipeline_{_name}")(_by(_name))


class Own(ClassifierMixin, BaseEstimator):
    """A pipeline written by hand."""

    def fit(self, X, y):
        self.first_ = LinearDiscriminantAnalysis().fit(X, y)
        self.last_ = mercer.SVC(kernel="linear").fit(self.first_.transform(X), y)
        return self


@way()
def svc_of_a_class_that_learns_first(rng):
    return claim(Own().fit(*noise(rng, 100, 90)).last_.certificate_)


@way()
def svc_of_a_bag_in_threads(rng):
    """The outer estimator is not on the stack of a thread."""
    X, y = noise(rng, 100, 90)
    steps = make_pipeline(LinearDiscriminantAnalysis(), mercer.SVC(kernel="linear"))
    bag = BaggingClassifier(steps, 2, bootstrap=False, n_jobs=2, random_state=0)
    with joblib.parallel_config("threading"):
        bag.fit(X, y)
    return claim(bag.estimators_[0][-1].certificate_)
