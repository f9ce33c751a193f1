"""``mercer export``: a saved model in the format of another tool."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mercer.cli._echo import echo

EPILOG = """
\b
Examples:
  mercer export mercer-clinic/model.mercer --to onnx clinic.onnx
  mercer export model.mercer --to skops model.skops
  mercer export model.mercer small.onnx --single
  mercer export model.mercer --to mlflow clinic-mlflow      a folder with MLmodel and a signature
\b
ONNX holds support vector machines and kernel ridge regression, with one input per column of a
table (numbers, dates as seconds since 1970, names as text); skops holds every model
and is opened from Python with mercer.io.export.from_skops.
"""
SUFFIXES = {".onnx": "onnx", ".skops": "skops"}


@click.command(short_help="Write a saved model for another tool.", epilog=EPILOG)
@click.argument("model", type=str)
@click.argument("output", type=click.Path(path_type=Path))
@click.option(
    "--to",
    "target",
    type=click.Choice(["onnx", "skops", "mlflow"]),
    help="Format.  [by the name of OUTPUT]",
)
@click.option("--single", is_flag=True, help="ONNX: calculate in single precision.")
def command(model: str, output: Path, target: str | None, single: bool) -> int:
    """Write MODEL, a file of `mercer fit` or mercer.save, to OUTPUT.

    What the other format cannot express is an error that names the reason; nothing is written then.
    Like MODEL, OUTPUT contains rows of the training data unless the machine is linear.
    """  # fmt: skip
    target = target or SUFFIXES.get(output.suffix.lower())
    if target is None:
        raise click.UsageError("name the format with --to onnx, --to skops or --to mlflow.")
    if single and target != "onnx":
        raise click.UsageError("--single is about ONNX files.")
    from mercer.io.export import TARGETS
    from mercer.io.model_file import open_model

    options: dict[str, Any] = {"dtype": "float32"} if single else {}
    stored = open_model(model)
    path = TARGETS[target](stored.model, output, **options)
    size = sum(f.stat().st_size for f in ([path] if path.is_file() else path.iterdir()))
    echo(f"wrote     {path}  ({size:,} bytes)")
    return 0
