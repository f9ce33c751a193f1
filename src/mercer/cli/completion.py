"""``mercer completion``: what makes the Tab key work."""

from __future__ import annotations

import click

from mercer.cli._echo import echo

HOW = {
    "bash": 'add to ~/.bashrc:  eval "$(mercer completion bash)"',
    "zsh": 'add to ~/.zshrc:   eval "$(mercer completion zsh)"',
    "fish": "run once:          mercer completion fish > ~/.config/fish/completions/mercer.fish",
}


@click.command(
    short_help="Print the script that completes commands and options with Tab.",
    epilog="\b\n" + "\n".join(f"{shell:5} {how}" for shell, how in HOW.items()),
)
@click.argument("shell", type=click.Choice(sorted(HOW)))
def command(shell: str) -> None:
    """Print the completion script of a shell."""
    from click.shell_completion import get_completion_class

    from mercer.cli._main import group

    maker = get_completion_class(shell)
    if maker is None:
        raise click.UsageError(f"no completion for {shell}")
    echo(maker(group, {}, "mercer", "_MERCER_COMPLETE").source())
