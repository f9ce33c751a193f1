"""``python -m mercer`` is the command ``mercer``."""

from mercer.cli import installed

if __name__ == "__main__":
    installed()
