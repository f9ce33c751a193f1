"""Run test modules of scikit-learn against Mercer's classes, and allow the known differences.

python tools/foreign_tests.py                  every module of tests/foreign/suites
python tools/foreign_tests.py test_gpr -k std  one of them, with arguments of pytest
python tools/foreign_tests.py --page           write the lists into the page about differences

A file ``tests/foreign/suites/NAME.toml`` adds a module: ``module`` (as it is imported), ``title``,
``swaps`` (public name there -> name here) and, where Mercer means to differ, ``[[difference]]``
with ``tests`` (names, with or without their parameters) and ``reason``; ``sometimes = true`` says
that last digits decide, which differ between processors. A test counts only if it
made or fitted an object of Mercer's and is not named in ``outside``. So that what a class computes
is tested although it is told otherwise what to do, arguments in ``left_out`` are not passed on, and
those in ``[told]`` get our name and, of ``values``, our word.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import json
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
SUITES = ROOT / "tests" / "foreign" / "suites"
PAGE = ROOT / "docs" / "differences-from-scikit-learn.md"
BEGIN, END = "<!-- suites: begin -->", "<!-- suites: end -->"


@dataclass(frozen=True)
class Suite:
    """One foreign module, whose classes are swapped for ours."""

    name: str
    module: str
    title: str
    swaps: dict[str, str]
    differences: dict[str, str]  # test -> reason
    outside: frozenset[str] = frozenset()
    left_out: tuple[str, ...] = ()
    told: dict[str, dict[str, Any]] = field(default_factory=dict)
    sometimes: frozenset[str] = frozenset()  # of the differences, those that need not be there

    @classmethod
    def read(cls, path: Path) -> Suite:
        """From its file."""
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        reasons = {
            test: " ".join(entry["reason"].split())
            for entry in table.get("difference", [])
            for test in entry["tests"]
        }
        return cls(
            path.stem,
            table["module"],
            table["title"],
            table["swaps"],
            reasons,
            frozenset(table.get("outside", [])),
            tuple(table.get("left_out", [])),
            table.get("told", {}),
            frozenset(
                test
                for entry in table.get("difference", [])
                for test in entry["tests"]
                if entry.get("sometimes", False)
            ),
        )

    def in_our_words(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Arguments of their class as ours takes them."""
        found = {}
        for theirs, value in arguments.items():
            if theirs not in self.left_out:
                word = self.told.get(theirs, {})
                values = word.get("values", {})
                plain = isinstance(value, (str, bool))
                found[word.get("name", theirs)] = values.get(str(value), value) if plain else value
        return found

    def key(self, test: str) -> str | None:
        """The entry of the differences that a test falls under."""
        plain = test.partition("[")[0]
        return next((key for key in (test, plain) if key in self.differences), None)


@dataclass
class Result:
    """Outcomes of the tests that have met an object of Mercer's."""

    passed: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)  # test -> last line of its error

    def surprises(self, suite: Suite) -> list[str]:
        """Failures that nobody has explained, and explanations of what does not fail."""
        keys = {suite.key(test) for test in self.failed}
        found = [
            f"{test} fails: {error}"
            for test, error in sorted(self.failed.items())
            if suite.key(test) is None
        ]
        idle = sorted(set(suite.differences) - suite.sometimes - keys)
        return found + [f"{test} is listed as different and does not fail" for test in idle]


def suites() -> list[Suite]:
    """All there are."""
    return [Suite.read(path) for path in sorted(SUITES.glob("*.toml"))]


