"""``mercer verify``: do model, data, certificate and report of a run belong together?"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from mercer.cli._echo import echo
from mercer.cli._options import json_option

DOUBTFUL = 5
MARKS = {True: "ok", False: "NO", None: "--"}
EPILOG = """
\b
Examples:
  mercer verify mercer-clinic                         compare the files, compute the bound again
  mercer verify mercer-clinic --data archive/clinic.csv
  mercer verify mercer-clinic --sign-with secret.key  sign the run with a key of yours
  mercer verify mercer-clinic --signed-with secret.key
\b
Exit codes: 0 everything that could be compared agrees, 5 something does not.
"""


@click.command(short_help="Check that the files of a run belong together.", epilog=EPILOG)
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--data", type=click.Path(path_type=Path), metavar="FILE",
              help="The file that was learned from.  [where it was then]")  # fmt: skip
@click.option("--finish", is_flag=True, help="Complete a run that died while it was put in place.")
@click.option("--sign-with", type=click.Path(path_type=Path), metavar="KEY",
              help="Sign the run with the key in this file, then verify it.")  # fmt: skip
@click.option("--signed-with", type=click.Path(path_type=Path), metavar="KEY",
              help="Also check the signature.")  # fmt: skip
@json_option
def command(
    folder: Path,
    data: Path | None,
    finish: bool,
    sign_with: Path | None,
    signed_with: Path | None,
    as_json: bool,
) -> int:
    """Compare every file in FOLDER, written by `mercer fit`, with what the run sealed.

    The bound is computed again from the evidence that the certificate keeps, the model compared
    with the one it names, and the data with the file that was learned from.
    """  # fmt: skip
    from mercer.app.verify import sign, verify
    from mercer.io import sealed

    if finish:
        sealed.finish(folder)
    if sign_with is not None:
        sign(folder, sign_with)
    answers = verify(folder, data, signed_with or sign_with)
    bad = [answer for answer in answers if answer.holds is False]
    if as_json:
        echo(json.dumps({"belongs_together": not bad, "answers": [asdict(a) for a in answers]}))
    else:
        for answer in answers:
            echo(f"{MARKS[answer.holds]}  {answer.what:<16}  {answer.words}")
        echo("the run is whole" if not bad else f"{len(bad)} things do not belong together")
    return DOUBTFUL if bad else 0
