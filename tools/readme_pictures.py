"""Draw docs/images/terminal.png and docs/images/report.png: what ``mercer fit`` prints and writes.

Needs a Unix terminal, Chromium and Pillow; run it when the summary or the report has changed.
"""

from __future__ import annotations

import io
import os
import pty
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
DATA = ROOT / "src" / "mercer" / "datasets" / "data" / "penguins.csv"
COMMAND = ["fit", "penguins.csv", "--target", "species", "-o", "out"]
COLUMNS = 88
FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--hide-scrollbars", "--force-device-scale-factor=1"),
]


def run_in_a_terminal(folder: Path) -> str:
    """The colours of ``mercer fit`` as a terminal gets them."""
    shutil.copy(DATA, folder)
    child, handle = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.environ.update(TERM="xterm-256color", COLUMNS=str(COLUMNS))
        os.execv(sys.executable, [sys.executable, "-m", "mercer", *COMMAND])
    said = b""
    while True:
        try:
            piece = os.read(handle, 65536)
        except OSError:  # the other side has gone
            break
        if not piece:
            break
        said += piece
    os.waitpid(child, 0)
    return said.decode()


def settled(said: str) -> str:
    """What is left on the screen: without the progress bar that was wiped out."""
    kept = said.rsplit("\x1b[2K", 1)[-1] if "\x1b[2K" in said else said
    return kept.replace("\r", "")


def terminal(said: str, folder: Path) -> Path:
    """The text as a page with a window around it."""
    console = Console(width=COLUMNS, record=True, file=io.StringIO(), force_terminal=True)
    console.print(Text("$ mercer " + " ".join(COMMAND), style="bold"))
    console.print(Text.from_ansi(settled(said)))
    path = folder / "terminal.svg"
    console.save_svg(str(path), title="mercer")
    return path


def photograph(page: Path, size: tuple[int, int], target: Path) -> None:
    """The page in Chromium, with few colours so that the file is small."""
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))))
    with tempfile.TemporaryDirectory() as profile:
        shot = Path(profile) / "shot.png"
        window = f"--window-size={size[0]},{size[1]}"
        where = [f"--user-data-dir={profile}", window, f"--screenshot={shot}", page.as_uri()]
        subprocess.run([browser, *FLAGS, *where], check=True, capture_output=True)
        Image.open(shot).convert("RGB").quantize(96).save(target, optimize=True)


def svg_size(path: Path) -> tuple[int, int]:
    """Width and height of the drawing, a thousand pixels wide."""
    text = path.read_text(encoding="utf-8")
    _, _, wide, tall = text.split('viewBox="')[1].split('"')[0].split()
    return 1000, round(1000 * float(tall) / float(wide))


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        drawn = terminal(run_in_a_terminal(folder), folder)
        size = svg_size(drawn)
        page = folder / "terminal.html"
        page.write_text(
            f"<style>body{{margin:0}}svg{{width:1000px}}</style>{drawn.read_text()}", "utf-8"
        )
        photograph(page, size, IMAGES / "terminal.png")
        photograph(folder / "out" / "report.html", (1100, 1000), IMAGES / "report.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