class Swapped:
    """Plugin of pytest: our classes under the foreign names, and what became of each test."""

    def __init__(self, suite: Suite) -> None:
        self.suite, self.result, self.touched = suite, Result(), False
        self.pairs: list[tuple[Any, Any]] = []
        for foreign, ours in suite.swaps.items():
            home, name = _home(foreign)
            original, own = getattr(home, name), getattr(*_home(ours))
            self.pairs.append((original, self._watched(own)))
            setattr(home, name, own)

    def _watched(self, own: Any) -> Any:
        for method in ("__init__", "set_params", "fit"):
            inner = getattr(own, method)
            words: Any = dict if method == "fit" else self.suite.in_our_words

            @functools.wraps(inner)
            def noted(
                this: Any, *args: Any, _inner: Any = inner, _words: Any = words, **kwargs: Any
            ) -> Any:
                self.touched = True
                return _inner(this, *args, **_words(kwargs))

            setattr(own, method, noted)
        return own

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """A class imported from where it is defined is swapped too."""
        for module in {item.module for item in items}:
            for name, value in list(vars(module).items()):
                for original, own in self.pairs:
                    if value is original:
                        setattr(module, name, own)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Iterator[None]:
        """Each test anew."""
        self.touched = False
        yield

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Keep what became of the tests that count."""
        test = report.nodeid.rpartition("::")[2]
        if not self.touched or test.partition("[")[0] in self.suite.outside:
            return
        if report.failed:
            error = str(getattr(report.longrepr, "reprcrash", None) or report.longrepr)
            self.result.failed[test] = error.splitlines()[0]
        elif report.when == "call" and report.passed:
            self.result.passed.append(test)


def run(suite: Suite, arguments: list[str] | None = None, quiet: bool = True) -> Result:
    """Run one module in this process, whose classes stay swapped."""
    plugin = Swapped(suite)
    origin = importlib.util.find_spec(suite.module)
    if origin is None or origin.origin is None:
        raise SystemExit(f"{suite.module} is not installed")
    command = [origin.origin, "-p", "no:cacheprovider", "-c", str(SUITES / "pytest.ini")]
    command += ["-q", *(["--tb=no", "--no-summary"] if quiet else [])]
    pytest.main([*command, *(arguments or [])], plugins=[plugin])
    return plugin.result


def page_section(all_suites: list[Suite]) -> str:
    """The lists of differences in Markdown, reasons in the order of the files."""
    parts = []
    for suite in all_suites:
        classes = ", ".join(f"`{name.rpartition('.')[2]}`" for name in suite.swaps.values())
        lines = [f"### {suite.title}", "", f"`{suite.module}` against {classes}."]
        if suite.left_out or suite.told:
            lines.append(_words_of(suite))
        reasons: dict[str, list[str]] = {}
        for test, reason in suite.differences.items():
            reasons.setdefault(reason, []).append(f"`{test}`")
        if not reasons:
            lines += ["Every test passes."]
        lines += ["", *(f"- {', '.join(tests)}: {reason}" for reason, tests in reasons.items())]
        parts.append("\n".join(lines).rstrip())
    return "\n\n".join(parts)


def _words_of(suite: Suite) -> str:
    """In which words the tests are run."""
    told = ", ".join(f"`{name}` as `{word.get('name', name)}`" for name, word in suite.told.items())
    left = ", ".join(f"`{name}`" for name in suite.left_out)
    parts = [f"passed on are {told}"] * bool(told) + [f"left out are {left}"] * bool(left)
    return f"Of their arguments, {'; '.join(parts)}."


def page_with(text: str, section: str) -> str:
    """The page with the lists in their place."""
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    return f"{before}{BEGIN}\n\n{section}\n\n{END}{after}"


def _home(name: str) -> tuple[Any, str]:
    module, _, last = name.rpartition(".")
    return importlib.import_module(module), last


def main(arguments: list[str]) -> int:
    """See the module's text."""
    known = {suite.name: suite for suite in suites()}
    if arguments == ["--page"]:
        text = page_with(PAGE.read_text(encoding="utf-8"), page_section(list(known.values())))
        PAGE.write_text(text, encoding="utf-8")
        return 0
    if arguments and arguments[0] in known:
        suite, as_json = known[arguments[0]], "--json" in arguments
        rest = [argument for argument in arguments[1:] if argument != "--json"]
        result = run(suite, rest, quiet=as_json)
        surprises = result.surprises(suite)
        summary = {"passed": len(result.passed), "failed": len(result.failed)}
        if as_json:
            sys.stdout.write("\n" + json.dumps({**summary, "surprises": surprises}) + "\n")
        else:
            sys.stdout.write("\n".join([f"{suite.name}: {summary}", *surprises]) + "\n")
        return bool(surprises)
    if arguments:
        raise SystemExit(f"there is no suite {arguments[0]!r}; there are {sorted(known)}")
    import subprocess

    # a process each: swapped classes stay swapped
    return max(subprocess.call([sys.executable, __file__, name]) for name in known)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
