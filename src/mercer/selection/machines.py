"""A fitted model as the machines that criteria and label codes speak about.

`cases_of` reads any model whose answers are f(x) = Σ_i c_i k(x_i, x) + b over its training rows:
support vector machines of both libraries, perceptrons, adaptive margins, kernel logistic and Fisher
machines, Bayes points, kernel ridge, and planes, whose kernel is the scalar product.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier
from sklearn.linear_model import Lasso, LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted

from mercer._types import Samples
from mercer.gram import build_gram
from mercer.kernels import Kernel, from_sklearn
from mercer.kernels.vectors.linear import Linear
from mercer.learners.discriminant import LogisticClassifier
from mercer.learners.margin.svm.machine import Machine
from mercer.learners.regression import LassoRegression, RidgeRegression
from mercer.learners.training_rows import rows_given
from mercer.losses import Logistic, Square
from mercer.selection._case import Case, Floats, GramView
from mercer.selection._ridge_spectrum import RidgeSpectrum
from mercer.selection.criteria._base import NotForThis

__all__ = ["Case", "cases_of"]


def cases_of(
    model: object,
    X: Samples | None = None,
    y: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    delta: float = 0.05,
) -> tuple[Case, ...]:
    """The trained machines of a fitted model, each over the rows it was trained on.

    Parameters
    ----------
    model : fitted estimator, Pipeline, KernelSearch, or Case
        What was trained. Of a search the best model is read, of a Pipeline the last step.
    X, y : array-like, default=None
        The training rows and targets as ``fit`` had them. They may be left out right after
        ``fit``, while the arrays given to it still exist.
    sample_weight : array-like, default=None
        The weights given to ``fit``; needed for ridge and logistic machines only.
    delta : float, default=0.05
        For criteria that are bounds.

    Returns
    -------
    tuple of Case
        One for two classes or a regression; for several classes one per binary machine.

    Raises
    ------
    NotForThis
        The model's answers are no sums of kernel values.
    ValueError
        The rows are gone, or are not those of the fit.

    Examples
    --------
    >>> from mercer import SVC
    >>> from mercer.datasets import make_moons
    >>> from mercer.selection import cases_of
    >>> X, y, _ = make_moons(60, random_state=0)
    >>> case, = cases_of(SVC().fit(X, y))
    >>> case.n
    60
    """
    if isinstance(model, Case):
        return (model,)
    model, X = _final(model, X)
    check_is_fitted(model)
    X, y = _training_rows(model, X, y)
    machines = getattr(getattr(model, "fitted_", None), "machines", ())
    if machines and all(isinstance(machine, Machine) for machine in machines):
        return _margin_machines(model, X, y, delta)
    if hasattr(model, "estimators_"):
        raise NotForThis(
            f"{type(model).__name__} is made of models: ask each of its estimators_, with the "
            "rows it was trained on"
        )
    weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    return (_single(model, X, y, weight, delta),)


def _final(model: object, X: Samples | None) -> tuple[Any, Any]:
    """The model that answers, and the rows as it sees them."""
    while hasattr(model, "best_estimator_"):
        model = model.best_estimator_
    if isinstance(model, Pipeline):
        X = None if X is None else model[:-1].transform(X) if len(model) > 1 else X
        return _final(model[-1], X)
    return model, X


def _training_rows(model: Any, X: Any, y: Any) -> tuple[Any, Any]:
    if X is None:
        held = rows_given(model)
        if held is None:
            raise ValueError(
                f"the rows this {type(model).__name__} was trained on are gone (a model keeps what "
                "its answers need): pass X and y as fit had them"
            )
        X, y = held[0], held[1] if y is None else y
    if y is None:
        raise ValueError("pass y with X, as fit had them")
    rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if rows != len(y):
        raise ValueError(f"X has {rows} rows and y has {len(y)}")
    return X, np.asarray(y)


# -- quadratic programmes --------------------------------------------------------------------------


def _margin_machines(model: Any, X: Any, y: Any, delta: float) -> tuple[Case, ...]:
    rows = _rows(model, X)
    whole = GramView(_matrix(model.kernel_, rows))
    cost = getattr(model, "C", None)
    features = rows.shape[1] if getattr(rows, "ndim", 0) == 2 else None
    found = []
    for machine in model.fitted_.machines:
        same = len(machine.rows) == whole.n
        view = whole if same else whole.subset(machine.rows)
        _check_outputs(view.array @ machine.coef + machine.intercept, machine.output, model)
        found.append(
            Case(
                view,
                machine.target,
                machine.coef,
                machine.output,
                machine.intercept,
                upper=machine.problem.upper[: len(machine.rows)] / abs(machine.scale),
                C=None if cost is None or not math.isfinite(cost) else cost / abs(machine.scale),
                learner=str(model.known_as),
                loss=str(getattr(model, "loss", "hinge")).replace("_", "-"),
                task="classification" if is_classifier(model) else "regression",
                offset=bool(getattr(model, "fit_intercept", True)),
                tol=float(model.tol),
                delta=delta,
                kernel=model.kernel_,
                dimension=model.kernel_.dimension(features),
            )
        )
    return tuple(found)


# -- other machines --------------------------------------------------------------------------------


def _single(model: Any, X: Any, y: Any, weight: Floats | None, delta: float) -> Case:
    kernel, K = _kernel_and_matrix(model, X)
    n = len(K)
    kept = getattr(getattr(model, "fitted_", None), "kept", None)
    if kept is not None:
        y, weight = y[kept], None if weight is None else weight[kept]
    target = _targets(model, y)
    output = _outputs(model, X, kept)
    intercept = float(np.ravel(getattr(model, "intercept_", 0.0))[0])
    coef = _coefficients(model, K, X, output - intercept)
    _check_outputs(K @ coef + intercept, output, model)
    features = X.shape[1] if getattr(X, "ndim", 0) == 2 else None
    weight = np.ones(n) if weight is None else weight
    case = Case(
        GramView(K),
        target,
        coef,
        output,
        intercept,
        C=_price(model),
        learner=str(getattr(model, "known_as", "")) or type(model).__name__,
        loss=_loss(model),
        task="classification" if is_classifier(model) else "regression",
        offset=bool(getattr(model, "fit_intercept", intercept != 0.0)),
        delta=delta,
        kernel=kernel,
        dimension=None if kernel is None else kernel.dimension(features),
        extra=_extra(model, K, target, weight, output) | {"weight": weight},
    )
    return case


def _kernel_and_matrix(model: Any, X: Any) -> tuple[Kernel | None, Floats]:
    if hasattr(model, "kernel_") and hasattr(model, "_query"):
        known = model.kernel_ if isinstance(model.kernel_, Kernel) else None  # or scikit-learn's
        return known, _matrix(model.kernel_, _rows(model, X))
    if hasattr(model, "support_") and hasattr(model, "_gamma"):  # scikit-learn's machines
        if callable(model.kernel) or model.kernel == "precomputed":
            K = X if model.kernel == "precomputed" else model.kernel(X, X)
            return None, np.asarray(K, dtype=np.float64)
        kernel = from_sklearn(model.kernel, model._gamma, model.degree, model.coef0)
        return kernel, _matrix(kernel, X)
    weights = np.atleast_2d(getattr(model, "coef_", np.empty((0, 0))))
    if np.ndim(X) == 2 and weights.shape == (1, np.shape(X)[1]):
        rows = _rows(model, X) if hasattr(model, "_query") else X
        return Linear(), _matrix(Linear(), rows)
    raise NotForThis(
        f"the answers of {type(model).__name__} are no sums of kernel values over its training "
        "rows with published coefficients, or it has several outputs"
    )


def _rows(model: Any, X: Any) -> Any:
    """The training rows, checked as at fit, without those of weight zero."""
    kept = getattr(model.fitted_, "kept", None)
    if kept is None:
        return model._query(X)
    if model.fitted_.kind.square:
        return model._query(np.asarray(X)[np.ix_(kept, kept)])
    return _safe_indexing(model._query(X), kept)


def _matrix(kernel: Any, rows: Any) -> Floats:
    if not isinstance(kernel, Kernel):
        return np.asarray(kernel(rows), dtype=np.float64)
    return np.asarray(build_gram(kernel, rows, use="rows").dense(), dtype=np.float64)


def _outputs(model: Any, X: Any, kept: NDArray[Any] | None) -> Floats:
    given = X if kept is None or not model.fitted_.kind.square else np.asarray(X)[:, kept]
    answer = model.decision_function if is_classifier(model) else model.predict
    found = np.asarray(answer(given), dtype=np.float64)
    if found.ndim > 1 and found.shape[1] == 1:
        found = found[:, 0]
    if found.ndim != 1:
        raise NotForThis(f"{type(model).__name__} has several outputs; ask about one at a time")
    return found if kept is None else found[kept]


def _coefficients(model: object, K: Floats, X: Samples, function: Floats) -> Floats:
    """Of every training row."""
    found = getattr(model, "dual_coef_", None)
    if found is not None:
        values = np.ravel(found.toarray() if hasattr(found, "toarray") else found)
        if hasattr(model, "support_") and len(values) == len(model.support_):
            coef = np.zeros(len(K))
            coef[model.support_] = values
            return coef
        if len(values) == len(K):
            return np.asarray(values, dtype=np.float64)
    # a plane: its normal vector is a combination of the rows, the shortest of all such
    return np.asarray(np.linalg.lstsq(K, function, rcond=1e-12)[0], dtype=np.float64)


def _check_outputs(rebuilt: Floats, output: Floats, model: object) -> None:
    size = max(1.0, float(np.max(np.abs(output), initial=0.0)))
    if rebuilt.shape != output.shape or float(np.max(np.abs(rebuilt - output))) > 1e-3 * size:
        raise ValueError(
            f"these are not the rows this {type(model).__name__} was trained on, or its answers "
            "are no sums of kernel values over them"
        )


def _targets(model: Any, y: NDArray[Any]) -> Floats:
    if not is_classifier(model):
        return np.asarray(y, dtype=np.float64).reshape(len(y))
    if len(model.classes_) != 2:
        raise NotForThis(
            f"{len(model.classes_)} classes in one {type(model).__name__}: criteria and codes "
            "speak about two-class machines"
        )
    return np.where(y == model.classes_[1], 1.0, -1.0)


def _price(model: object) -> float | None:
    cost = getattr(model, "C", None)
    return float(cost) if isinstance(cost, int | float) and math.isfinite(cost) else None


def _loss(model: object) -> str:
    """In the words of `Case`: "logistic", "squared", "hinge" and other names of losses."""
    loss = getattr(model, "loss_", None) or getattr(model, "loss", None)
    if isinstance(loss, Logistic) or isinstance(model, LogisticClassifier | LogisticRegression):
        return "logistic"
    if loss is not None:
        name = loss if isinstance(loss, str) else type(loss).__name__
        return str(name).replace("_", "-").lower()
    return "hinge" if is_classifier(model) else "squared"


def _extra(
    model: object, K: Floats, target: Floats, weight: Floats, output: Floats
) -> dict[str, Any]:
    """What is known in closed form: ridge, and the weights that a lasso left."""
    loss = getattr(model, "loss_", None)
    if is_classifier(model) or (loss is not None and not isinstance(loss, Square)):
        return {} if loss is None else {"loss": loss}
    if isinstance(model, LassoRegression | Lasso):
        return {"freedom": float(np.count_nonzero(model.coef_)) + bool(model.fit_intercept)}
    alpha = _ridge_penalty(model)
    if alpha is None:
        return {}
    spectrum = RidgeSpectrum(K, target, weight, bool(getattr(model, "fit_intercept", False)))
    if alpha == 0.0:
        return {"freedom": float(spectrum.rank)}
    fit = spectrum.at(alpha)
    if np.allclose(target - fit.residuals / spectrum.root, output, rtol=1e-4, atol=1e-6):
        return {"ridge": fit}
    return {}


def _ridge_penalty(model: Any) -> float | None:
    """α of Σ (y − f)² + α‖f‖², if the machine may be one; its outputs tell whether it is."""
    if isinstance(getattr(model, "loss_", None), Square):
        return 0.5 / float(model.C)
    found = getattr(model, "alpha_", getattr(model, "alpha", None))
    if found is None and isinstance(model, RidgeRegression):
        return 0.0
    if found is None or isinstance(found, str) or np.ndim(found):
        return None
    return float(found)
