"""Kernels and their algebra; every file of this folder that defines a `Kernel` is a plug-in."""

import sys
from typing import Any

from mercer._discover import discover, names_of, snake_case
from mercer.kernels._base import Kernel
from mercer.kernels._fourier import FourierReport, check_fourier
from mercer.kernels._psd import PSDReport, check_psd
from mercer.kernels.fused import Fused
from mercer.kernels.sequences._contributions import contributions
from mercer.kernels.sequences._kmer_features import KmerFeatures
from mercer.kernels.sklearn_names import SKLEARN_KERNELS, from_sklearn

_classes = discover(sys.modules[__name__], Kernel)
globals().update(_classes)

__all__ = [
    "Fused",
    "Kernel",
    "KmerFeatures",
    "FourierReport",
    "PSDReport",
    "SKLEARN_KERNELS",
    "available",
    "check_fourier",
    "check_psd",
    "contributions",
    "from_sklearn",
    *_classes,
]


def available() -> dict[str, type[Kernel]]:
    """Every kernel class by its command-line name, e.g. ``"rational_quadratic"``."""
    return {snake_case(name): kernel for name, kernel in _classes.items()}


__dir__ = names_of(__name__)


def __getattr__(name: str) -> Any:
    raise AttributeError(f"mercer.kernels has no kernel {name!r}; there are {sorted(_classes)}")
