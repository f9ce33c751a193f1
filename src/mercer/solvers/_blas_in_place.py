"""BLAS on blocks of a larger array, in place.

SciPy's own wrappers copy a block that is not contiguous, which for a reduction that works on ever
smaller corners of one matrix would cost more than the arithmetic. The routines are those SciPy
exports for Cython. All arrays are float64 and column-major, or corners of such arrays.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cython_blas

Floats = NDArray[np.float64]

_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_name = ctypes.pythonapi.PyCapsule_GetName
_name.restype, _name.argtypes = ctypes.c_char_p, [ctypes.py_object]


def _routine(name: str, arguments: int) -> Any:
    capsule = cython_blas.__pyx_capi__[name]
    kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * arguments)
    return kind(_pointer(capsule, _name(capsule)))


_dgemm, _dsymm, _dsyr2k = _routine("dgemm", 13), _routine("dsymm", 12), _routine("dsyr2k", 12)


def _int(value: int) -> Any:
    return ctypes.byref(ctypes.c_int(value))


def _real(value: float) -> Any:
    return ctypes.byref(ctypes.c_double(value))


def _array(A: Floats) -> tuple[Any, Any]:
    """Address and leading dimension."""
    if A.dtype != np.float64 or (A.shape[0] > 1 and A.strides[0] != 8):
        raise ValueError("blocks must be float64 and column-major")
    lead = A.strides[1] // 8 if A.shape[1] > 1 else A.shape[0]
    return ctypes.c_void_p(A.ctypes.data), _int(max(lead, 1))


def gemm(alpha: float, A: Floats, B: Floats, beta: float, C: Floats, turned: bool = False) -> None:
    """C = alpha A B + beta C, or with A' if ``turned``."""
    if min(C.shape) == 0:
        return
    inner = A.shape[0] if turned else A.shape[1]
    side = ctypes.c_char_p(b"T" if turned else b"N")
    _dgemm(
        side, ctypes.c_char_p(b"N"), _int(C.shape[0]), _int(C.shape[1]), _int(inner),
        _real(alpha), *_array(A), *_array(B), _real(beta), *_array(C),
    )  # fmt: skip


def product(A: Floats, B: Floats, turned: bool = False) -> Floats:
    """A B or A' B, as a new array."""
    C = np.zeros((A.shape[1] if turned else A.shape[0], B.shape[1]), order="F")
    gemm(1.0, A, B, 0.0, C, turned)
    return C


def symm(A: Floats, B: Floats) -> Floats:
    """A B for a symmetric A of which the lower triangle is read."""
    C = np.zeros(B.shape, order="F")
    _dsymm(
        ctypes.c_char_p(b"L"), ctypes.c_char_p(b"L"), _int(B.shape[0]), _int(B.shape[1]),
        _real(1.0), *_array(A), *_array(B), _real(0.0), *_array(C),
    )  # fmt: skip
    return C


def syr2k(alpha: float, A: Floats, B: Floats, C: Floats) -> None:
    """C += alpha (A B' + B A') on the lower triangle."""
    _dsyr2k(
        ctypes.c_char_p(b"L"), ctypes.c_char_p(b"N"), _int(A.shape[0]), _int(A.shape[1]),
        _real(alpha), *_array(A), *_array(B), _real(1.0), *_array(C),
    )  # fmt: skip
