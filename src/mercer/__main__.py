"""``python -m mercer`` is the command ``mercer``."""

from mercer.cli._main import run

if __name__ == "__main__":
    run()
