"""Several threads of this process: for tasks that spend their time in compiled code or reading."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any

from mercer import _config
from mercer.engine.here import Here, Task, run
from mercer.engine.tree import tree_sum


class Threads(Here):
    """A few tasks at a time; no more answers wait than there are threads, twice."""

    def __init__(self, count: int | None = None) -> None:
        self.count = _config.n_threads(count)
        self.words = f"in {self.count} threads"

    def map(self, task: Task, items: Iterable[Any]) -> list[Any]:
        """The answers, in the order of the items."""
        return list(self._answers(task, items))

    def reduce(self, task: Task, items: Iterable[Any], merge: Callable[[Any, Any], Any]) -> Any:
        """The answers, joined along the tree of the items' order."""
        return tree_sum(self._answers(task, items), merge)

    def _answers(self, task: Task, items: Iterable[Any]) -> Iterator[Any]:
        waiting: deque[Future[Any]] = deque()
        with ThreadPoolExecutor(self.count) as pool:
            try:
                for item in items:
                    # settings of a with block (mercer.config) hold in the threads, too
                    waiting.append(pool.submit(copy_context().run, run, task, item))
                    if len(waiting) >= 2 * self.count:
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
            finally:
                for one in waiting:
                    one.cancel()
