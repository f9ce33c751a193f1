"""Reports: a fitted model or a run, as one page to send.

``build`` turns objects into a plain document, ``render`` a document into HTML, Markdown or JSON,
and ``write`` does both and puts the text into a file. A page needs nothing but itself: no network,
no matplotlib. The parts of a report live in ``sections/``, one per file.
"""

from mercer.report._build import build, render, write

__all__ = ["build", "render", "write"]
