"""What a Bayesian learner asks about its kernel."""

from __future__ import annotations

from mercer.kernels import Kernel
from mercer.kernels.algebra.constant import White


def has_white(kernel: Kernel) -> bool:
    """Whether the kernel itself models noise."""
    if isinstance(kernel, White):
        return True
    inside = kernel.get_params(deep=True).values()
    return any(isinstance(part, White) for part in inside)
