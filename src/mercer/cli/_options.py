"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click


def reading(command: Callable[..., Any]) -> Callable[..., Any]:
    """How the file is written; by default that is found out."""
    for option in reversed(
        (
            click.option("--format", "format_", metavar="NAME",
                         help="Format of the file, if its name does not tell (delimited, parquet, "
                         "json, svmlight, arff, numpy, ...)."),
            click.option("--encoding", metavar="NAME", help="Encoding of text, e.g. cp1252."),
            click.option("--separator", metavar="CHAR", help="What separates fields, e.g. ';'."),
            click.option("--decimal", type=click.Choice([".", ","]), help="The decimal sign."),
            click.option("--header/--no-header", default=None,
                         help="Whether the first line names the columns."),
            click.option("--missing", multiple=True, metavar="WORD",
                         help="A further word of a text table for 'no value' (repeatable)."),
            click.option("--sheet", metavar="NAME",
                         help="Sheet of a workbook, by name or number, or 'all'."),
            click.option("--query", metavar="SQL", help="What to read from a database file."),
            click.option("--precomputed", type=click.Choice(["kernel", "distance"]),
                         help="The file is a square matrix of kernel values or distances."),
        )
    ):  # fmt: skip
        command = option(command)
    return command


class CertifyMode(click.ParamType):  # type: ignore[type-arg]  # generic from click 8.2 on
    """A mode that needs nothing but rows, or none. Loading the modes is left for when they are."""

    name = "mode"

    def names(self) -> list[str]:
        """What may be asked for."""
        from mercer.certification import modes

        return [*(name for name, mode in modes.available().items() if not mode.needs), "none"]

    def convert(self, value: object, param: Any, ctx: Any) -> str:
        """The name, if it is one."""
        if value not in self.names():
            self._only_in_python(value, param, ctx)
            self.fail(f"{value!r} is not one of {', '.join(map(repr, self.names()))}.", param, ctx)
        return str(value)

    def _only_in_python(self, value: object, param: Any, ctx: Any) -> None:
        """Fail with what a mode needs that a table machine or a command has not."""
        from mercer.certification import modes

        mode = modes.available().get(str(value))
        if mode is not None:
            needs = " and ".join(sorted(mode.needs))
            self.fail(f"{value!r} needs more than a file can give ({needs}): use it from Python, "
                      f"mercer.certified_fit(..., mode={value!r}).", param, ctx)  # fmt: skip

    def get_metavar(self, param: Any, ctx: Any = None) -> str:
        """The names, in help."""
        return f"[{'|'.join(self.names())}]"

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[Any]:
        """Names that begin as typed."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(name) for name in self.names() if name.startswith(incomplete)]


def seed_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--seed``."""
    return click.option(
        "--seed", type=click.IntRange(min=0), default=20261115, show_default=True,
        help="Everything random follows from it.",
    )(command)  # fmt: skip


def delta_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--delta``."""
    return click.option(
        "--delta", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.05,
        show_default=True, help="Probability with which the certificate may be wrong.",
    )(command)  # fmt: skip


def counted_looks(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--ledger`` and ``--budget``."""
    budget = click.option(
        "--budget", type=click.FloatRange(0, 1, min_open=True, max_open=True), metavar="D",
        help="With --ledger: probability with which any number from these rows may be wrong, in "
        "place of --delta. Nine tenths for the first look, the rest for all others.",
    )  # fmt: skip
    ledger = click.option(
        "--ledger", metavar="PATH",
        help="Count looks at the same rows in this file, across runs.",
    )  # fmt: skip
    return ledger(budget(command))


def check_budget(values: dict[str, Any]) -> None:
    """A run by itself is one look: without a file there is nothing to share."""
    if values["budget"] is not None and values["ledger"] is None:
        raise click.UsageError("--budget is shared by the looks in a file: name it with --ledger.")


def json_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--json``."""
    return click.option(
        "--json", "as_json", is_flag=True,
        help="Print one JSON document on standard output and nothing else.",
    )(command)  # fmt: skip
