"""A stream keeps to a hard limit of memory that its rows would break."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

ROWS, COLUMNS = 400_000, 40  # 128 MB as doubles; three copies of them would break the limit
SCRIPT = """
import resource, sys
import mercer.app.streams.fit as fit
from mercer.app.options import FitOptions
from mercer.app.streams import survey
survey.PILOT = 1500
import pyarrow.parquet, mercer.selection, mercer.certification
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 450_000_000,) * 2)
options = FitOptions(target="y", kernel="gaussian:length_scale=6", route="low-rank", rank=50)
run = fit.fit_stream([sys.argv[1]], options, fit.StreamOptions(quiet=True))
print(run.record.data["rows_read"], run.record.certificate["value"])
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_rows_need_not_fit(tmp_path):
    schema = pa.schema([(f"x{j}", pa.float32()) for j in range(COLUMNS)] + [("y", pa.int8())])
    with pq.ParquetWriter(tmp_path / "big.parquet", schema) as writer:
        for seed in range(8):
            X = np.random.default_rng(seed).normal(size=(ROWS // 8, COLUMNS)).astype(np.float32)
            y = (X[:, 0] + X[:, 1] > 0).astype(np.int8)
            columns = [pa.array(column) for column in X.T]
            writer.write_table(pa.table([*columns, pa.array(y)], schema=schema))
    environment = {
        "OPENBLAS_NUM_THREADS": "1",
        "MERCER_NUM_THREADS": "1",
        "ARROW_DEFAULT_MEMORY_POOL": "system",
    }
    import os

    told = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT, str(tmp_path)],
        capture_output=True, text=True, timeout=600, env=os.environ | environment,
    )  # fmt: skip
    assert told.returncode == 0, told.stderr[-2000:]
    rows, value = told.stdout.split()
    assert int(rows) == ROWS
    assert float(value) < 0.2
