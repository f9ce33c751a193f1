"""``mercer fit``: from a file to a certified model and a report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mercer.cli._echo import echo
from mercer.cli._options import (
    CertifyMode,
    check_budget,
    counted_looks,
    delta_option,
    json_option,
    reading,
    seed_option,
)

EPILOG = """
\b
Examples:
  mercer fit clinic.csv --target outcome
  mercer fit clinic.csv --target outcome --group patient --delta 0.01
  mercer fit sales.parquet --target revenue --order date --time-limit 60
  mercer fit a1a.svm --kernel linear --certify holdout
  mercer fit genes.fasta.gz                             labels as '>name label'
  mercer fit genes.fasta --group related                families of sequences stay together
  mercer fit genes.csv --target label --strings sequence
  mercer fit gram.npy --precomputed kernel --labels labels.csv
  zcat big.csv.gz | mercer fit - --target y --json > run.json
  mercer fit 'big/*.parquet' --target y --work scratch   rows need not fit into memory
  mercer fit 'big/*.parquet' --target y --cluster tcp://head:8786
  mercer fit clinic.csv --target outcome --require-error 0.1 || echo "not good enough"
  mercer fit --config mercer-clinic/run.toml            the same run again
\b
Every option can also be set as MERCER_FIT_<OPTION>, e.g. MERCER_FIT_SEED=1.
"""


def _configured(ctx: click.Context, _: Any, path: str | None) -> str | None:
    """Values of a run.toml become defaults: flags and environment variables still win."""
    if path is None:
        return None
    import tomllib

    try:
        values = tomllib.loads(Path(path).read_text("utf-8"))
    except OSError as problem:
        raise click.BadParameter(f"{path}: {problem.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise click.BadParameter(f"{path} is not TOML: {problem}") from None
    values.pop("about", None)
    names = {p.name.rstrip("_"): p.name for p in ctx.command.params if p.name}
    unknown = sorted(set(values) - set(names))
    if unknown:
        raise click.BadParameter(f"{path}: there is no option '{unknown[0]}'")
    ctx.default_map = {names[key]: value for key, value in values.items()}
    return path


def _learners(ctx: click.Context, _: Any, typed: str) -> list[str]:
    """Names for the shell's completion; of both tasks unless one is given."""
    from mercer.tables.learners import COMPETING, SHORT, learners_for

    asked = ctx.params.get("task")
    tasks = [asked] if asked else ["classification", "regression"]
    names = {
        *COMPETING,
        *(short for short, _ in SHORT),
        *(n for t in tasks for n in learners_for(t)),
    }
    return sorted(name for name in names if name.startswith(typed))


