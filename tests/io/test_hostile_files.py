"""Files damaged, or made to harm: an error with a reason, never a crash or more memory."""

import contextlib
import gzip
import io
import random
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

import mercer
from mercer.errors import DataError, LimitError
from mercer.io.readers import read
from mercer.io.source import Source


def reading(content, **options):
    return read(Source(None, content), **options)


def a_table():
    words = ["spam", "ham", None, "eggs"] * 10
    return pa.table(
        {
            "text": words,
            "coded": pa.array(words).dictionary_encode(),
            "number": np.linspace(0, 1, 40),
            "whole": pa.array(range(40), pa.int32()),
        }
    )


def as_arrow():
    out = io.BytesIO()
    pyarrow.feather.write_feather(a_table(), out, compression="uncompressed")
    return out.getvalue()


def as_parquet():
    out = io.BytesIO()
    pyarrow.parquet.write_table(a_table(), out)
    return out.getvalue()


def as_npz():
    out = io.BytesIO()
    np.savez_compressed(out, X=np.arange(60.0).reshape(20, 3), y=np.arange(20) % 2)
    return out.getvalue()


def as_npy(array):
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


SMALL = {
    "arrow": as_arrow(),
    "parquet": as_parquet(),
    "npz": as_npz(),
    "npy": as_npy(np.arange(60.0).reshape(20, 3)),
    "csv": b"a,b,c\n" + b"1,2.5,x\n2,3.5,y\n" * 8,
    "csv.gz": gzip.compress(b"a,b,c\n" + b"1,2.5,x\n2,3.5,y\n" * 8),
    "json": b'{"a": 1, "b": "x"}\n{"a": 2, "b": "y"}\n' * 5,
    "arff": b"@relation r\n@attribute a numeric\n@attribute b {x,y}\n@data\n" + b"1,x\n2,y\n" * 6,
    "svmlight": b"1 1:0.5 3:2\n-1 2:1\n" * 6,
    "fasta": b">a\nACGT\n>b\nTTGA\n" * 4,
    "fastq": b"@a\nACGT\n+\nIIII\n" * 4,
}


def mutated(content, draw):
    """Bytes changed, cut off, repeated or left out."""
    raw = bytearray(content)
    for _ in range(draw.randint(1, 4)):
        place = draw.randrange(len(raw))
        kind = draw.randrange(5)
        if kind == 0:
            raw[place] = draw.randrange(256)
        elif kind == 1:
            raw[place] ^= 1 << draw.randrange(8)
        elif kind == 2:
            del raw[place : place + draw.randint(1, 8)]
        elif kind == 3:
            raw[place:place] = raw[max(0, place - 9) : place] or b"\x00"
        else:
            del raw[max(8, place) :]
        if not raw:
            break
    return bytes(raw)


@pytest.mark.parametrize("kind", sorted(SMALL))
def test_changed_bytes_give_data_or_an_error_for_people(kind):
    draw = random.Random(kind)  # the same files every time
    content = SMALL[kind]
    assert reading(content).n > 0
    for _ in range(150):
        with contextlib.suppress(DataError, LimitError):
            reading(mutated(content, draw))


def test_offsets_of_an_arrow_file_are_checked():
    """A wrong offset made Arrow read outside of its memory: the process was gone."""
    plain, refused = as_arrow(), 0
    start = plain.index(np.arange(0, 8, dtype=np.int32).tobytes()[:4], 8)
    for place in range(start, len(plain) - 300, 7):
        try:
            reading(plain[:place] + b"\x87" + plain[place + 1 :])
        except DataError:
            refused += 1
    assert refused > 5


@pytest.fixture
def little_memory():
    with mercer.config(memory_limit="50MB"):
        yield


@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize(
    "content",
    [
        gzip.compress(b"a,b\n" + b"0,0\n" * 5_000_000),
        gzip.compress(b"ACGT\n" * 20_000_000),
        gzip.compress(as_npy(np.zeros((1_000_000, 10)))),
    ],
    ids=["table", "text", "array"],
)
def test_a_small_file_that_unpacks_to_a_large_one_is_refused(content):
    with pytest.raises(LimitError, match="memory limit"):
        reading(content)


def test_a_bomb_takes_no_more_memory_than_allowed(tmp_path):
    place = tmp_path / "bomb.csv.gz"
    with gzip.open(place, "wb", compresslevel=1) as stream:
        stream.write(b"a,b\n")
        for _ in range(20):
            stream.write(b"0,0\n" * 1_000_000)
    script = (
        "import resource, mercer\n"
        "from mercer.errors import LimitError\n"
        "from mercer.io.readers import read\n"
        "import pyarrow.csv, sklearn.base\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "mercer.set_config(memory_limit='200MB')\n"
        "try:\n    read(r'%s')\nexcept LimitError as problem:\n    print(problem)\n"
        "print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script % place], capture_output=True, text=True, check=True
    )
    words, peak = done.stdout.splitlines()
    assert "memory limit is 200 MB" in words
    assert int(peak) < 200


def test_a_parquet_file_of_many_equal_values_is_refused_before_it_is_unpacked():
    out = io.BytesIO()
    pyarrow.parquet.write_table(pa.table({"a": np.zeros(5_000_000)}), out)
    assert len(out.getvalue()) < 1_000_000
    with mercer.config(memory_limit="50MB"), pytest.raises(LimitError, match="80 MB"):
        reading(out.getvalue())


def test_fields_may_be_long():
    """A sequence of 150,000 letters; another longer than a block of the reader."""
    for letters in (150_000, 5_000_000):
        rows = b"".join(
            b"%d,%s\n" % (i % 2, b"ACGT"[i % 4 : i % 4 + 1] * letters) for i in range(4)
        )
        data = reading(b"label,sequence\n" + rows)
        assert data.n == 4
        assert [len(v) for v in data.columns[1].values] == [letters] * 4


def test_the_limit_of_the_csv_module_is_left_as_it_was():
    import csv

    before = csv.field_size_limit()
    reading(b"a,b\n1,2\n3,4\n")
    assert csv.field_size_limit() == before


def test_records_with_named_fields_are_refused():
    out = io.BytesIO()
    np.lib.format.write_array(
        out, np.zeros(3, dtype=[("é", "f8")]), version=(3, 0), allow_pickle=False
    )
    with pytest.raises(DataError, match="named fields"):
        reading(out.getvalue())
