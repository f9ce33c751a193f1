"""The simulations say what the theory says."""

import itertools

import numpy as np
import pytest

from helpers_lab import running_lab  # skips without the extra
from mercer.errors import UserError
from mercer.lab.address import Address
from mercer.lab.room import Room
from mercer.lab.views.diffusion import SHAPES, Diffusion, Walk
from mercer.lab.views.distances import FIRST, Distances
from mercer.lab.views.distances import Asked as Matrix
from mercer.lab.views.large_numbers import Coins, LargeNumbers
from mercer.lab.views.promise import CHEAT, Batch, Promise
from mercer.lab.views.shattering import Growth, Points, Shattering
from mercer.lab.views.spectral import Frame, Spectral
from mercer.lab.views.strings import Asked as Read
from mercer.lab.views.strings import Strings

assert running_lab
ROOM = Room(Address())


def broken(**options):
    found = Promise(ROOM).batch(Batch(n=60, delta=0.2, count=30, **options))
    return np.mean(np.array(found["certified"]) < np.array(found["truth"]))


def test_the_promise_holds_and_cheating_breaks_it():
    """At δ = 0.2 thirty samples break about six promises; choosing on the rows, far more."""
    assert broken() <= 0.2 + 3 * np.sqrt(0.2 * 0.8 / 30)
    assert broken(how=CHEAT) > 0.2 + 3 * np.sqrt(0.2 * 0.8 / 30)


def test_shattering_counts_labelings():
    square = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    found = Shattering(ROOM).label(Points(points=square))
    assert found["count"] == 14  # all but the two crossed ones
    lost = [tuple(one["labels"]) for one in found["labelings"] if not one["reached"]]
    assert sorted(lost) == [(-1, 1, 1, -1), (1, -1, -1, 1)]
    assert Shattering(ROOM).label(Points(points=square[:3]))["shattered"]
    bits = Shattering(ROOM).growth(Growth(m=4))["bits"]
    assert bits[2] == pytest.approx(3.0)
    assert 2 ** bits[3] == pytest.approx(14)


def test_large_numbers_settle_within_their_limits():
    found = LargeNumbers(ROOM).run(Coins(rules=200, rows=4000))
    assert found["worst"][-1] < found["every"][-1]
    assert found["outside_one"] < 0.1
    assert found["luckiest"] < 0.2


def test_eigenvectors_come_closer_to_their_limit():
    view = Spectral(ROOM)
    few, many = (
        np.mean([view.frame(Frame(n=n, seed=s))["sup"] for s in (0, 1)]) for n in (40, 400)
    )
    assert many < few


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_is_walked(shape):
    found = Diffusion(ROOM).walk(Walk(shape=shape, n=120))
    assert np.shape(found["embedding"]) == (120, 2)
    assert np.all(np.abs(found["eigenvalues"]) <= 1 + 1e-9)


@pytest.mark.parametrize("kind", ["spectrum", "weighted degree"])
def test_shares_of_letters_add_up_to_the_output(kind):
    view = Strings(ROOM)
    values = [view.read(Read(kind=kind, row=row)) for row in (81, 90)]
    offsets = [one["value"] - np.sum(one["shares"]) for one in values]
    assert offsets[0] == pytest.approx(offsets[1], abs=1e-6)  # the same offset for all
    assert values[0]["right"] > 0.6
    with pytest.raises(UserError, match="letters"):
        view.read(Read(own="hello"))


def test_the_triple_that_breaks_its_axiom_and_the_repair():
    D = np.array(FIRST, dtype=float)
    found = Distances(ROOM).check(Matrix(matrix=D, repair="shortest paths"))
    triangle = next(a for a in found["axioms"] if a["code"] == "D5")
    excess = {
        (x, y, z): D[x, z] - D[x, y] - D[y, z] for x, y, z in itertools.permutations(range(4), 3)
    }
    assert not triangle["holds"]
    assert triangle["worst"] == pytest.approx(max(excess.values()))
    assert excess[tuple(triangle["place"])] == pytest.approx(triangle["worst"])
    assert all(a["holds"] for a in found["after"]["axioms"])
