"""A Dask cluster: ``local`` workers started here, or a scheduler that somebody else runs.

Tasks are pure functions of small arguments, so Dask repeats whatever a lost worker had. Nothing is
scattered: data handed out that way are gone when all their holders are.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterable
from typing import Any, Self

from mercer.engine.here import Done, Here, Task, run
from mercer.errors import UserError

QUIET = {"distributed.worker.profile.enabled": False}  # it looks at each thread every 10 ms
TRIES = 3  # of a task that raised an error which may pass, a file system that hiccups


class Dask(Here):
    """Tasks and the tree of their sums run on workers; one answer comes back."""

    def __init__(self, where: Any, patience: float = 60.0) -> None:
        self._where = where
        self._patience = patience  # seconds for the first worker to come
        self._client: Any = None if isinstance(where, str) else where
        self._cluster: Any = None
        self._log = logging.getLogger("distributed.client")
        self._level = self._log.level

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
            import dask
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
            with warnings.catch_warnings(), dask.config.set(QUIET):
                # the link that is printed says which port was taken in place of another's
                warnings.filterwarnings("ignore", "Port .* is already in use")
                try:
                    self._cluster = LocalCluster(
                        n_workers=many, threads_per_worker=1, silence_logs=logging.CRITICAL
                    )
                except RuntimeError as problem:
                    raise UserError(
                        f"workers cannot be started here ({problem}).",
                        "They import the script that started them: put what it does below "
                        "'if __name__ == \"__main__\":'.",
                    ) from None
            self._client = Client(self._cluster)
            return
        try:
            self._client = Client(self._where, timeout="20s")
        except (OSError, ValueError, TimeoutError) as problem:
            raise UserError(
                f"no Dask scheduler answers at {self._where} ({problem}).",
                "Start one by 'dask scheduler' and workers by 'dask worker ADDRESS'.",
            ) from None

    def map(self, task: Task, items: Iterable[Any], done: Done = None) -> list[Any]:
        """The answers, in the order of the items."""
        return self._answered(self._submitted(task, items, done))

    def everywhere(self, task: Callable[[], Any]) -> list[Any]:
        """The answer of every worker; waits for the first of them to come."""
        try:
            self.client.wait_for_workers(1, timeout=self._patience)
        except TimeoutError:
            raise UserError(
                "the Dask scheduler has no workers.",
                "Start some on every machine: dask worker ADDRESS --nthreads 1",
            ) from None
        return list(self.client.run(task).values())

    def reduce(
        self, task: Task, items: Iterable[Any], merge: Callable[[Any, Any], Any], done: Done = None
    ) -> Any:
        """The answers, joined along the tree of the items' order, on the workers."""
        level = self._submitted(task, items, done)
        if not level:
            raise ValueError("there is nothing to join")
        while len(level) > 1:
            pairs = zip(level[::2], level[1::2], strict=False)
            joined = [self.client.submit(merge, *pair, pure=False, retries=TRIES) for pair in pairs]
            level = joined + level[2 * len(joined) :]
        return self._answered(level)[0]

    def _submitted(self, task: Task, items: Iterable[Any], done: Done = None) -> list[Any]:
        listed = list(items)
        with warnings.catch_warnings():
            # models go along with every task, so that any of them can be done again anywhere
            warnings.filterwarnings("ignore", "Sending large graph")
            futures = [
                self.client.submit(_Run(task), item, pure=False, retries=TRIES, key=_key(place))
                for place, item in enumerate(listed)
            ]
        if done is not None:
            for future, item in zip(futures, listed, strict=True):
                future.add_done_callback(_Told(done, item))
        return futures

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
        if isinstance(self._where, str):  # what its log would say, our errors say in a line
            self._log.setLevel(logging.CRITICAL)
        self.client  # noqa: B018 (connects, so that a wrong address is told at once)
        return self

    def __exit__(self, *problem: object) -> None:
        if isinstance(self._where, str) and self._client is not None:
            self._client.close()
            self._client = None
        if self._cluster is not None:
            self._cluster.close()
            self._cluster = None
        self._log.setLevel(self._level)


class _Run:
    """A task on a worker, which has one thread for it."""

    def __init__(self, task: Task) -> None:
        self.task = task

    def __call__(self, item: Any) -> Any:
        from mercer import _config

        with _config.config(n_threads=1):
            return run(self.task, item)


class _Told:
    """Tells who listens that an item is finished; called in a thread of Dask."""

    def __init__(self, done: Callable[[Any], None], item: Any) -> None:
        self.done, self.item = done, item

    def __call__(self, future: Any) -> None:
        if future.status == "finished":
            self.done(self.item)


def _key(place: int) -> str:
    from uuid import uuid4

    return f"mercer-{place}-{uuid4().hex}"
