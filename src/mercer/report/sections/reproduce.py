"""How to get the same result again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mercer._clean import clean
from mercer.report._blocks import Block, Code, Facts, More, Text
from mercer.report._section import Section
from mercer.report._source import Source


class ReproduceSection(Section):
    """Command, seed, versions, fingerprint."""

    key, title, order = "reproduce", "How to reproduce it", 110

    def collect(self, source: Source, done: Mapping[str, Any]) -> dict[str, Any]:
        """The record's own account, and the files that were written."""
        record = source.record
        return {
            **record.reproduction,
            "seed": record.reproduction.get("seed", record.split.get("seed")),
            "mode": record.certification.get("mode"),
            "delta": record.certification.get("delta"),
            "sha256": record.data.get("sha256"),
            "files": record.files,
        }

    def blocks(self, data: Mapping[str, Any]) -> Iterator[Block]:
        """Something to copy, then facts."""
        if data.get("command"):
            yield Code(str(data["command"]), "console")
        elif data.get("model") and data.get("mode"):
            yield Code(_python(data), "python")
        facts = [
            (name, clean(data[key], 120))
            for key, name in (("seed", "seed"), ("created", "made"), ("sha256", "data (SHA-256)"))
            if data.get(key) is not None
        ]
        facts += [(clean(name), clean(path, 160)) for name, path in data["files"].items()]
        yield Facts(facts)
        if data.get("run"):
            yield More("run.toml", [Code(_text(data["run"]), "toml")])
        if data.get("versions"):
            rows = [(clean(k), clean(v, 160)) for k, v in data["versions"].items()]
            yield More("Versions", [Facts(rows)])
        yield Text(
            "The same rows, seed and versions give the same model and the same certificate. "
            "Repeating the run with other seeds until the number is nice makes it false."
        )


def _python(data: Mapping[str, Any]) -> str:
    mode = data["mode"] if isinstance(data["mode"], str) else list(data["mode"])
    return (
        "from mercer import certified_fit\n"
        f"# estimator = {data['model']}\n"
        f"model = certified_fit(estimator, X, y, mode={mode!r}, delta={data['delta']!r}, "
        f"random_state={data['seed']!r})"
    )


def _text(run: Any) -> str:
    if isinstance(run, str):
        return run
    return "\n".join(f"{key} = {value!r}" for key, value in dict(run).items())