@click.command(
    short_help="Learn from a file, certify the model, write a report.",
    epilog=EPILOG,
    context_settings={"auto_envvar_prefix": "MERCER_FIT", "max_content_width": 100},
)
@click.argument("data", type=str)
@click.option("--target", "-t", metavar="NAME", help="The column to predict, by name or number.")
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Where to write model, certificate, report and run.toml.  [mercer-NAME]",
)
@click.option(
    "--group", metavar="NAME", help="Rows with the same value belong together (FASTA: 'related')."
)
@click.option("--order", metavar="NAME", help="Train on the past, count errors on what came later.")
@click.option("--ignore", multiple=True, metavar="NAME", help="Leave out a column (repeatable).")
@click.option("--keep", multiple=True, metavar="NAME", help="Use a column that looks like a key.")
@click.option(
    "--as",
    "treat",
    multiple=True,
    metavar="NAME=KIND",
    help="Treat a column as number, category, ordinal, ordinal:low<mid<high, date, text.",
)
@click.option(
    "--strings",
    metavar="NAME",
    help="Compare the strings of this column (DNA, ...) alone.",
)
@click.option("--labels", type=str, metavar="FILE", help="Labels in a file of their own.")
@click.option(
    "--task",
    type=click.Choice(["classification", "regression"]),
    help="What to learn, if it is not plain from the target.",
)
@click.option(
    "--kernel",
    "-k",
    default="auto",
    show_default=True,
    metavar="NAMES",
    help="Kernels to try, e.g. gaussian+linear or matern:nu=1.5.",
)
@click.option(
    "--combine",
    type=click.Choice(["auto", "product", "sum", "anova"]),
    default="auto",
    show_default=True,
    help="How the kernels of the columns are combined.",
)
@click.option(
    "--learner",
    default="auto",
    show_default=True,
    metavar="NAME",
    shell_complete=_learners,
    help="kernel, linear, boosting, lightgbm, forest or trees alone; svm, nu-svm, or a kernel "
    "learner of Mercer's, e.g. kernel_logistic.  [auto: all compete]",
)
@click.option(
    "--certify",
    default="auto",
    show_default=True,
    type=CertifyMode(),
    help="Where the certificate comes from.",
)
@delta_option
@click.option(
    "--tolerance",
    type=click.FloatRange(min=0),
    metavar="T",
    help="Regression: count targets further than T away.  [how near 90 % of them are]",
)
@click.option(
    "--error",
    type=click.Choice(["overall", "classes", "balanced"]),
    default="overall",
    show_default=True,
    help="Error rate of all rows, of the worst class, or the mean of the classes'; learners are "
    "chosen by it.",
)
@click.option(
    "--metric",
    metavar="NAME",
    help="Certify f1, auc, precision:positive=yes, ... in place of the error.",
)
@counted_looks
@click.option(
    "--require-error",
    type=click.FloatRange(0, 1),
    metavar="E",
    help="Exit with code 5 unless an error of at most E is certified.",
)
@seed_option
@click.option(
    "--route",
    type=click.Choice(["auto", "exact", "measured", "cells", "low-rank"]),
    default="auto",
    show_default=True,
    help="How to learn from many rows; measured: rows kept apart decide.",
)
@click.option("--rank", type=click.IntRange(1), metavar="N", help="Landmarks of the low rank.")
@click.option("--cells", type=click.IntRange(2), metavar="N", help="Most rows of a cell.")
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Be done in about so long; some seconds are needed in any case.",
)
@click.option("--memory-limit", metavar="SIZE", help="For instance 2GB.")
@click.option(
    "--cluster",
    metavar="WHERE",
    help="Files in batches on a Dask cluster: its address, or local, or local:N workers here.",
)
@click.option(
    "--work",
    type=click.Path(),
    metavar="DIR",
    help="Files in batches: keep what was done for each, so that a second run goes on.",
)
@click.option("--skip-bad-files", is_flag=True, help="Leave out files that cannot be read.")
@click.option(
    "--report",
    type=click.Choice(["html", "md", "json", "none"]),
    default="html",
    show_default=True,
    help="Kind of report.",
)
@reading
@click.option(
    "--config",
    type=str,
    is_eager=True,
    expose_value=True,
    callback=_configured,
    metavar="FILE",
    help="A run.toml whose options are taken over.",
)
@json_option
@click.option("--quiet", "-q", is_flag=True, help="Print nothing but errors.")
def command(**values: Any) -> int:
    """Learn to predict a column of DATA, and say how wrong the model will be.

    DATA may be a folder or a pattern such as 'big/*.parquet': then the rows are read in batches
    and need not fit into memory. Otherwise it is a text table (CSV, TSV, ...), Parquet, Arrow,
    JSON lines, svmlight, ARFF, .npy, .npz, FASTA or FASTQ file, or one string per line (--format
    lines), plain or compressed, or - for standard input. Columns may be numbers, names, dates or
    short texts, with gaps.
    """  # fmt: skip
    import json
    import time

    from mercer._stopping import stopping
    from mercer.app.files import write_all
    from mercer.cli._require import require_error
    from mercer.cli._summary import show
    from mercer.io.atomic import new_folder

    check_budget(values)
    place = values["output"] or _folder_for(values["data"])
    with stopping() as state, new_folder(place) as folder:
        options, quiet = _options(values), values["quiet"] or values["as_json"]
        if _in_batches(values):
            run = _stream(values, options, quiet)
        else:
            run = _in_memory(values, options, quiet)
        record, learned = run.record, time.monotonic()
        write_all(record, run.data, run.model, folder, values["report"])
        record.timings["writing"] = time.monotonic() - learned
        state.saved = True
    if values["as_json"]:
        echo(json.dumps(record.to_dict()))
    elif not values["quiet"]:
        show(record)
    require_error(values["require_error"], record.certificate)
    return 130 if record.model.get("interrupted") else 0


