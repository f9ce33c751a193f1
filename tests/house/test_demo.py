"""``make demo`` in miniature: it runs, says what it should and leaves its files."""

import io

from mercer import demo


def test_the_demo_writes_its_summary_and_pictures(tmp_path):
    text = io.StringIO()
    assert demo.main(["--output", str(tmp_path)], stream=text) == 0
    said = text.getvalue()
    for words in (
        "support vectors",
        "gap",
        "scikit-learn",
        "test acc.",
        "nobody can beat",
        "penguins",
    ):
        assert words in said
    assert (tmp_path / "summary.txt").read_text(encoding="utf-8") == said
    for name in ("margins", "gram", "moons", "penguins"):
        picture = (tmp_path / f"{name}.png").read_bytes()
        assert picture.startswith(b"\x89PNG")
        assert len(picture) > 20_000
