"""Mercer: kernel machines that come with a guarantee.

Importing this package loads nothing but this file; each public name is fetched the first time it is
used, so ``import mercer`` costs milliseconds and needs neither scikit-learn nor matplotlib.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mercer._config import config, set_config
    from mercer._versions import show_versions
    from mercer.app.fit import fit
    from mercer.certification import Certified, certified_fit, certify, evidence_from
    from mercer.io.model_file import load, save
    from mercer.io.open_rows import open_rows
    from mercer.kernels import check_psd
    from mercer.learners._degenerate import NothingLearnedWarning
    from mercer.learners.bayes import (
        BayesPointMachine,
        GaussianProcessClassifier,
        GaussianProcessRegressor,
        RelevanceVectorClassifier,
        RelevanceVectorRegressor,
        SparseGaussianProcessRegressor,
    )
    from mercer.learners.margin import SVC, SVR, NuSVC, NuSVR, OneClassSVM
    from mercer.learners.metric import LipschitzClassifier
    from mercer.learners.regression import KernelRidge
    from mercer.learners.spectral import DiffusionMap, Isomap, KernelPCA, SpectralClustering
    from mercer.selection import KernelSearch
    from mercer.tables import TableMachine

# Shortcuts at the top level. A plug-in is usable from its own folder without being listed here.
_WHERE = {
    "BayesPointMachine": "mercer.learners.bayes",
    "GaussianProcessClassifier": "mercer.learners.bayes",
    "GaussianProcessRegressor": "mercer.learners.bayes",
    "RelevanceVectorClassifier": "mercer.learners.bayes",
    "RelevanceVectorRegressor": "mercer.learners.bayes",
    "SparseGaussianProcessRegressor": "mercer.learners.bayes",
    "KernelRidge": "mercer.learners.regression",
    "KernelSearch": "mercer.selection",
    "DiffusionMap": "mercer.learners.spectral",
    "Isomap": "mercer.learners.spectral",
    "KernelPCA": "mercer.learners.spectral",
    "SpectralClustering": "mercer.learners.spectral",
    "LipschitzClassifier": "mercer.learners.metric",
    "NuSVC": "mercer.learners.margin",
    "NuSVR": "mercer.learners.margin",
    "OneClassSVM": "mercer.learners.margin",
    "SVC": "mercer.learners.margin",
    "SVR": "mercer.learners.margin",
    "NothingLearnedWarning": "mercer.learners._degenerate",
    "TableMachine": "mercer.tables",
    "Certified": "mercer.certification",
    "certified_fit": "mercer.certification",
    "certify": "mercer.certification",
    "check_psd": "mercer.kernels",
    "config": "mercer._config",
    "evidence_from": "mercer.certification",
    "fit": "mercer.app.fit",
    "load": "mercer.io.model_file",
    "open_rows": "mercer.io.open_rows",
    "save": "mercer.io.model_file",
    "set_config": "mercer._config",
    "show_versions": "mercer._versions",
}
_PACKAGES = (
    "app",
    "bounds",
    "certification",
    "datasets",
    "errors",
    "gram",
    "io",
    "kernels",
    "learners",
    "losses",
    "metrics",
    "plots",
    "report",
    "selection",
    "solvers",
    "tables",
    "theory",
)

__all__ = [
    "SVC",
    "SVR",
    "BayesPointMachine",
    "Certified",
    "DiffusionMap",
    "GaussianProcessClassifier",
    "GaussianProcessRegressor",
    "Isomap",
    "KernelPCA",
    "KernelRidge",
    "KernelSearch",
    "LipschitzClassifier",
    "NothingLearnedWarning",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "RelevanceVectorClassifier",
    "RelevanceVectorRegressor",
    "SparseGaussianProcessRegressor",
    "SpectralClustering",
    "TableMachine",
    "certified_fit",
    "certify",
    "check_psd",
    "config",
    "evidence_from",
    "fit",
    "load",
    "open_rows",
    "save",
    "set_config",
    "show_versions",
]


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        return getattr(import_module(_WHERE[name]), name)
    if name in _PACKAGES:
        return import_module(f"mercer.{name}")
    if name == "__version__":
        return import_module("mercer._versions").version()
    raise AttributeError(f"module 'mercer' has no attribute {name!r}; it offers {sorted(__all__)}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__, *_PACKAGES, "__version__"])
