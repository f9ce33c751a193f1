"""Write models as this version writes them, with what they answer, for tests of later versions.

    python tools/freeze_models.py tests/io/fixtures/format-N.zip

No archive is ever written again: this tool freezes what the *current* version writes, so it is run
once for each new format, before the code that reads it changes. It refuses to replace an archive.

The archive holds ``index.json`` with ``versions``, the names of ``cases`` and ``skops`` files, and
``refusals`` (name to text); per case ``cases/NAME.mercer`` and ``cases/NAME.json`` with the rows
that were asked about, the answers, and the certificate; ``skops/NAME.skops`` and ``.json``
likewise; ``fit/`` with a table, the folder ``out`` of a ``mercer fit`` and what ``mercer predict``
says; ``search.jsonl``, the checkpoint of a search, and
``search.json`` with what it searched.
Members of the model files are not compressed, the archive is: half the size.
"""

from __future__ import annotations

import argparse
import io
import itertools
import json
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from freezing import certified, files, kernels, learners, pipelines, refused  # noqa: E402
from freezing import samples as s  # noqa: E402
from freezing.case import Case  # noqa: E402

import mercer  # noqa: E402
from helpers_frozen import answers_of, certificate_of, to_plain  # noqa: E402
from mercer.certification.core import looks  # noqa: E402
from mercer.io.model_file import NotStorable, open_model  # noqa: E402

MOST_BYTES = 1_200_000


def every_case() -> Iterable[Case]:
    """All models, the refused ones included."""
    return itertools.chain(
        learners.learners(),
        learners.machines(),
        learners.processes(),
        learners.searches(),
        kernels.kernel_cases(),
        kernels.metric_cases(),
        certified.every_mode(),
        certified.other_answers(),
        pipelines.pipelines(),
        pipelines.tables(),
        refused.functions(),
    )


def freeze(archive: zipfile.ZipFile, folder: Path) -> dict[str, Any]:
    """Write everything, and say what was written."""
    names, refusals, skops = [], {}, []
    path = folder / "model.mercer"
    for case in every_case():
        looks.forget()  # no certificate depends on the cases before it
        model = case.build()
        try:
            mercer.save(model, path)  # before anybody looks: what is lazy stays so in the file
        except NotStorable as refusal:
            refusals[case.name] = str(refusal)
            continue
        _add(archive, f"cases/{case.name}.mercer", unpressed(path.read_bytes()))
        _add(archive, f"cases/{case.name}.json", record(model, case.rows))
        names.append(case.name)
    versions = open_model(path).versions
    for case in files.skops_models():
        looks.forget()
        model = case.build()
        _add(archive, f"{case.name}.skops", unpressed(files.write_skops(model, folder)))
        _add(archive, f"{case.name}.json", record(model, case.rows))
        skops.append(case.name.removeprefix("skops/"))
    _add(archive, "search.jsonl", files.checkpoint(folder))
    searched = {"rows": to_plain(s.X), "labels": to_plain(s.y), "params": files.GRID}
    _add(archive, "search.json", json.dumps(searched).encode())
    (folder / "fit").mkdir()
    for file in sorted(files.fit_folder(folder / "fit").rglob("*")):
        if file.is_file():
            _add(archive, file.relative_to(folder).as_posix(), file.read_bytes())
    return {"versions": versions, "cases": names, "skops": skops, "refusals": refusals}


def record(model: Any, rows: Any) -> bytes:
    """Rows, answers and certificate as JSON."""
    answers = {name: to_plain(value) for name, value in answers_of(model, rows).items()}
    found = {"rows": to_plain(rows), "answers": answers, "certificate": certificate_of(model)}
    return json.dumps(found).encode()


def unpressed(content: bytes) -> bytes:
    """The same zip file with its members as they are, which compresses better from outside."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as given, zipfile.ZipFile(out, "w") as plain:
        for member in given.infolist():
            plain.writestr(zipfile.ZipInfo(member.filename), given.read(member))
    return out.getvalue()


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    info = zipfile.ZipInfo(name)
    info.compress_type = zipfile.ZIP_LZMA  # mixtures repeat themselves far apart
    archive.writestr(info, content)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("archive", type=Path, help="a file that does not exist yet")
    path = parser.parse_args().archive
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        with zipfile.ZipFile(path, "x") as archive:
            index = freeze(archive, Path(folder))
            _add(archive, "index.json", json.dumps(index, indent=1).encode())
    size = path.stat().st_size
    print(f"{path}: {len(index['cases'])} models, {len(index['refusals'])} refused, {size} bytes")
    if size > MOST_BYTES:
        print(f"larger than {MOST_BYTES} bytes: leave out cases that repeat others")
    return int(size > MOST_BYTES)


if __name__ == "__main__":
    raise SystemExit(main())
