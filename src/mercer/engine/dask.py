"""A Dask cluster: ``local`` workers started here, or a scheduler that somebody else runs.

Tasks are pure functions of small arguments, so Dask repeats whatever a lost worker had. Nothing is
scattered: data handed out that way are gone when all their holders are.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterable
from typing import Any, Self

from mercer.engine.here import Here, Task, run
from mercer.errors import UserError

TRIES = 3  # of a task that raised an error which may pass, a file system that hiccups


class Dask(Here):
    """Tasks and the tree of their sums run on workers; one answer comes back."""

    def __init__(self, where: Any) -> None:
        self._where = where
        self._client: Any = None if isinstance(where, str) else where
        self._cluster: Any = None

    @property
    def words(self) -> str:  # type: ignore[override]
        """Where the work is done, with the page that shows it."""
        count = len(self.client.scheduler_info(n_workers=-1)["workers"])
        page = self.client.dashboard_link
        shown = f", shown at {page}" if page else ""
        return f"on {count} Dask worker{'s' * (count != 1)}{shown}"

    @property
    def client(self) -> Any:
        """The client, connected when first asked for."""
        if self._client is None:
            self._connect()
        return self._client

    def _connect(self) -> None:
        try:
            from distributed import Client, LocalCluster
        except ImportError:
            raise UserError(
                "a cluster needs dask and distributed.", "Install mercer[cluster]."
            ) from None
        kind, _, count = self._where.partition(":")
        if kind == "local":
            if count and not (count.isdigit() and int(count)):
                raise UserError(f"'{self._where}' is not local:N.", "For instance: local:4")
            many = int(count) if count else None
            # workers that are slow to end are ended: nothing that anybody should read about
            self._cluster = LocalCluster(
                n_workers=many, threads_per_worker=1, silence_logs=logging.ERROR
            )
            self._client = Client(self._cluster)
            return
        try:
            self._client = Client(self._where, timeout="20s")
        except (OSError, ValueError, TimeoutError) as problem:
            raise UserError(
                f"no Dask scheduler answers at {self._where} ({problem}).",
                "Start one by 'dask scheduler' and workers by 'dask worker ADDRESS'.",
            ) from None

    def map(self, task: Task, items: Iterable[Any]) -> list[Any]:
        """The answers, in the order of the items."""
        return self._answered(self._submitted(task, items))

    def reduce(self, task: Task, items: Iterable[Any], merge: Callable[[Any, Any], Any]) -> Any:
        """The answers, joined along the tree of the items' order, on the workers."""
        level = self._submitted(task, items)
        if not level:
            raise ValueError("there is nothing to join")
        while len(level) > 1:
            pairs = zip(level[::2], level[1::2], strict=False)
            joined = [self.client.submit(merge, *pair, pure=False, retries=TRIES) for pair in pairs]
            level = joined + level[2 * len(joined) :]
        return self._answered(level)[0]

    def _submitted(self, task: Task, items: Iterable[Any]) -> list[Any]:
        with warnings.catch_warnings():
            # models go along with every task, so that any of them can be done again anywhere
            warnings.filterwarnings("ignore", "Sending large graph")
            return [
                self.client.submit(_Run(task), item, pure=False, retries=TRIES, key=_key(place))
                for place, item in enumerate(items)
            ]

    def _answered(self, futures: list[Any]) -> list[Any]:
        from concurrent.futures import CancelledError

        from distributed import KilledWorker

        try:
            return list(self.client.gather(futures))
        except KilledWorker as problem:
            raise UserError(
                f"workers died again and again over the same task ({problem.task}).",
                "They are likely to have run out of memory: give each more, or make --cells or "
                "--rank smaller.",
            ) from None
        except (OSError, CancelledError) as problem:
            if self.client.status in ("closed", "connecting", "closing"):
                raise UserError(
                    f"the Dask scheduler is gone ({problem}).",
                    "Start it again; with --work DIR, what was finished is not done twice.",
                ) from None
            raise
        finally:
            self.client.cancel(futures, force=True)

    def __enter__(self) -> Self:
        self.client  # noqa: B018 (connects, so that a wrong address is told at once)
        return self

    def __exit__(self, *problem: object) -> None:
        if isinstance(self._where, str) and self._client is not None:
            self._client.close()
            self._client = None
        if self._cluster is not None:
            self._cluster.close()
            self._cluster = None


class _Run:
    """A task on a worker, which has one thread for it."""

    def __init__(self, task: Task) -> None:
        self.task = task

    def __call__(self, item: Any) -> Any:
        from mercer import _config

        with _config.config(n_threads=1):
            return run(self.task, item)


def _key(place: int) -> str:
    from uuid import uuid4

    return f"mercer-{place}-{uuid4().hex}"
