"""Small real data sets, and laws whose best possible error is known."""

from mercer._discover import rooms
from mercer.datasets._law import Law
from mercer.datasets.discrete import DiscreteLaw, make_discrete
from mercer.datasets.gaussian import (
    GaussianPair,
    ScaledPair,
    make_gaussian,
    make_ringnorm,
    make_twonorm,
    make_unbalanced,
)
from mercer.datasets.heavy_tails import StudentPair, make_heavy_tails
from mercer.datasets.planar import Banana, Moons, Xor, make_banana, make_moons, make_xor
from mercer.datasets.real import (
    Table,
    load_breast_cancer,
    load_digits,
    load_iris,
    load_penguins,
    load_wine,
)
from mercer.datasets.sequences import (
    Sequences,
    load_promoters,
    load_series,
    load_splice,
    read_ts,
)
from mercer.datasets.shapes import (
    make_circle,
    make_images,
    make_noisy_line,
    make_rings,
    make_spiral,
    make_swiss_roll,
)
from mercer.datasets.waveform import Waveform, make_waveform

__all__ = [
    "Banana",
    "DiscreteLaw",
    "GaussianPair",
    "Law",
    "Moons",
    "ScaledPair",
    "Sequences",
    "StudentPair",
    "Table",
    "Waveform",
    "Xor",
    "load_breast_cancer",
    "load_digits",
    "load_iris",
    "load_penguins",
    "load_promoters",
    "load_series",
    "load_splice",
    "load_wine",
    "make_banana",
    "make_circle",
    "make_discrete",
    "make_gaussian",
    "make_heavy_tails",
    "make_images",
    "make_moons",
    "make_noisy_line",
    "make_ringnorm",
    "make_rings",
    "make_spiral",
    "make_swiss_roll",
    "make_twonorm",
    "make_unbalanced",
    "make_waveform",
    "make_xor",
    "read_ts",
]

__getattr__, __dir__ = rooms(__name__)
