"""``build``, ``render``, ``write``: objects to a document, a document to text, text to a file."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mercer._clean import clean
from mercer._versions import version
from mercer.io.atomic import write_text
from mercer.io.jsonable import jsonable
from mercer.report._from_estimator import record_of
from mercer.report._html import html
from mercer.report._markdown import markdown
from mercer.report._section import Absent, available
from mercer.report._source import Source
from mercer.report._text import sentence
from mercer.report.run_record import RunRecord

FORMAT = 1
_ENDINGS = {".html": "html", ".htm": "html", ".md": "md", ".markdown": "md", ".json": "json"}


def build(source: Any, X: Any = None, y: Any = None, **options: Any) -> dict[str, Any]:
    """Collect everything a report shows, as plain JSON types.

    Parameters
    ----------
    source : fitted estimator, RunRecord, or mapping
        A model (best one with ``certificate_``, as `mercer.certified_fit` leaves it), the record
        of a run of the command line, its ``to_dict()``, or a document made by this function, which
        is returned as it is.
    X, y : array-like, optional
        The rows as they were given to ``certified_fit``; without them the pictures of rows are
        left out. Curves and counts use only rows the model has not been trained on.
    **options
        ``fresh=(X, y)``: further rows the model has never seen; ``certificate``: one made by
        `mercer.certify`; ``feature_names``, ``class_names``, ``title``.

    Returns
    -------
    dict
        ``sections`` holds one entry per section, ``absent`` says why others are missing.

    Examples
    --------
    >>> import mercer
    >>> X, y, _ = mercer.datasets.make_moons(200, random_state=0)
    >>> model = mercer.fit(X, y)
    >>> document = mercer.report.build(model, X, y, title="Two moons")
    >>> sorted(document["sections"])[:3]
    ['certificate', 'comparison', 'data']
    """
    if isinstance(source, Mapping) and source.get("mercer_report") == FORMAT:
        return dict(source)
    record = _record(source, X, y, options)
    view = Source(record)
    sections: dict[str, Any] = {}
    absent: dict[str, dict[str, str]] = {}
    for section in available():
        try:
            sections[section.key] = jsonable(section.collect(view, sections))
        except Absent as reason:
            absent[section.key] = {"title": section.title, "why": str(reason)}
        except Exception as problem:  # a picture that fails must not cost the user the report
            why = f"could not be made ({type(problem).__name__}: {problem})"
            absent[section.key] = {"title": section.title, "why": why}
            warnings.warn(f"the section {section.title!r} {why}", stacklevel=2)
    return {
        "mercer_report": FORMAT,
        "mercer": version(),
        "title": clean(record.title or "Report", 120),
        "subtitle": _subtitle(record),
        "created": str(record.reproduction.get("created", "")),
        "sections": sections,
        "absent": absent,
    }


def _record(source: Any, X: Any, y: Any, options: dict[str, Any]) -> RunRecord:
    if isinstance(source, RunRecord):
        return source
    if isinstance(source, Mapping):
        return RunRecord.from_dict(source)
    if not hasattr(source, "predict"):
        raise TypeError(
            f"a report is made from a fitted model, a run record or a document, not from "
            f"{type(source).__name__}"
        )
    return record_of(source, X, y, **options)


def _subtitle(record: RunRecord) -> str:
    words = str(record.model.get("words") or record.model.get("learner") or "")
    target = str(record.target.get("words") or record.target.get("task") or "")
    return sentence(clean(" · ".join(part for part in (words, target) if part), 200))


def render(document: Mapping[str, Any], format: str = "html") -> str:
    """A document as text in one of the formats ``"html"``, ``"md"``, ``"json"``."""
    if format == "html":
        return html(document)
    if format == "md":
        return markdown(document)
    if format == "json":
        return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    raise ValueError(f"format must be 'html', 'md' or 'json', got {format!r}")


def write(
    source: Any, path: str | os.PathLike[str], format: str | None = None, **options: Any
) -> Path:
    """Write a report; the file is complete or not there at all.

    Parameters
    ----------
    source : fitted estimator, RunRecord, or mapping
        As for `build`.
    path : str or path
        Where to; an existing file is replaced.
    format : {"html", "md", "json"}, optional
        By default what the name ends in, else HTML.
    **options
        As for `build`: ``X``, ``y``, ``fresh``, ``title``, ...

    Returns
    -------
    Path
        The file written.
    """
    target = Path(path)
    kind = format or _ENDINGS.get(target.suffix.lower(), "html")
    text = render(build(source, **options), kind)
    return write_text(target, text)
