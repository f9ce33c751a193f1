"""The symbols of a sample, remembered as something that was read off data."""

from __future__ import annotations

from typing import Any

from mercer._types import Samples
from mercer.kernels.sequences.encoded import encode


class ReadAlphabet(tuple[Any, ...]):
    """A tuple of symbols; its type says that nobody chose them before seeing the data."""


def read_alphabet(X: Samples) -> ReadAlphabet:
    """The symbols that occur in a sample."""
    return ReadAlphabet(encode(X)[1])
