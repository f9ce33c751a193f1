"""The default: one task after the other, in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Self

from mercer._blas import calm_blas
from mercer.engine.tree import tree_sum

Task = Callable[[Any], Any]


def run(task: Task, item: Any) -> Any:
    """One task; with one thread for products, whose bits may depend on how many there are."""
    with calm_blas(0):
        return task(item)


class Here:
    """A plain loop."""

    words = "in this process"

    def map(self, task: Task, items: Iterable[Any]) -> list[Any]:
        """The answers, in the order of the items."""
        return [run(task, item) for item in items]

    def reduce(self, task: Task, items: Iterable[Any], merge: Callable[[Any, Any], Any]) -> Any:
        """The answers, joined along the tree of the items' order."""
        return tree_sum((run(task, item) for item in items), merge)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        pass
