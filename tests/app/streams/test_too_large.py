"""One file that does not fit into memory goes in batches; what needs memory stays refused."""

import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import mercer
from helpers_cli import mercer as command
from helpers_streams import sample
from mercer.app.streams import survey
from mercer.errors import LimitError

pytestmark = pytest.mark.filterwarnings("ignore")
ASKED = {"target": "y", "ignore": ("t", "g"), "kernel": "gaussian:length_scale=1"}
ROWS = 40_000  # whose plan is 211 MB, 200 of them for the kernel


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    place = tmp_path_factory.mktemp("one")
    pq.write_table(sample(1, ROWS), place / "one.parquet")
    pyarrow.csv.write_csv(sample(1, ROWS), place / "one.csv")
    return place / "one.parquet"


@pytest.fixture(autouse=True)
def small_pilot(monkeypatch):
    monkeypatch.setattr(survey, "PILOT", 1000)
    monkeypatch.setattr("mercer.app.streams.fit.FEW", 100)


@pytest.mark.parametrize("ending", [".parquet", ".csv"])
def test_a_file_that_does_not_fit_is_read_in_batches(file, ending, tmp_path):
    path = file.with_suffix(ending)
    told = command(
        "fit", path, "-t", "y", "--ignore", "t", "--ignore", "g", "--kernel",
        "gaussian:length_scale=1", "--route", "low-rank", "--rank", "40", "--memory-limit", "206MB",
        "--report", "none", "-o", tmp_path / "out",
    )  # fmt: skip
    assert told.code == 0, told.err
    assert "the memory limit is 206 MB. It is read in batches." in told.err
    assert "by a hash of their place" in " ".join(told.out.split())
    model = mercer.fit(path, **ASKED, route="low-rank", rank=40, memory_limit="206MB")
    whole = mercer.load(tmp_path / "out" / "model.mercer")
    table = sample(99, 300)
    assert model.predict_proba(table).tobytes() == whole.predict_proba(table).tobytes()


@pytest.mark.parametrize("more", [{"route": "exact"}, {"order": "a"}, {"certify": "compress"}])
def test_what_needs_all_rows_in_memory_stays_refused(file, more):
    with pytest.raises(LimitError, match="memory limit"):
        mercer.fit(file, **ASKED | more, memory_limit="206MB")


def test_rows_that_are_in_memory_already_stay_there(file):
    with pytest.raises(LimitError, match="memory limit"):
        mercer.fit(sample(1, ROWS).to_pandas(), **ASKED, memory_limit="206MB")
