"""Whole files to begin with, and ways to damage them."""

import bz2
import gzip
import io
import json
import sqlite3
import tempfile
import zipfile
from functools import lru_cache, partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

import mercer
from mercer.io.model_file._zip import write

WORDS = [b"nan", b"inf", b"-", b"1e999", b"\x00", b"\xff\xfe", b'"', b"'", b",", b"\n", b"\r\n",
         b"{", b"}", b"[", b"@data\n", b"PAR1", b"%", b"?", b"4294967296", b"-1", b"\x1f\x8b",
         b"\xef\xbb\xbf", b"\xe4", b"\t", b";", b":"]  # fmt: skip
JUNK = [None, True, -1, 0, 7, 10**12, 1e300, -0.5, "", "x", [], {}, {"$array": 0}, {"$ref": 1},
        {"$array": 10**9}, {"$tuple": 3}, {"$dtype": "O"}, {"$object": "svc"}]  # fmt: skip


def _table():
    words = ["spam", "ham", None, "eggs"] * 5
    numbers, coded = np.linspace(0, 1, 20), pa.array(words).dictionary_encode()
    whole = pa.array(range(20), pa.int32())
    return pa.table({"text": words, "coded": coded, "number": numbers, "whole": whole})


def _written(write):
    out = io.BytesIO()
    write(out)
    return out.getvalue()


def _database():
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "a.db"
        base = sqlite3.connect(place)
        base.execute("create table t (a real, b text)")
        base.executemany("insert into t values (?, ?)", [(i / 2, "xy"[i % 2]) for i in range(9)])
        base.commit()
        base.close()
        return place.read_bytes()


def files():
    """One small file per format that is read without a name."""
    text = b"a,b,c\n" + b"1,2.5,x\n2,3.5,y\n" * 4
    return [
        text,
        gzip.compress(text),
        bz2.compress(text),
        text.replace(b",", b";").replace(b".", b","),
        text.replace(b",", b"\t"),
        text.replace(b",", b" "),
        text.decode().encode("utf-16"),
        b'a,"b ""c""\nd"\n1,"x\ny"\n2,z\n',
        b'{"a": 1, "b": "x"}\n{"a": 2, "b": "y"}\n' * 3,
        b"@relation r\n@attribute a numeric\n@attribute b {x,y}\n@data\n" + b"1,x\n2,y\n" * 3,
        b"@relation r\n@attribute a numeric\n@attribute b {x,y}\n@data\n{0 1,1 y}\n{1 x}\n",
        b"1 1:0.5 3:2\n-1 2:1\n" * 3,
        b">a\nACGT\n>b\nTTGA\n" * 2,
        b"@a\nACGT\n+\nIIII\n" * 2,
        b"a\tb\tc\ncontinuous\tdiscrete\tx y\n\t\tclass\n1\tu\tx\n2\tv\ty\n",
        _written(partial(pyarrow.feather.write_feather, _table(), compression="uncompressed")),
        _written(partial(pyarrow.feather.write_feather, _table(), compression="lz4")),
        _written(lambda out: pyarrow.parquet.write_table(_table(), out)),
        _written(lambda out: np.save(out, np.arange(12.0).reshape(6, 2))),
        _written(partial(np.savez_compressed, X=np.ones((6, 2)), y=np.arange(6))),
        _database(),
    ]  # fmt: skip


def models():
    """Files of a few learners; their manifests are what is damaged."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 4))
    y = (X[:, 0] > 0).astype(int)
    found = [mercer.SVC().fit(X, y), mercer.SVR(kernel="linear").fit(X, X[:, 1]),
             mercer.KernelRidge().fit(X, X[:, 1]), mercer.KernelPCA(2).fit(X)]  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        return [
            mercer.save(model, Path(folder) / f"{k}.mercer").read_bytes()
            for k, model in enumerate(found)
        ]


SEEDS = {"readers": files, "models": models}


def changed(target, content, pool, draw):
    """Another input made of one or two that are there."""
    if target == "models" and draw.random() < 0.8:
        forged = _forged(content, draw)
        if forged is not None:
            return forged
    raw = bytearray(content)
    for _ in range(draw.choice((1, 1, 2, 4))):
        place = draw.randrange(len(raw) + 1)
        kind = draw.randrange(8)
        if kind == 0 and place < len(raw):
            raw[place] = draw.randrange(256)
        elif kind == 1 and place < len(raw):
            raw[place] ^= 1 << draw.randrange(8)
        elif kind == 2:
            del raw[place : place + draw.randint(1, 8)]
        elif kind == 3:
            raw[place:place] = raw[max(0, place - draw.randint(1, 40)) : place]
        elif kind == 4:
            raw[place:place] = draw.choice(WORDS)
        elif kind == 5:
            word = draw.choice(WORDS)
            raw[place : place + len(word)] = word
        elif kind == 6 and len(raw) > 8:
            at = draw.randrange(len(raw) - 3)
            number = draw.choice((0, 1, -1, 2**31 - 1, -(2**31), 255, draw.randrange(2**16)))
            raw[at : at + 4] = number.to_bytes(4, "little", signed=True)
        elif kind == 7:
            other = draw.choice(pool)
            raw[place:] = other[min(place, len(other)) :][:20_000]
    return bytes(raw[:40_000])


def _places(tree, found):
    keys = tree.keys() if isinstance(tree, dict) else range(len(tree))
    for key in keys:
        found.append((tree, key))
        if isinstance(tree[key], dict | list):
            _places(tree[key], found)
    return found


@lru_cache(maxsize=1000)
def _unpacked(content):
    """The manifest and the arrays of a model file; the same few are changed again and again."""
    with zipfile.ZipFile(io.BytesIO(content)) as box:
        manifest = box.read("manifest.json")
        names = json.loads(manifest)["checksums"]
        return manifest, tuple(np.load(io.BytesIO(box.read(name))) for name in names)


def _forged(content, draw):
    """A model file with right checksums and wrong contents; None if there is nothing to forge."""
    try:
        manifest, arrays = _unpacked(content)
        text, arrays = json.loads(manifest), list(arrays)
        spots = _places(text["root"], [])
        for _ in range(draw.randint(1, 3)):
            tree, key = draw.choice(spots)
            other, name = draw.choice(spots)
            tree[key] = (
                draw.choice(JUNK) if draw.random() < 0.7 else json.loads(json.dumps(other[name]))
            )
        if arrays and draw.random() < 0.4:
            which = draw.randrange(len(arrays))
            array = arrays[which]
            arrays[which] = draw.choice(
                (
                    array.ravel()[: draw.randint(0, 3)],
                    array.astype("f4"),
                    array * 0,
                    array[None],
                    array[::-1].copy(),
                )
            )
        told = {k: v for k, v in text.items() if k not in ("mercer_model", "checksums")}
        made = io.BytesIO()
        write(made, told, arrays)
        return made.getvalue()
    except Exception:  # a container was replaced, or the file was damaged before
        return None
