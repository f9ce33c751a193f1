"""``mercer fit --learner NAME`` for every name there is: a model, or a sentence why not."""

import numpy as np
import pytest

from helpers_cli import mercer
from mercer import learners
from mercer.tables.learners import learners_for

ROWS = 24
FITTED, WRONG_USAGE = 0, 2


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(ROWS, 2))
    value = x[:, 0] + 0.3 * rng.normal(size=ROWS)
    folder = tmp_path_factory.mktemp("tables")
    for task, y in (("classification", np.where(value > 0, "p", "q")), ("regression", value)):
        lines = [f"{a:.4f},{b:.4f},{c}" for (a, b), c in zip(x, y, strict=True)]
        (folder / f"{task}.csv").write_text("\n".join(["a,b,y", *lines]) + "\n")
    return folder


@pytest.mark.parametrize("task", ["classification", "regression"])
@pytest.mark.parametrize("name", sorted(learners.available()))
def test_a_learner_fits_or_says_why_not(name, task, tables, tmp_path):
    options = ("-t", "y", "-k", "linear", "--report", "none", "--time-limit", "1")
    ran = mercer("fit", tables / f"{task}.csv", "--learner", name, *options, "-o", tmp_path / "m")
    if name in learners_for(task):
        assert ran.code == FITTED, ran.err
        assert (tmp_path / "m" / "model.mercer").exists()
    else:
        assert ran.code == WRONG_USAGE
        assert f"the learner '{name}' is not for a table's {task}" in ran.err
        assert "or one of svm" in ran.err
