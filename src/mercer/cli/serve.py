"""``mercer serve``: a saved model behind a small HTTP service on this computer."""

from __future__ import annotations

import click

EPILOG = """
\b
Examples:
  mercer serve mercer-clinic/model.mercer --port 8080
  curl -H "Authorization: Bearer $TOKEN" localhost:8080/
  curl -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
       -d '{"rows": [{"age": 51, "ward": "north"}]}' localhost:8080/predict
  curl -H "Authorization: Bearer $TOKEN" -H "Content-Type: text/csv" \\
       --data-binary @new.csv localhost:8080/predict
\b
The token is taken from MERCER_SERVE_TOKEN, or made and printed.
"""


@click.command(short_help="Answer rows over HTTP, each answer with its guarantee.", epilog=EPILOG,
               context_settings={"auto_envvar_prefix": "MERCER_SERVE"})  # fmt: skip
@click.argument("model", type=str)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port.  [any that is free]")
@click.option("--host", default="127.0.0.1", show_default=True,
              help="Where to listen; other computers cannot reach the default.")  # fmt: skip
@click.option("--allow-host", multiple=True, metavar="NAME",
              help="A further name under which a proxy reaches it (repeatable).")  # fmt: skip
@click.option("--token", metavar="TEXT", help="What clients must send.  [made up]")
@click.option("--batch", type=click.IntRange(1), default=10_000, show_default=True,
              help="Most rows in one request.")  # fmt: skip
def command(
    model: str, port: int, host: str, allow_host: tuple[str, ...], token: str | None, batch: int
) -> int:
    """Serve MODEL until Ctrl-C. Rows are JSON or CSV, held to the columns of the training rows."""
    from mercer.cli._echo import echo
    from mercer.errors import UserError
    from mercer.serving.service import LOOPBACK, Service

    if token is not None and len(token) < 16:
        raise UserError("the token is too short.", "Use at least 16 characters.")
    hosts = tuple(dict.fromkeys((*LOOPBACK, host.lower(), *(n.lower() for n in allow_host))))
    given = {} if token is None else {"token": token}
    service = Service(model, host, port, hosts=hosts, batch=batch, **given)  # type: ignore[arg-type]
    with service.server() as server:
        echo(f"serving {server.url}predict; Ctrl-C ends it", err=True)
        if token is None:
            echo(f"token   {service.token}", err=True)
        if host not in LOOPBACK:
            echo(
                f"WARNING: {host} can be reached from other computers, and nothing is encrypted: "
                "put it behind a proxy with TLS.",
                err=True,
            )
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            echo("closed", err=True)
    return 0
