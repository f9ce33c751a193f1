"""Find the subcommands, run one, and turn problems into one line and an exit code."""

from __future__ import annotations

import importlib
import os
import pkgutil
import signal
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any, NoReturn

import click

from mercer._stopping import by_a_signal, heard
from mercer.cli._echo import echo

INTERRUPTED = 130
NOT_FOR_USERS = 70  # a bug of ours, sysexits' EX_SOFTWARE
EPILOG = """
\b
Examples:
  mercer fit clinic.csv --target outcome       learn, certify, report
  mercer predict model.mercer new.csv          apply it
  mercer certify model.mercer fresh.csv        a certificate from fresh labels
  mercer verify mercer-clinic                  do the files of a run belong together?
  mercer inspect clinic.csv                    look before you learn
  mercer bound vc --n 1000 --vc 10 --error 0.05
\b
Exit codes: 0 done, 2 wrong usage, 3 bad data, 4 not enough memory or time allowed,
5 certificate above --require-error, 6 cannot write, 130 interrupted.
"""


class Commands(click.Group):
    """A group whose commands are the files of this folder."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of the public files, without importing them."""
        import mercer.cli

        found = pkgutil.iter_modules(mercer.cli.__path__)
        return sorted(info.name.replace("_", "-") for info in found if info.name[0] != "_")

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Import one file and take its ``command``."""
        if name not in self.list_commands(ctx):
            return None
        module = importlib.import_module(f"mercer.cli.{name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Suggest the closest name for one that does not exist."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from difflib import get_close_matches

            near = get_close_matches(args[0], self.list_commands(ctx), 1) if args else []
            if near:
                raise click.UsageError(
                    f"There is no command '{args[0]}'. Did you mean '{near[0]}'?", ctx
                ) from None
            raise error from None


def _version(ctx: click.Context, _: Any, asked: bool) -> None:
    if asked:
        from mercer._versions import version

        echo(f"mercer {version()}")
        ctx.exit()


@click.group(cls=Commands, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--debug", is_flag=True, help="Show the traceback of an error (anywhere in the line)."
)
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version,
              help="Say which version this is.")  # fmt: skip
def group(debug: bool) -> None:
    """Kernel machines that come with a guarantee."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    args = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in args
    args = [argument for argument in args if argument != "--debug"]
    before = _listen()
    if "mercer.io.atomic" in sys.modules:
        sys.modules["mercer.io.atomic"].put.clear()
    try:
        with heard():
            code = group.main(args, prog_name="mercer", standalone_mode=False, obj=time.monotonic())
        return code if isinstance(code, int) else 0
    except click.exceptions.Exit as end:
        return end.exit_code
    except (KeyboardInterrupt, click.Abort):
        if debug:
            raise
        return _interrupted()
    except BrokenPipeError:
        # the reader of our output has gone (`mercer ... | head`): nobody is left to be told
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as problem:
        if debug:
            raise
        return _interrupted() if by_a_signal(problem) else _explain(problem)
    finally:
        if before is not None:
            signal.signal(signal.SIGTERM, before)


NOTHING = "interrupted; nothing was saved"


def _interrupted() -> int:
    atomic = sys.modules.get("mercer.io.atomic")  # whoever has not loaded it has written nothing
    before = [place for place in atomic.put if place.exists()][-1:] if atomic else []
    _say(f"interrupted; {before[0]} was written before" if before else NOTHING)
    return INTERRUPTED


def _listen() -> Any:
    """SIGTERM ends a command as Ctrl-C does: what is half written goes, children end."""
    if threading.current_thread() is not threading.main_thread():
        return None
    return signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))


def _explain(problem: Exception) -> int:
    """One message for people on standard error, and the exit code that belongs to it."""
    if isinstance(problem, click.ClickException):
        problem.show(file=sys.stderr)
        return problem.exit_code
    known = getattr(problem, "exit_code", None)
    if known is not None and hasattr(problem, "advice"):
        _say(f"error: {problem.message}")  # type: ignore[attr-defined]
        if problem.advice:
            _say(f"       {problem.advice}")
        return int(known)
    if isinstance(problem, MemoryError):
        _say(f"error: not enough memory. {problem}".rstrip())
        return 4
    if isinstance(problem, OSError):
        name = f"{problem.filename}: " if problem.filename else ""
        _say(f"error: {name}{problem.strerror or problem}")
        return 6
    if isinstance(problem, ValueError):
        _say(f"error: {problem}")
        return 3
    _say(f"error: {type(problem).__name__}: {problem}")
    _say("       This looks like a mistake in Mercer; `--debug` shows where it happened.")
    return NOT_FOR_USERS


def _say(line: str) -> None:
    echo(line, err=True)


def run() -> NoReturn:
    """The command line as in a shell, for who calls it from Python; ends by SystemExit."""
    sys.exit(main())


def installed() -> NoReturn:
    """Entry point of the installed command, whose process ends with it."""
    code = main()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # all is done: there is nothing left to interrupt
    # Python remembers an interrupt that left exec(), where dataclasses are made, and would end this
    # process by a signal, whatever its exit code, unless another exec() is left in peace
    exec("")
    sys.exit(code)
