"""One adapter per library: fit, predict, and the dual coefficients in one common form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.cases import Case


@dataclass(frozen=True)
class Duals:
    """Support rows and coefficients as LIBSVM lays them out; rows are grouped by class."""

    support: np.ndarray
    coef: np.ndarray  # (classes - 1, support vectors), or (1, support vectors)
    per_class: np.ndarray  # support vectors in each class; empty for regression


class Library:
    """What the harness asks of a library. ``dtype`` is what the library is given."""

    distribution = ""
    dtype: type = np.float64

    def make(self, case: Case) -> Any:
        raise NotImplementedError

    def prepare(self, X: Any) -> Any:
        if sp.issparse(X):
            return X.astype(self.dtype)
        return np.ascontiguousarray(X, dtype=self.dtype)

    def version(self) -> str:
        return version(self.distribution)

    def fit(self, case: Case, X: Any, y: np.ndarray) -> Any:
        return self.make(case).fit(X, y)

    def predict(self, model: Any, X: Any) -> np.ndarray:
        return np.asarray(model.predict(X))

    def duals(self, model: Any) -> Duals:
        coef = model.dual_coef_
        coef = coef.toarray() if sp.issparse(coef) else np.asarray(coef)
        counts = np.asarray(getattr(model, "n_support_", []))
        return Duals(np.asarray(model.support_), np.atleast_2d(coef), counts)


def _options(case: Case) -> dict[str, Any]:
    shared = {"C": case.C, "tol": case.tol, "cache_size": case.cache_mb}
    return shared | ({"epsilon": case.epsilon} if case.task == "svr" else {})


class Mercer(Library):
    distribution = "mercer"

    def make(self, case: Case) -> Any:
        import mercer
        from mercer import kernels

        kernel: Any = case.kernel
        if kernel == "laplacian":
            kernel = kernels.Laplacian(1.0 / case.gamma)
        chosen = mercer.SVR if case.task == "svr" else mercer.SVC
        return chosen(kernel=kernel, gamma=case.gamma, **_options(case))


class Sklearn(Library):
    distribution = "scikit-learn"

    def make(self, case: Case) -> Any:
        from sklearn import svm

        kernel: Any = case.kernel
        if kernel == "laplacian":
            kernel = _Laplacian(case.gamma)
        chosen = svm.SVR if case.task == "svr" else svm.SVC
        return chosen(kernel=kernel, gamma=case.gamma, **_options(case))


class _Laplacian:
    """scikit-learn's own Laplacian kernel with its width fixed."""

    def __init__(self, gamma: float) -> None:
        self.gamma = gamma

    def __call__(self, X: Any, Y: Any) -> np.ndarray:
        from sklearn.metrics.pairwise import laplacian_kernel

        return laplacian_kernel(X, Y, gamma=self.gamma)


class Sklearnex(Library):
    distribution = "scikit-learn-intelex"

    def make(self, case: Case) -> Any:
        from sklearnex import svm

        chosen = svm.SVR if case.task == "svr" else svm.SVC
        return chosen(kernel=case.kernel, gamma=case.gamma, **_options(case))


class Sklearnex32(Sklearnex):
    dtype = np.float32


class Libsvm(Library):
    distribution = "libsvm-official"

    def fit(self, case: Case, X: Any, y: np.ndarray) -> Any:
        from libsvm import svmutil

        kernel = {"linear": 0, "rbf": 2}[case.kernel]
        kind = 3 if case.task == "svr" else 0
        text = f"-q -s {kind} -t {kernel} -c {case.C} -g {case.gamma} -e {case.tol}"
        text += f" -m {case.cache_mb} -p {case.epsilon}"
        problem = svmutil.svm_problem(y.astype(float), X)
        return svmutil.svm_train(problem, svmutil.svm_parameter(text))

    def predict(self, model: Any, X: Any) -> np.ndarray:
        from libsvm import svmutil

        return np.array(svmutil.svm_predict([], X, model, "-q")[0])

    def duals(self, model: Any) -> Duals:
        coef = np.array(model.get_sv_coef()).T
        classes = model.get_nr_class()
        counts = np.array(model.nSV[:classes]) if model.get_svm_type() < 2 else np.array([])
        return Duals(np.array(model.get_sv_indices()) - 1, coef, counts)


class Thundersvm(Library):
    distribution = "thundersvm-cpu"

    def make(self, case: Case) -> Any:
        from thundersvm import SVC

        return SVC(
            kernel=case.kernel,
            C=case.C,
            gamma=case.gamma,
            tol=case.tol,
            max_mem_size=case.cache_mb,
            n_jobs=-1,
        )


LIBRARIES: dict[str, Callable[[], Library]] = {
    "mercer": Mercer,
    "sklearn": Sklearn,
    "sklearnex-f32": Sklearnex32,
    "sklearnex-f64": Sklearnex,
    "libsvm": Libsvm,
    "thundersvm": Thundersvm,
}
