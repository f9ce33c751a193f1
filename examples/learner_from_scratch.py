"""A learner from scratch: what it takes, how it trains, what it answers, what it publishes."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mercer.bounds import Evidence
from mercer.datasets import make_moons
from mercer.learners.template import (
    Classifies,
    Door,
    Fitted,
    Learner,
    Publishes,
    Weighted,
    rows_of,
)


@dataclass(frozen=True, kw_only=True)
class MeansFitted(Fitted):
    """Everything that the fit leaves."""

    means: np.ndarray
    errors: int


class NearestMean(Weighted, Publishes, Classifies, Learner):
    """The class whose mean is nearest."""

    _two_only: ClassVar[bool] = True
    _door: ClassVar[Door] = Door(targets="labels", sparse=False, weights="drop")

    def __init__(self, *, certify="in-sample", delta=0.05):  # constructors only store
        self.certify = certify
        self.delta = delta

    def _train(self, sample):  # reads arguments and rows, returns a record, sets nothing
        labels = self._labels(sample)
        means = np.stack(
            [np.average(sample.X[at], axis=0, weights=sample.weight[at])
             for at in (labels.codes == 0, labels.codes == 1)]
        )  # fmt: skip
        wrong = (_output(means, sample.X) >= 0) != (labels.codes == 1)
        return MeansFitted(
            **rows_of(sample), classes=labels.classes, means=means, errors=int(wrong.sum())
        )

    def _publish(self, fitted):  # public attributes, from the record only
        super()._publish(fitted)
        self.means_ = fitted.means

    def _outputs(self, X):  # predict and decision_function follow from it
        return _output(self.fitted_.means, X)

    def _publish_evidence(self):  # what bounds may know; they believe it
        fitted = self.fitted_
        return Evidence(
            fitted.n,
            learner="this NearestMean",
            errors=fitted.errors,
            dimension=fitted.means.shape[1],
            offset=float(_output(fitted.means, np.zeros((1, 2)))[0]),
        )


def _output(means, X):
    """Half the difference of squared distances: linear in x, positive nearer the second mean."""
    return X @ (means[1] - means[0]) - (np.sum(means[1] ** 2) - np.sum(means[0] ** 2)) / 2


X, y, _ = make_moons(400, scale=0.3, random_state=0)
model = NearestMean().fit(X, y)
print(f"{model.score(X, y):.1%} of the training rows are right")
for certificate in model.certificates_.values():
    print(certificate)
