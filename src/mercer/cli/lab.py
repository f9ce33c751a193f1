"""``mercer lab``: a page on this computer where learning theory can be seen."""

from __future__ import annotations

from pathlib import Path

import click

EPILOG = """
\b
Examples:
  mercer lab                                     opens the page in a browser
  mercer lab clinic.csv                          with a file to begin with
  mercer lab --no-browser --port 8765            on a server: ssh -L 8765:localhost:8765 ...
"""


@click.command(short_help="Open a page where learning theory can be seen and used.", epilog=EPILOG)
@click.argument("data", type=click.Path(path_type=Path), required=False)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port.  [any that is free]")
@click.option("--host", default="127.0.0.1", show_default=True,
              help="Where to listen; other computers cannot reach the default.")  # fmt: skip
@click.option("--allow-host", multiple=True, metavar="NAME",
              help="A further name under which a proxy reaches the lab (repeatable).")  # fmt: skip
@click.option("--folder", type=click.Path(path_type=Path, file_okay=False, exists=True),
              default=Path(), help="Files are read below it, runs kept in it.  [.]")  # fmt: skip
@click.option("--browser/--no-browser", default=True, help="Whether to open a browser.")
def command(
    data: Path | None,
    port: int,
    host: str,
    allow_host: tuple[str, ...],
    folder: Path,
    browser: bool,
) -> int:
    """Serve one local page: margins, version space, bounds, simulations, and DATA.

    Only this computer can reach it, and only with the address that is printed: it holds a token.
    """
    from mercer.errors import DataError
    from mercer.lab.address import LOOPBACK, Address
    from mercer.lab.serve import serve

    if data is not None and not data.is_file():
        raise DataError(f"there is no file {data}.")
    hosts = tuple(dict.fromkeys((*LOOPBACK, host.lower(), *(name.lower() for name in allow_host))))
    serve(Address(host, port, hosts=hosts, folder=folder, data=data), browser=browser)
    return 0
