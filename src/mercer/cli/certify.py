"""``mercer certify``: a certificate from fresh labels, or the one a model was saved with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mercer.cli._echo import echo
from mercer.cli._options import check_budget, counted_looks, delta_option, json_option, reading

EPILOG = """
\b
Examples:
  mercer certify model.mercer                        the certificate it was saved with
  mercer certify model.mercer fresh.csv              a new one, from rows it never saw
  mercer certify --predictions answers.csv --truth y --predicted guess
  mercer certify model.mercer fresh.csv --require-error 0.1
  mercer certify model.mercer fresh.csv --metric f1:positive=yes
  mercer certify model.mercer fresh.csv --by site
  mercer certify model.mercer fresh.csv --shares yes=0.1,no=0.9
  mercer certify model.mercer fresh.csv --population other-clinic.csv
  mercer certify model.mercer 'fresh/*.parquet'      counted in batches
"""


@click.command(
    short_help="A certificate from fresh labels, for a saved or any other model.", epilog=EPILOG
)
@click.argument("model", type=str, required=False)
@click.argument("data", type=str, required=False)
@click.option("--target", "-t", metavar="NAME", help="Column of the true labels.  [the model's]")
@click.option(
    "--predictions",
    type=str,
    metavar="FILE",
    help="Predictions of any model and the truth, in one table.",
)
@click.option("--truth", metavar="NAME", help="With --predictions: the column of true labels.")
@click.option("--predicted", metavar="NAME", help="With --predictions: the column of predictions.")
@delta_option
@click.option(
    "--error",
    type=click.Choice(["overall", "classes", "balanced"]),
    default="overall",
    show_default=True,
    help="Error rate of all rows, of the worst class, or their mean.",
)
@click.option(
    "--tolerance",
    type=click.FloatRange(min=0),
    metavar="T",
    help="Numbers: count targets further than T away.",
)
@click.option(
    "--metric",
    metavar="NAME",
    help="Certify f1, auc, precision:positive=yes, ... in place of the error.",
)
@click.option("--shares", metavar="LIST",
              help="Another population: the shares of its classes, yes=0.2,no=0.8.")  # fmt: skip
@click.option("--population", metavar="FILE",
              help="Another population: its rows, without labels (estimated weights).")  # fmt: skip
@click.option("--by", metavar="NAME",
              help="Limits for every value of a column, and the largest gap.")  # fmt: skip
@click.option(
    "--candidates",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="The model was picked among so many on these very rows.",
)
@counted_looks
@click.option("--cluster", metavar="WHERE", help="Files in batches on a Dask cluster, see fit.")
@click.option("--skip-bad-files", is_flag=True, help="Leave out files that cannot be read.")
@click.option(
    "--require-error",
    type=click.FloatRange(0, 1),
    metavar="E",
    help="Exit with code 5 unless an error of at most E is certified.",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the certificate as JSON.",
)
@reading
@json_option
def command(**values: Any) -> int:
    """Certify MODEL with the labelled rows of DATA, which it must never have seen.

    Without DATA, show the certificate the model was saved with. With --predictions, certify any
    model at all from a table of its answers.
    """  # fmt: skip
    from mercer.app.certify import certificate_for
    from mercer.cli._require import require_error

    check_budget(values)
    certificate, notes = certificate_for(values)
    document = certificate.to_dict()
    if values["output"] is not None:
        import json

        from mercer.io.atomic import write_text

        write_text(values["output"], json.dumps(document, indent=1))
    if values["as_json"]:
        import json

        echo(json.dumps(document))
    else:
        echo(certificate.explain())
        for note in notes:
            echo(note)
    require_error(values["require_error"], document)
    return 0
