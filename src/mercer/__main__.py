"""``python -m mercer`` is the command ``mercer``."""

from mercer.cli import run

if __name__ == "__main__":
    run()
