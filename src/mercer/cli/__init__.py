"""The command ``mercer``: every public file here that defines ``command`` is a subcommand.

A file is imported to show its one line in ``mercer --help``, so it imports nothing but click at its
top; what it needs to do its work it imports inside its functions.
"""

from mercer.cli._main import installed, main, run

__all__ = ["installed", "main", "run"]
