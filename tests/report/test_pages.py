"""The page itself: valid, complete in itself, and deaf to what hostile data say."""

import json
import re
from html.parser import HTMLParser
from importlib.resources import files

import numpy as np
import pytest

from helpers_report import HOSTILE, curve, moons, several, wide
from mercer import SVC, certified_fit, datasets, report
from mercer._clean import clean
from mercer.report._blocks import Text
from mercer.report._html import Part, html
from mercer.report._html import page as made
from mercer.report._markdown import safe
from mercer.report._text import number

html5lib = pytest.importorskip("html5lib", reason="validity is checked with html5lib (extra test)")
MODELS = {"moons": moons, "wide": wide, "several": several, "curve": curve}
LIMIT = 3_000_000


@pytest.fixture(scope="module", params=MODELS)
def page(request):
    model, X, y = MODELS[request.param]()
    return html(report.build(model, X, y, title=request.param))


@pytest.fixture(scope="module")
def hostile():
    """Labels, column names and title that try to get out."""
    X, y, _ = datasets.make_twonorm(100, random_state=0)
    labels = np.where(y == 1, HOSTILE, "b" + HOSTILE)
    model = certified_fit(SVC(gamma=0.05), X, labels, random_state=0)
    names = [f"{i}{HOSTILE}" for i in range(X.shape[1])]
    return report.build(model, X, labels, feature_names=names, title=HOSTILE)


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.seen = []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))


def tags(page):
    parser = Tags()
    parser.feed(page)
    return parser.seen


def test_the_page_is_valid_html(page):
    parser = html5lib.HTMLParser(strict=True)  # raises at the first error
    parser.parse(page)


def test_the_page_asks_nothing_of_the_network(page):
    assert len(page) < LIMIT
    for tag, attributes in tags(page):
        assert tag not in {"link", "iframe", "object", "embed", "base", "img"}
        for name, value in attributes.items():
            assert not name.startswith("on"), f"{tag} {name}"
            assert name != "style"
            if name in {"src", "href", "xlink:href", "action", "data", "srcset"}:
                assert value.startswith("#")
    css = files("mercer.report").joinpath("page.css").read_text()
    assert "url(" not in css
    assert "@import" not in css


def test_links_of_the_page_lead_somewhere(page):
    ids = [a["id"] for _, a in tags(page) if "id" in a]
    assert len(ids) == len(set(ids))
    for _, attributes in tags(page):
        if "href" in attributes:
            assert attributes["href"][1:] in ids


def test_pictures_have_words(page):
    pictures = [a for tag, a in tags(page) if tag == "svg"]
    assert len(pictures) >= 3
    assert all(a.get("role") == "img" and len(a["aria-label"]) > 8 for a in pictures)
    headings = re.findall(r"<h(\d)", page)
    assert headings[0] == "1"
    assert set(headings[1:]) == {"2"}


def test_the_policy_names_the_very_style_and_script(page):
    import base64
    import hashlib

    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)[1]
    for tag in ("style", "script"):
        text = re.search(f"<{tag}>(.*?)</{tag}>", page, re.S)[1]
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")


def test_hostile_words_stay_words(hostile):
    page = html(hostile)
    html5lib.HTMLParser(strict=True).parse(page)
    assert "onerror=alert" in page, "the words must still be shown"
    assert "<img" not in page
    assert page.count("<script>") == page.count("</script>") == 1
    assert "\u202e" not in page
    assert "\x00" not in page
    kept = {"html", "head", "meta", "title", "style", "body", "script"}
    assert (
        not {t for t, _ in tags(page)}
        - kept
        - {
            *(
                "a",
                "div",
                "header",
                "h1",
                "h2",
                "p",
                "b",
                "button",
                "nav",
                "ul",
                "li",
                "main",
                "section",
            ),
            *(
                "footer",
                "dl",
                "dt",
                "dd",
                "details",
                "summary",
                "figure",
                "figcaption",
                "pre",
                "code",
            ),
            *("table", "caption", "thead", "tbody", "tr", "th", "td"),
            *("svg", "text", "line", "polyline", "polygon", "path", "rect", "circle"),
        }
    )


