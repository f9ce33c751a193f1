"""Files that are not read here: what they are, and what to do about it."""

from __future__ import annotations

from mercer.errors import DataError
from mercer.io.source import Source

_CSV = "Export it as CSV or Parquet"
_CODE = ", which may run any code when opened"
_TRUST = "Open it in Python if you trust it, then mercer.fit(frame)."
_R = "In R: load it, then write.csv(table, 'data.csv', row.names = FALSE)."
_SUFFIXES = {
    ".pkl": (f"a Python pickle{_CODE}", _TRUST),
    ".pickle": (f"a Python pickle{_CODE}", _TRUST),
    ".joblib": (f"a joblib file{_CODE}", _TRUST),
    ".rds": ("a file of R", "In R: write.csv(readRDS('FILE'), 'data.csv')."),
    ".rda": ("a file of R", _R),
    ".rdata": ("a file of R", _R),
    ".mat": ("a file of Matlab", "In Matlab: writetable(table, 'data.csv')."),
    ".h5": ("an HDF5 file", f"{_CSV}, for instance with pandas."),
    ".hdf5": ("an HDF5 file", f"{_CSV}, for instance with pandas."),
    ".orc": ("an ORC file", f"{_CSV}."),
    ".avro": ("an Avro file", f"{_CSV}."),
    ".pdf": ("a PDF", "Copy the table into a workbook or a text file."),
    ".doc": ("a text document", "Copy the table into a workbook or a text file."),
    ".docx": ("a text document", "Copy the table into a workbook or a text file."),
    ".xml": ("XML", f"{_CSV}."),
    ".html": ("a web page", "Copy the table into a workbook or a text file."),
    ".numbers": ("a table of Numbers", "Export it as CSV or Excel."),
    ".gsheet": ("a link to a table of Google", "Download it as CSV or Excel."),
    ".jmp": ("a file of JMP", f"{_CSV}."),
}  # fmt: skip
_SIGNS = (
    (b"%PDF", ".pdf"), (b"\x89HDF", ".h5"), (b"ORC", ".orc"), (b"Obj\x01", ".avro"),
    (b"MATLAB", ".mat"), (b"RDX", ".rda"), (b"\x80\x04\x95", ".pkl"), (b"\x80\x05\x95", ".pkl"),
)  # fmt: skip


def refuse_foreign(source: Source, head: bytes) -> None:
    """Raise an error with advice if this is a format that nobody here reads."""
    suffix = next((end for sign, end in _SIGNS if head.startswith(sign)), source.suffix)
    found = _SUFFIXES.get(suffix)
    if found is not None:
        raise DataError(f"{source.name} is {found[0]}: it cannot be read here.", found[1])
    if b"\x00" in head[:1000] and head[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        raise DataError(
            f"{source.name} is not text, and in none of the formats that are known.",
            "If it is one of them under another name, say --format; otherwise save it as CSV, "
            "Parquet or Excel.",
        )
