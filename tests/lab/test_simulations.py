"""The simulations say what the theory says."""

import contextlib
import io
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


def printed(code):
    told = io.StringIO()
    with contextlib.redirect_stdout(told):
        exec(code, {})
    return told.getvalue().split()


def test_the_code_of_the_promise_breaks_it_as_often():
    view = Promise(Room(Address()))
    asked = {"n": 20, "delta": 0.4, "count": 50}
    parts = [view.batch(Batch(first=first, **asked)) for first in range(0, 200, 50)]
    broken = sum(v < t for part in parts
                 for v, t in zip(part["certified"], part["truth"], strict=True))  # fmt: skip
    assert int(printed(parts[0]["python"])[0]) == broken


def test_the_code_of_large_numbers_gives_the_same_numbers():
    found = LargeNumbers(Room(Address())).run(Coins(rows=200, rules=40, seed=3))
    lucky, outside, every = printed(found["python"])
    assert float(lucky) == pytest.approx(found["luckiest"])
    assert float(outside) == found["outside_one"]
    assert every == str(found["outside_every"])


@pytest.mark.parametrize("kind", ["symmetric", "unnormalized"])
def test_the_code_of_the_spectral_limit_follows_its_sliders(kind):
    asked = Frame(n=60, kind=kind, length_scale=0.2, valley=0.45, vector=2, seed=3)
    found = Spectral(Room(Address())).frame(asked)
    sup, value, limit, peak = map(float, printed(found["python"]))
    assert [value, limit, peak] == pytest.approx(
        [found["eigenvalue"], found["limit_value"], found["peak"]]
    )
    assert np.isnan(sup) if found["sup"] is None else sup == pytest.approx(found["sup"])


@pytest.mark.parametrize("shape", SHAPES)
def test_the_code_of_a_walk_gives_the_same_walk(shape):
    asked = Walk(shape=shape, n=80, t=3.0, density_exponent=0.5, seed=2)
    found = Diffusion(Room(Address())).walk(asked)
    length, *values = map(float, printed(found["python"]))
    assert length == pytest.approx(found["length_scale"])
    assert values == pytest.approx(list(found["eigenvalues"]))


@pytest.mark.parametrize("row", [3, 90])
def test_the_code_of_the_strings_reads_with_the_same_machine(row):
    """One row the machine was trained on and one it was not."""
    found = Strings(Room(Address())).read(Read(kind="spectrum", k=3, C=2.5, row=row))
    assert [float(v) for v in printed(found["python"])] == pytest.approx([found["value"]])


def test_the_code_of_distances_repairs_as_the_page_does():
    asked = Matrix(matrix=np.array(FIRST, dtype=float), repair="shortest paths")
    found = Distances(Room(Address())).check(asked)
    words = found["after"]["words"].split()
    assert printed(found["python"])[-len(words) :] == words