def test_hostile_words_in_markdown_and_json(hostile):
    text = report.render(hostile, "md")
    assert "<img" not in text
    assert not re.search(r"(?<!\\)\]\(javascript", text)
    assert "\u202e" not in text
    tables = [line for line in text.splitlines() if line.startswith("|")]
    assert tables
    json.loads(report.render(hostile, "json"))


@pytest.mark.parametrize("cells", [["a|b", "c"], ["x\ny", "`z`"], ["\\|", "|"]])
def test_markdown_tables_keep_their_columns(cells):
    row = "| " + " | ".join(safe(clean(c)) for c in cells) + " |"
    assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) == len(cells) + 1


def test_markdown_words_do_not_format():
    assert safe("<b>") == "&lt;b&gt;"
    assert safe("[a](b)") == r"\[a\](b)"
    assert safe("- item") == r"\- item"
    assert safe("1. item").startswith("\\1.")


def test_long_names_are_cut_and_control_characters_shown():
    assert len(clean("x" * 10_000)) == 80
    assert clean("a\x07b\u202ec") == "a\ufffdb\ufffdc"
    assert clean("two\nlines\there") == "two lines here"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "yes"),
        (None, "–"),
        (1234567, "1\u202f234\u202f567"),
        (0.12345, "0.1235"),
        (float("nan"), "–"),
        (float("inf"), "∞"),
        (-2.5, "−2.5"),
        (3.0, "3"),
        ("a\nb", "a b"),
    ],
)
def test_numbers_are_readable(value, text):
    assert number(value) == text


def test_write_takes_the_format_from_the_name(tmp_path):
    model, X, y = moons()
    document = report.build(model, X, y)
    for name, start in (("a.html", "<!DOCTYPE"), ("a.md", "# "), ("a.json", "{"), ("a", "<!DOC")):
        assert report.write(document, tmp_path / name).read_text().startswith(start)
    assert report.write(document, tmp_path / "b.txt", format="md").read_text().startswith("# ")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "a.html", "a.json", "a.md", "b.txt"]


def test_a_place_that_cannot_be_written_to_is_named(tmp_path):
    with pytest.raises(OSError, match="nowhere"):
        report.write(report.build(moons()[0]), tmp_path / "nowhere" / "a.html")


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def themes():
    css = files("mercer.report").joinpath("page.css").read_text()
    found = []
    for block in re.findall(r"\{[^{}]*--bg:[^{}]*\}", css):
        found.append(dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6})", block)))
    return found


def test_there_are_light_dark_and_print_colours():
    found = themes()
    assert len(found) == 4  # light, dark by the system, dark by the button, paper
    assert found[1] == found[2]


@pytest.mark.parametrize("theme", themes(), ids=["light", "dark", "dark-button", "paper"])
def test_contrast_is_enough(theme):
    for name in ("ink", "muted", "accent"):
        for ground in ("bg", "panel"):
            assert contrast(theme[name], theme[ground]) >= 4.5, (name, ground)
    assert contrast(theme["ink"], theme["warn-bg"]) >= 4.5
    for i in range(8):  # shapes need 3 to 1 against their ground (WCAG 1.4.11)
        assert contrast(theme[f"c{i}"], theme["bg"]) >= 3.0, i


def test_narrow_parts_share_a_row_or_flow_in_two_columns():
    """On a large screen none leaves the half beside it empty."""
    wide = {"certificate": False, "promised": False, "bounds": True, "tried": False, "data": True}
    parts = [Part(name, name, [Text("words")], one) for name, one in wide.items()]
    told = made("a", "b", parts)
    assert '<section id="certificate" class="narrow"' in told
    assert '<section id="promised" class="narrow"' in told
    assert '<section id="bounds" aria-' in told
    assert '<section id="tried" class="alone"' in told
    assert '<section id="certificate" class="alone"' in made("a", "b", [parts[0], *parts[2:]])
    three = made("a", "b", [*parts[:2], parts[3]])
    assert '<section id="tried" class="alone"' in three
