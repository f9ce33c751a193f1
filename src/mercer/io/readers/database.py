"""SQLite and DuckDB files: a table, or what a query gives."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

from mercer.errors import DataError
from mercer.io.readers._extra import from_cells, needs
from mercer.io.source import Source
from mercer.tables.dataset import Dataset

NAME = "database"
SUFFIXES = (".sqlite", ".sqlite3", ".db", ".duckdb", ".ddb")
_TABLES = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name",
    "duckdb": "SELECT table_name FROM information_schema.tables ORDER BY table_name",
}


def sniff(head: bytes) -> bool:
    """Both kinds say what they are in their first bytes."""
    return head[:15] == b"SQLite format 3" or head[8:12] == b"DUCK"


def read(source: Source, options: Any) -> Dataset:
    """Run ``--query``, or take the only table; nothing is ever written."""
    if source.path is None or source.compression:
        raise DataError("a database is read from its file.", "Name it, decompressed.")
    kind = "duckdb" if source.head(12)[8:12] == b"DUCK" else "sqlite"
    with closing(_connected(kind, source)) as connection:
        query = options.query or _only_table(connection, kind, source)
        try:
            cursor = connection.execute(query)
            rows = cursor.fetchall()
        except Exception as problem:  # both packages have many kinds of errors
            raise DataError(f"the query failed: {problem}", "Check --query.") from None
        names = [str(column[0]) for column in cursor.description or ()]
    if not names:
        raise DataError("the query gives no table.", "--query is a SELECT.")
    columns = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in names]
    data = from_cells(names, columns, kind, [], options)
    data.dialect = {"query": query}
    return data


def _connected(kind: str, source: Source) -> Any:
    path = str(source.path)
    if kind == "duckdb":
        return needs("duckdb", "DuckDB files").connect(path, read_only=True)
    assert source.path is not None
    return sqlite3.connect(f"{source.path.resolve().as_uri()}?mode=ro", uri=True)


def _only_table(connection: Any, kind: str, source: Source) -> str:
    tables = [row[0] for row in connection.execute(_TABLES[kind]).fetchall()]
    if len(tables) == 1:
        return f'SELECT * FROM "{tables[0]}"'
    listed = ", ".join(tables[:12]) or "none"
    raise DataError(
        f"{source.name} has {len(tables)} tables: {listed}.",
        f"Say which rows with --query, e.g. --query 'SELECT * FROM {(tables or ['t'])[0]}'.",
    )
