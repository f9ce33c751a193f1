"""The default: one task after the other, in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Self

from mercer._blas import calm_blas
from mercer.engine.tree import tree_sum

Task = Callable[[Any], Any]
Done = Callable[[Any], None] | None  # is told every item that is finished


def run(task: Task, item: Any) -> Any:
    """One task; with one thread for products, whose bits depend on how many there are.

    OpenBLAS cuts the summed dimension of a product of a tall matrix with a vector, or with a narrow
    matrix, among its threads.
    """
    with calm_blas(0):
        return task(item)


class Here:
    """A plain loop."""

    words = "in this process"

    def map(self, task: Task, items: Iterable[Any], done: Done = None) -> list[Any]:
        """The answers, in the order of the items."""
        return list(self._answers(task, items, done))

    def reduce(
        self, task: Task, items: Iterable[Any], merge: Callable[[Any, Any], Any], done: Done = None
    ) -> Any:
        """The answers, joined along the tree of the items' order."""
        return tree_sum(self._answers(task, items, done), merge)

    def everywhere(self, task: Callable[[], Any]) -> list[Any]:
        """The answer of every process that may get a task."""
        return [task()]

    def _answers(self, task: Task, items: Iterable[Any], done: Done) -> Iterator[Any]:
        for item in items:
            answer = run(task, item)
            if done is not None:
                done(item)
            yield answer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        pass
