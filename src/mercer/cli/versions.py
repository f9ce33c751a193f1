"""``mercer versions``: what a bug report should say."""

from __future__ import annotations

import click

from mercer.cli._echo import echo


@click.command(short_help="Say what a bug report should say about this machine.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document instead of lines.")
def command(as_json: bool) -> None:
    """Versions of Mercer, of its compiled core and of the libraries it uses."""
    from mercer._versions import versions

    facts = versions()
    if as_json:
        import json

        echo(json.dumps(facts, indent=2))
        return
    width = max(map(len, facts))
    for name, value in facts.items():
        echo(f"{name:>{width}}: {value}")
