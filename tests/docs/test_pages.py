"""The documentation: every plug-in has a page, links lead somewhere, what is shown runs."""

import io
import re
import sys
from contextlib import redirect_stdout
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
sys.path[:0] = [str(ROOT / "tools"), str(DOCS / "_ext")]

from site_pages import (  # noqa: E402
    areas,
    bounds,
    common,
    gallery,
    kernels,
    learners,
    reference,
    registries,
)

PAGES = sorted([*DOCS.glob("*.md"), *(DOCS / "theory").glob("*.md")])
OURS = ["guide", "moving-from-scikit-learn", "reading-a-certificate", "report", "large-data"]
RUN = [DOCS / f"{name}.md" for name in OURS] + sorted((DOCS / "theory").glob("*.md"))


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    """All generated pages; the pictures, which take time, are left out."""
    target = tmp_path_factory.mktemp("generated")
    patch = pytest.MonkeyPatch()
    patch.setattr(common, "drawn", lambda draw, path: False)
    for kind in (bounds, learners, registries, kernels, reference, gallery, areas):
        kind.make(target)
    patch.undo()
    return target


def test_every_kernel_has_a_page(generated):
    for name, cls in kernels.kernels.available().items():
        page = (generated / "kernels" / f"{name}.md").read_text()
        assert page.startswith(f"# {cls.__name__}\n")
        assert f"autoclass:: mercer.kernels.{cls.__name__}" in page
        assert "| psd | " in page


def test_every_bound_has_a_page_with_source_and_assumptions(generated):
    index = (generated / "bounds" / "index.md").read_text()
    for code, cls in bounds.bounds.available().items():
        page = (generated / "bounds" / f"{code}.md").read_text()
        assert f"| code | `{code}` |" in page
        assert common.plain(cls.reference) in page
        assert all(f"- {common.plain(a)}" in page for a in cls.assumptions)
        assert "## When to use it" in page
        assert all(f"- `{name}`: " in page for name in (*cls.needs, *cls.reads))
        assert "| means something from | " in page
        assert f"]({code}.md)" in index


def test_every_learner_has_a_page(generated):
    found = learners.learners()
    assert {"SVC", "SVR", "OneClassSVM"} <= set(found["margin"])
    for classes in found.values():
        for name in classes:
            assert f"# {name}\n" in (generated / "learners" / f"{name}.md").read_text()


def test_every_other_registry_has_pages(generated):
    found = registries.registries()
    assert {"mercer.losses", "mercer.selection.criteria"} <= set(found)
    for name, module in found.items():
        folder = generated / name.rsplit(".", 1)[-1]
        for item in module.available():
            assert (folder / f"{item}.md").exists()
    listed = (generated / "atlases.txt").read_text()
    assert all(f"generated/{n.rsplit('.', 1)[-1]}/index" in listed for n in found)


def test_every_public_name_is_in_the_reference(generated):
    import importlib

    text = "\n".join(p.read_text() for p in generated.rglob("*.md"))
    for package in reference.packages():
        module = importlib.import_module(package)
        for name in reference.public(module):
            kind = type(getattr(module, name)).__name__
            assert kind == "module" or re.search(rf"\b{re.escape(name)}\b", text), (package, name)


def test_nothing_is_documented_twice(generated):
    text = "\n".join(p.read_text() for p in generated.rglob("*.md"))
    directives = re.findall(r"^\.\. auto(?:class|function|data):: (\S+)", text, re.M)
    assert len(directives) == len(set(directives))


def test_pages_nobody_listed_appear_by_themselves(generated, monkeypatch, tmp_path):
    for page in PAGES:
        if page.parent == DOCS and page.stem != "index":
            named = areas.named_in_index((DOCS / "index.md").read_text())
            shown = (generated / "more-topics.txt").read_text().splitlines()
            assert page.stem in named or page.stem in shown
    (tmp_path / "index.md").write_text("```{toctree}\n:hidden:\n\nknown\n```\n")
    (tmp_path / "known.md").write_text("# Known\n")
    (tmp_path / "brand-new.md").write_text("# New\n")
    monkeypatch.setattr(areas, "DOCS", tmp_path)
    assert areas.unlisted() == ["brand-new"]


def test_examples_get_a_title(tmp_path):
    script = tmp_path / "my_example.py"
    script.write_text('"""What it shows, in a sentence."""\n\nprint(1)\n')
    text = gallery.titled(script)
    assert text.startswith('"""\nMy example\n==========\n\nWhat it shows, in a sentence.\n"""')
    assert "print(1)" in text
    compile(text, "example", "exec")
    script.write_text('"""\nTitle\n=====\n\nText.\n"""\nprint(1)\n')
    assert gallery.titled(script) == script.read_text()
    for path in gallery.EXAMPLES.glob("*.py"):
        compile(gallery.titled(path), path.name, "exec")


def targets(page):
    """Files a page links to, without the ending."""
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
    documents = re.findall(r"\{doc\}`(?:[^`<]*<)?([^`>]+)>?`", text)
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text)
    return documents, [link for link in links if "://" not in link]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(DOCS)))
def test_links_lead_somewhere(page, generated):
    documents, links = targets(page)
    for name in documents:
        where = (page.parent / name).resolve()
        inside = where.relative_to(DOCS)
        made = inside.parts[0] == "generated"
        there = generated / Path(*inside.parts[1:]) if made else where
        gallery_page = inside.parts[:2] == ("generated", "gallery")
        assert gallery_page or there.with_name(there.name + ".md").exists(), name
    for link in links:
        base = ROOT if page.stem in ("architecture", "benchmarks", "changelog") else page.parent
        assert (base / link).exists() or (page.parent / link).exists(), link


@pytest.mark.parametrize("page", RUN, ids=lambda p: str(p.relative_to(DOCS)))
def test_code_on_the_pages_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(), re.S)
    names: dict = {}
    for block in blocks:
        with redirect_stdout(io.StringIO()):
            exec(compile(block, page.name, "exec"), names)


def test_the_certificate_that_is_read_is_the_one_that_is_printed():
    text = (DOCS / "reading-a-certificate.md").read_text()
    code = re.search(r"```python\n(.*?)```", text, re.S)[1]
    shown = re.search(r"```text\n(.*?)```", text, re.S)[1]
    said = io.StringIO()
    with redirect_stdout(said):
        exec(compile(code, "page", "exec"), {})
    assert said.getvalue() == shown
