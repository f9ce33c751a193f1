"""``make demo`` in miniature: it runs, says what it should and leaves its files."""

import io
import re

from mercer import demo


def test_the_demo_writes_its_summary_and_pictures(tmp_path):
    text = io.StringIO()
    assert demo.main(["--output", str(tmp_path), "--tour"], stream=text) == 0
    said = text.getvalue()
    for words in (
        "this model errs on at most",
        "report.html",
        "support vectors",
        "gap",
        "scikit-learn",
        "test acc.",
        "nobody can beat",
        "penguins",
        "95 % confidence",
        "80/20 split would give",
        "scenario bound",
        "Not covered: gamma and preprocessing",
    ):
        assert words in said
    assert (tmp_path / "summary.txt").read_text(encoding="utf-8") == said
    assert (tmp_path / "report.html").read_text("utf-8").lstrip().startswith("<!")
    assert (tmp_path / "model.mercer").exists()
    for name in ("certificates", "margins", "gram", "moons", "penguins"):
        picture = (tmp_path / f"{name}.png").read_bytes()
        assert picture.startswith(b"\x89PNG")
        assert len(picture) > 20_000


def test_the_demo_certificate_holds_and_beats_the_plain_split(tmp_path):
    """The numbers it shows for the law whose truth is known, read as a visitor would."""
    text = io.StringIO()
    demo.certificates(demo.Page(text), tmp_path)
    shown = {
        name: float(re.search(rf"{name} +(?:at most )?([\d.]+)%", text.getvalue())[1])
        for name in (r"certificate \(auto\)", "the truth", "plain 80/20 split")
    }
    certificate, truth, plain = shown.values()
    assert truth < certificate < plain


def test_the_lab_opens_on_bundled_data(tmp_path, monkeypatch):
    from mercer.lab import serve

    opened = []
    monkeypatch.setattr(serve, "serve", opened.append)
    assert demo.main(["--output", str(tmp_path), "--lab"]) == 0
    (address,) = opened
    assert address.host == "127.0.0.1"
    assert address.data.read_text().startswith("species,")
