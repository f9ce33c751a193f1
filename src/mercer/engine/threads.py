"""Several threads of this process: for tasks that spend their time in compiled code or reading."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any

from mercer import _config
from mercer.engine.here import Done, Here, Task, run


class Threads(Here):
    """A few tasks at a time; no more answers wait than there are threads, twice."""

    def __init__(self, count: int | None = None) -> None:
        self.count = _config.n_threads(count)
        self.words = f"in {self.count} threads"

    def _answers(self, task: Task, items: Iterable[Any], done: Done) -> Iterator[Any]:
        waiting: deque[tuple[Any, Future[Any]]] = deque()

        def first() -> Any:
            item, future = waiting.popleft()
            answer = future.result()
            if done is not None:
                done(item)
            return answer

        with ThreadPoolExecutor(self.count) as pool:
            try:
                for item in items:
                    # settings of a with block (mercer.config) hold in the threads, too
                    waiting.append((item, pool.submit(copy_context().run, run, task, item)))
                    if len(waiting) >= 2 * self.count:
                        yield first()
                while waiting:
                    yield first()
            finally:
                for _, future in waiting:
                    future.cancel()
