"""Is a function of the distance alone a kernel? Its Fourier transform knows (Bochner)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, hyp0f1

from mercer.kernels._base import Kernel
from mercer.kernels.validate import natural

Floats = NDArray[np.float64]
PANELS, NODES = 256, 16  # of the quadrature; half as many panels tell its error
FREQUENCIES = 200
NEGLIGIBLE = 1e-9  # of the value at zero, where the integral may end
LONGEST = 2.0**12


@dataclass(frozen=True)
class FourierReport:
    """What `check_fourier` found; true in a condition if no negative value was seen.

    A negative value proves that the function is no kernel, up to the error of the quadrature.
    None below ``highest`` frequency is strong evidence that it is one, not a proof.
    """

    ok: bool
    dimension: int
    smallest: float
    at: float  # the frequency of the smallest value
    highest: float
    error: float
    frequencies: Floats = field(repr=False)
    transform: Floats = field(repr=False)

    def __bool__(self) -> bool:
        return self.ok

    def explain(self) -> str:
        """One sentence for people."""
        where = f"in {self.dimension} dimension" + ("s" if self.dimension > 1 else "")
        if self.ok:
            return (
                f"no negative value of the Fourier transform {where} up to frequency "
                f"{self.highest:.3g}: a kernel by all that was seen"
            )
        return (
            f"not a kernel {where}: its Fourier transform is {self.smallest:.3g} at frequency "
            f"{self.at:.3g} (error of that number about {self.error:.1g})"
        )


def check_fourier(profile: Kernel | Callable[[Floats], Any], dimension: int = 1) -> FourierReport:
    """Test k(x, y) = g(|x - y|) by its Fourier transform, which must not be negative (Bochner).

    ĝ(w) = S ∫ r^(d-1) g(r) Ω(wr) dr, with S the surface of the unit sphere and Ω the mean of
    exp(iwx) over it. The same g may be a kernel on a line and none in the plane.

    Parameters
    ----------
    profile : callable g(r) on an array of distances, or an isotropic stationary Kernel
    dimension : int
        Of the space, d.

    Returns
    -------
    FourierReport

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import check_fourier
    >>> tent = lambda r: np.maximum(1.0 - r, 0.0)
    >>> bool(check_fourier(tent, 1)), bool(check_fourier(tent, 2))
    (True, False)
    """
    natural(dimension, "check_fourier: dimension")
    g = _of_kernel(profile, dimension) if isinstance(profile, Kernel) else profile
    top, reach, half = _extent(g)
    frequencies = np.linspace(0.0, 64.0 / half, FREQUENCIES)
    fine = _transform(g, dimension, reach, frequencies, PANELS)
    coarse = _transform(g, dimension, reach, frequencies, PANELS // 2)
    rounding = 1e-12 * float(np.abs(fine).max())
    error = np.abs(fine - coarse) + rounding + NEGLIGIBLE * abs(top) * _ball(dimension, reach)
    low = int(np.argmin(fine + 3.0 * error))
    ok = bool(fine[low] + 3.0 * error[low] >= 0.0)
    if ok:
        low = int(np.argmin(fine))
    at, highest = float(frequencies[low]), float(frequencies[-1])
    return FourierReport(
        ok, dimension, float(fine[low]), at, highest, float(error[low]), frequencies, fine
    )


def _of_kernel(kernel: Kernel, dimension: int) -> Callable[[Floats], Any]:
    """The values along one direction, if all directions are alike."""
    if not kernel.stationary:
        raise ValueError(f"check_fourier needs a stationary kernel, got {kernel!r}")
    origin = np.zeros((1, dimension))
    ways = np.random.default_rng(0).normal(size=(4, dimension))
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    for length in (0.3, 1.0, 2.5):
        seen = kernel(origin, length * ways).ravel()
        if np.ptp(seen) > 1e-9 * max(1.0, float(np.abs(seen).max())):
            raise ValueError(f"check_fourier needs the same values in all directions: {kernel!r}")
    along = ways[:1]
    return lambda r: kernel(origin, np.ravel(r)[:, None] * along).reshape(np.shape(r))


def _extent(g: Callable[[Floats], Any]) -> tuple[float, float, float]:
    """The value at zero, where g has died out, and where it has fallen to a half."""
    top = float(np.ravel(g(np.zeros(1)))[0])
    if not np.isfinite(top) or top == 0.0:
        raise ValueError(f"the value at distance zero must be finite and not zero, got {top}")
    lengths = 2.0 ** np.arange(-12, int(np.log2(LONGEST)) + 1)
    for reach in lengths:
        tail = np.abs(np.ravel(g(np.linspace(reach, 2.0 * reach, 257))))
        if np.all(tail <= NEGLIGIBLE * abs(top)):
            rs = np.linspace(0.0, reach, 4097)
            fallen = np.abs(np.ravel(g(rs))) < 0.5 * abs(top)
            return top, float(reach), float(rs[np.argmax(fallen)]) or float(reach)
    raise ValueError(
        f"the function has not died out at distance {LONGEST:g}; scale it, or multiply it by a "
        "wide Gaussian, which changes no kernel into something else"
    )


def _transform(
    g: Callable[[Floats], Any], d: int, reach: float, frequencies: Floats, panels: int
) -> Floats:
    """Gauss's rule on equal panels."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    width = reach / panels
    r = (width * (np.arange(panels)[:, None] + (nodes + 1.0) / 2.0)).ravel()
    weight = np.tile(weights * width / 2.0, panels)
    mass = _sphere(d) * r ** (d - 1) * np.ravel(g(r)) * weight
    found = [mass @ hyp0f1(d / 2.0, -((w * r) ** 2) / 4.0) for w in frequencies]
    return np.asarray(found)


def _sphere(d: int) -> float:
    """Surface of the unit sphere in d dimensions."""
    return float(2.0 * np.exp(d / 2.0 * np.log(np.pi) - gammaln(d / 2.0)))


def _ball(d: int, radius: float) -> float:
    return _sphere(d) * radius**d / d
