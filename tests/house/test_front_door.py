"""What ``import mercer`` offers."""

import ast
import pkgutil
from pathlib import Path

import pytest

import mercer
from mercer import _versions

FRONT = Path(__file__).resolve().parents[2] / "src" / "mercer" / "__init__.py"


@pytest.mark.parametrize("name", mercer.__all__)
def test_every_public_name_resolves(name):
    assert getattr(mercer, name).__name__ == name
    assert name in dir(mercer)


@pytest.mark.parametrize("name", mercer._PACKAGES)
def test_every_package_is_reachable(name):
    assert getattr(mercer, name).__name__ == f"mercer.{name}"


@pytest.mark.parametrize("name", mercer._PACKAGES)
def test_packages_show_what_is_theirs_and_not_what_they_import(name):
    """Completion offers names of ``__all__`` and modules; not ``Any`` or a helper that was used."""
    room = getattr(mercer, name)
    if not hasattr(room, "__all__"):
        pytest.skip("offers modules only")
    files = {info.name for info in pkgutil.iter_modules(room.__path__)}
    found = room.available().values() if name == "learners" else ()
    theirs = {*files, *room.__all__, *(thing.__name__ for thing in found)}
    assert not {word for word in dir(room) if word[0] != "_"} - theirs
    assert set(room.__all__) <= set(dir(room))


def test_type_checkers_see_the_same_names():
    """The block under TYPE_CHECKING, the table of places and ``__all__`` agree."""
    block = next(node for node in ast.parse(FRONT.read_text()).body if isinstance(node, ast.If))
    typed = {alias.name: node.module for node in block.body for alias in node.names}
    assert typed == mercer._WHERE
    assert set(mercer.__all__) == set(mercer._WHERE)


def test_unknown_names_say_what_there_is():
    with pytest.raises(AttributeError, match=r"no attribute 'SVD'.*SVC"):
        _ = mercer.SVD


def test_version_is_that_of_the_installed_distribution():
    assert mercer.__version__ == _versions.version("mercer")
    assert mercer.__version__[0].isdigit()


def test_show_versions_is_complete(capsys):
    mercer.show_versions()
    shown = capsys.readouterr().out
    for word in ("mercer", "compiled core", "python", "numpy", "scipy", "scikit-learn"):
        assert word in shown
    assert "missing" not in shown


def test_absent_distributions_are_named():
    assert _versions.version("no-such-distribution") == "not installed"
