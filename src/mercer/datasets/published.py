"""Numbers that texts quote, as data: to stand beside what is measured here."""

from __future__ import annotations

from typing import NamedTuple


class PublishedError(NamedTuple):
    """A test error, as quoted, with where the quoting text says it comes from."""

    method: str
    error: float  # share of the 10,000 test images
    note: str


#: Banisch, *Mathematical Aspects in Machine Learning* (FU Berlin, 2017), figure 3.5: errors on the
#: MNIST test images, quoted there from the literature (LeCun et al. 1998; DeCoste and Schölkopf
#: 2002). None of them was computed here.
MNIST_ERRORS: tuple[PublishedError, ...] = (
    PublishedError("linear classifier", 0.084, ""),
    PublishedError("3 nearest neighbours", 0.024, ""),
    PublishedError("support vector machine", 0.014, "polynomial of degree 9"),
    PublishedError("tangent distance", 0.011, "nearest neighbour"),
    PublishedError("LeNet4", 0.011, ""),
    PublishedError("boosted LeNet4", 0.007, ""),
    PublishedError("translation-invariant SVM", 0.0056, "virtual support vectors"),
)