def _in_batches(values: dict[str, Any]) -> bool:
    """Whether the rows come from several files, or their own way of working was asked for."""
    from mercer.io.source import is_pattern

    data = values["data"]
    asked = values["cluster"] or values["work"] or values["skip_bad_files"]
    return bool(asked) or (data != "-" and is_pattern(data))


def _in_memory(values: dict[str, Any], options: Any, quiet: bool) -> Any:
    """The fit of one file; a file that does not fit into memory goes in batches."""
    from mercer.app.labels import read_labels
    from mercer.app.run import run_fit
    from mercer.app.streams.too_large import in_memory_or_batches
    from mercer.io.readers import read
    from mercer.io.source import Source

    def here() -> Any:
        source = Source.of(values["data"])
        return run_fit(
            read(source, options.reading),
            options,
            source=source,
            labels=read_labels(values["labels"], values["target"]),
            quiet=quiet,
            reproduction=_typed(values),
            begun=click.get_current_context().obj,
        )

    one = values["data"] if values["labels"] is None else None
    return in_memory_or_batches(here, one, options, quiet, _typed(values))


def _stream(values: dict[str, Any], options: Any, quiet: bool) -> Any:
    from mercer.app.streams.fit import fit_stream
    from mercer.app.streams.options import StreamOptions

    if values["labels"] is not None:
        raise click.UsageError("--labels is for data in one file.")
    stream = StreamOptions(values["cluster"], values["work"], values["skip_bad_files"], quiet)
    return fit_stream(values["data"], options, stream, _typed(values))


def _options(values: dict[str, Any]) -> Any:
    """The options of the command, as the product takes them."""
    from dataclasses import fields

    from mercer.app.options import FitOptions, read_treatments
    from mercer.app.reading import reader_options

    made: dict[str, Any] = {
        "treat": read_treatments(values["treat"]),
        "certify": None if values["certify"] == "none" else values["certify"],
        "reading": reader_options(values),
    }
    known = {f.name: values[f.name] for f in fields(FitOptions) if f.name not in made}
    return FitOptions(**known, **made)


def _typed(values: dict[str, Any]) -> dict[str, Any]:
    """The command, and every value that it takes to give it again."""
    import shlex
    import sys

    skip = {"config", "quiet", "as_json", "output"}
    run = {k.rstrip("_"): list(v) if isinstance(v, tuple) else v for k, v in values.items()
           if k not in skip and v is not None and v != ()}  # fmt: skip
    for name in ("data", "labels"):
        if values.get(name) and values[name] != "-":
            run[name] = str(Path(values[name]).resolve())
    return {"command": "mercer " + " ".join(map(shlex.quote, sys.argv[1:])), "run": run}


def _folder_for(data: str) -> Path:
    """``mercer-clinic`` for ``somewhere/clinic.csv.gz``."""
    if data == "-":
        return Path("mercer-stdin")
    name = Path(data).name
    plain = "".join(c for c in name.split(".")[0] if c not in "*?[]{}").strip("-_")
    return Path("mercer-" + (plain or Path(data).parent.name or "stream"))
