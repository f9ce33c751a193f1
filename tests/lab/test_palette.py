"""Colours that stand against each other stay apart for readers who lack one kind of cone."""

import itertools
import re

import numpy as np
import pytest

from helpers_lab import STATIC

# Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB.
READERS = {
    "all cones": np.eye(3),
    "no red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
               [-0.003882, -0.048116, 1.051998]],
    "no green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                 [-0.011820, 0.042940, 0.968881]],
    "no blue": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
                [0.004733, 0.691367, 0.303900]],
}  # fmt: skip
TO_XYZ = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750],
                   [0.0193339, 0.1191920, 0.9503041]])  # fmt: skip
WHITE = TO_XYZ.sum(axis=1)
APART = 20.0  # in CIELAB, where about 2 can be told side by side
TOLD_APART = [
    *itertools.combinations(("plus", "minus", "c5"), 2),  # classes; the parts of a bound
    ("plus", "bad"),  # a certificate that failed
    ("ink", "bad"),  # a ring around a point
    ("good", "bad"),
]


def palettes():
    css = (STATIC / "lab.css").read_text()
    dark = css.index(':root[data-theme="dark"]')
    parts = {"light": css[: css.index("@media")], "dark": css[dark : css.index("}", dark)]}
    return {theme: dict(re.findall(r"--(\w+): #(\w{6})", part)) for theme, part in parts.items()}


def linear(colour):
    part = np.array([int(colour[k : k + 2], 16) for k in (0, 2, 4)]) / 255
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)


def cielab(rgb):
    share = TO_XYZ @ np.clip(rgb, 0, 1) / WHITE
    f = np.where(share > 216 / 24389, np.cbrt(share), (24389 / 27 * share + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def distance(one, other, reader):
    seen = [cielab(np.asarray(READERS[reader]) @ linear(colour)) for colour in (one, other)]
    return float(np.linalg.norm(seen[0] - seen[1]))


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("reader", READERS)
def test_colours_stay_apart(theme, reader):
    palette = palettes()[theme]
    for one, other in TOLD_APART:
        assert distance(palette[one], palette[other], reader) >= APART, (one, other)


def test_red_and_green_of_one_lightness_would_be_found_out():
    assert distance("c05000", "7f7f00", "all cones") > 40
    assert distance("c05000", "7f7f00", "no green") < APART


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_have_the_contrast_of_the_guidelines(theme):
    """4.5 to 1 for words, 3 to 1 for what is drawn (WCAG 2.2, 1.4.3 and 1.4.11)."""
    palette = palettes()[theme]

    def contrast(one, ground):
        light = sorted(float(TO_XYZ[1] @ linear(palette[name])) + 0.05 for name in (one, ground))
        return light[1] / light[0]

    for ground in ("bg", "panel"):
        for name in ("ink", "muted", "accent", "good", "warn", "bad"):
            assert contrast(name, ground) >= 4.5, name
        for name in ("plus", "minus", "c2", "c3", "c4", "c5"):
            assert contrast(name, ground) >= 3.0, name
