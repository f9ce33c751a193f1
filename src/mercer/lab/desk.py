"""How much is computed at once: an answer for each core, a short queue, none for closed tabs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from mercer.lab.address import Limits
from mercer.lab.guard import Refused


class Desk:
    """Answers questions in threads, as many as there are cores."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.waiting = 0
        self.dropped = 0
        self._seats = asyncio.Semaphore(limits.workers)
        self._pool = ThreadPoolExecutor(limits.workers, thread_name_prefix="mercer-lab")

    async def answer(
        self, work: Callable[[], Any], gone: Callable[[], Awaitable[bool]] | None = None
    ) -> Any:
        """The result of ``work``, or `Refused` if too many wait or it takes too long.

        Who has gone while waiting is not answered. A thread cannot be killed: one that takes too
        long keeps its seat until it ends, so that there are never more of them than cores.
        """
        if self.waiting >= self.limits.waiting:
            raise Refused(503, "too many questions at once; ask again")
        self.waiting += 1
        try:
            await self._seats.acquire()
        finally:
            self.waiting -= 1
        if gone is not None and await gone():
            self.dropped += 1
            self._seats.release()
            raise Refused(499, "nobody waits for the answer any more")
        working = asyncio.get_running_loop().run_in_executor(self._pool, work)
        working.add_done_callback(lambda _: self._seats.release())
        try:
            return await asyncio.wait_for(asyncio.shield(working), self.limits.seconds)
        except TimeoutError:
            working.add_done_callback(lambda done: done.cancelled() or done.exception())
            raise Refused(504, f"not answered within {self.limits.seconds:g} s") from None

    def close(self) -> None:
        """Take no more work."""
        self._pool.shutdown(wait=False, cancel_futures=True)
