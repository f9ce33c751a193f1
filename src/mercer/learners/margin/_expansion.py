"""Two-class machines that are kernel expansions but no quadratic programme."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from mercer.bounds import Choice, Evidence
from mercer.gram import build_gram
from mercer.learners import _data, _kernel
from mercer.learners._parameters import check_parameters
from mercer.learners.margin.svm._base import MarginMachine

Floats = NDArray[np.float64]


def two_classes(y: NDArray[Any], what: str) -> tuple[NDArray[Any], Floats]:
    """The classes and labels -1, +1; anything but two classes is refused."""
    check_classification_targets(y)
    kind = type_of_target(y)
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) > 2:
        raise ValueError(
            f"Only binary classification is supported. The type of the target is {kind}. "
            f"{what} separates two classes and got {len(classes)}: wrap it in "
            "mercer.learners.multiclass.OneVsRest, OneVsOne or DecisionDAG."
        )
    if len(classes) < 2:
        raise ValueError(
            "The number of classes has to be greater than one; got 1 class "
            f"({classes.tolist()[0]!r}): there is nothing to separate."
        )
    return classes, np.where(codes == 1, 1.0, -1.0)


class TwoClassExpansion(ClassifierMixin, MarginMachine):
    """``f(x) = Σ_i β_i k(x_i, x)``: validation, kernel, prediction and the common evidence.

    A learner writes ``_train(gram, sign, weight)``, which returns the signed coefficients and the
    outputs at the training rows, and may add to ``_publish_evidence``.
    """

    _kind = "classifier"
    _formulation = ""
    cache_size = 200.0

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    # -- fit ---------------------------------------------------------------------------------------

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Any:
        check_parameters(self, self._rules)
        self._forget_certificates()
        sample = _data.training_sample(self, X, y, sample_weight)
        self.classes_, sign = two_classes(sample.y, type(self).__name__)
        used = sample.weight > 0
        if len(np.unique(sign[used])) < 2:
            raise ValueError("All samples with positive weights belong to the same class.")
        meant = _kernel.meant_by(self, sample.X)
        self.kernel_, self._gamma = meant.kernel, meant.gamma
        gram = build_gram(meant.kernel, sample.X, use="rows", checked=meant.checked)
        self._describe(sample, gram)
        self._sign, self._used = sign, used
        coef, self._output = self._train(gram, sign, sample.weight)
        self._remember(sample.X)
        self._adopt(sample.X, coef)
        self._indefinite = _kernel.warn_if_indefinite(self.kernel_, gram, np.sort(self.support_))
        return self

    def _train(self, gram: Any, sign: Floats, weight: Floats) -> tuple[Floats, Floats]:
        raise TypeError(f"{type(self).__name__} does not say how it is trained")

    def _adopt(self, X: Any, coef: Floats) -> None:
        """Publish the expansion; support vectors are grouped by class as everywhere."""
        support = np.flatnonzero(coef)
        support = support[np.argsort(self._sign[support], kind="stable")]
        self.intercept_ = np.zeros(1)
        self._alpha = np.abs(coef)
        self._squared_norm = float(coef @ self._output)
        self._publish_support(X, support, coef[None, support])
        counts = [int(np.sum(self._sign[support] < 0)), int(np.sum(self._sign[support] > 0))]
        self._n_support = np.array(counts, dtype=np.int32)

    # -- prediction --------------------------------------------------------------------------------

    def decision_function(self, X: Any) -> Floats:
        """The machine's output; positive means the second class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            New points; with ``kernel="precomputed"`` their values against the training rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            ``sum_i dual_coef_i k(x_i, x)``.
        """
        return self._values(X)[:, 0]

    def predict(self, X: Any) -> NDArray[Any]:
        """Predicted class of each point.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            New points; with ``kernel="precomputed"`` their values against the training rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.
        """
        positive = self.decision_function(X) >= 0
        return self.classes_[positive.astype(np.intp)]

    # -- evidence ----------------------------------------------------------------------------------

    def _publish_evidence(self) -> Evidence:
        used = self._used
        margins = (self._sign * self._output)[used]
        geometric = not (self.kernel_.psd is False or self._indefinite) and self._squared_norm >= 0
        own = self._own_norms()[used]
        size = self.kernel_.dimension(getattr(self, "n_features_in_", None))
        return Evidence(
            n=int(used.sum()),
            learner=f"this {type(self).__name__}",
            formulation=self._formulation,
            errors=int(np.count_nonzero((self._output >= 0)[used] != (self._sign > 0)[used])),
            margins=margins,
            alphas=self._alpha[used],
            point_norms=np.sqrt(own) if geometric else None,
            norm=math.sqrt(max(self._squared_norm, 0.0)) if geometric else None,
            radius=self.kernel_.known_radius(own),
            kernel_range=self.kernel_.spread,
            trace=float(np.sum(own)) if geometric else None,
            dimension=size,
            rank=None if size is None or math.isinf(size) else int(size),
            choices=self._choices(),
        )

    def _own_norms(self) -> Floats:
        own = self._diagonal
        own = np.full(len(self._sign), own[0]) if len(own) == 1 else own
        return np.maximum(own, 0.0)

    def _choices(self) -> tuple[Choice, ...]:
        """What was read off the training rows, besides the coefficients."""
        found = list(_kernel.kernel_choices(self))
        if self._left_out:
            found.append(Choice("the rows of weight zero", f"{self._left_out} rows left out"))
        return tuple(found)
