"""What every mode of certification states about itself, and that it is stated nowhere else."""

import ast
import inspect
from pathlib import Path

import numpy as np
import pytest

import mercer
from mercer import SVC, KernelSearch, certified_fit
from mercer.certification import modes
from mercer.certification.modes._base import EVERY_TASK
from mercer.cli._options import CertifyMode

SOURCE = Path(mercer.__file__).parent
X, Y, LAW = mercer.datasets.make_twonorm(120, random_state=0)
EVERY = pytest.mark.parametrize("mode", modes.available().values(), ids=lambda mode: mode.name)


@EVERY
def test_facts(mode):
    assert mode.orders <= {"random", "groups", "time"}
    assert "random" in mode.orders
    assert mode.tasks <= EVERY_TASK
    assert bool(mode.why_not) == (mode.tasks != EVERY_TASK)
    assert mode.title
    assert f"{mode.name}: {mode.title}" in modes.describe()
    for name, option in mode.options.items():
        assert option.rule(option.default, name) == option.default
        assert f"{name}={option.default!r}: {option.help}" in modes.describe()


@EVERY
def test_one_file_each(mode):
    assert Path(inspect.getfile(mode)).stem == mode.name.replace("-", "_")


@EVERY
def test_it_counts_its_fits_and_says_whether_it_spends(mode):
    """``fits`` drives the progress line: about right is enough, none too few by half."""

    class Counted(SVC):
        fits = 0

        def fit(self, X, y, sample_weight=None):
            Counted.fits += 1
            return super().fit(X, y, sample_weight)

    estimator = Counted(gamma=0.02)
    if "search" in mode.needs:
        estimator = KernelSearch(estimator, kernels=None, param_grid={"C": [1.0, 3.0]}, cv=2)
    pool = LAW.sample(150, 1)[0] if "pool" in mode.needs else None
    model = certified_fit(estimator, X, Y, mode=mode.name, pool=pool, random_state=0)
    if "search" not in mode.needs:  # a search trains its candidates by routes of its own
        assert mode.fits / 2 <= Counted.fits <= 2 * mode.fits
    record = model.certification_
    unseen = np.setdiff1d(record.counted_rows, record.train_rows)
    assert mode.spends or not len(unseen)


def test_the_command_line_offers_those_that_need_nothing_but_rows():
    wanted = [name for name, mode in modes.available().items() if not mode.needs]
    assert CertifyMode().names() == [*wanted, "none"]
    assert {"auto", "holdout", "progressive", "compress", "selective", "in-sample"} <= set(wanted)


def test_there_is_no_other_list_of_modes():
    known = set(modes.available())
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict):
                parts = node.keys if isinstance(node, ast.Dict) else node.elts
                words = {p.value for p in parts if isinstance(p, ast.Constant)}
                # records of evidence share three of the names
                assert len(words & known) < 4, f"{path}:{node.lineno} lists modes"


def test_an_unknown_mode_is_answered_with_the_known_ones():
    with pytest.raises(ValueError, match=r"None or.*'compress'.*got 'magic'"):
        modes.get("magic")
