"""Where the lab listens, who may ask, and how much at once."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path

LOOPBACK = ("127.0.0.1", "localhost", "::1")
MB = 2**20


@dataclass(frozen=True)
class Limits:
    """What one page may ask for.

    Attributes
    ----------
    body, upload : int
        Bytes of a question and of a file.
    seconds : float
        For one answer; a fit has none of its own, it is stopped by hand or by its time limit.
    patience : float
        For the body of a request to arrive.
    workers : int
        Answers computed at once, and fits at once: one for each core.
    waiting : int
        Questions that may wait; more are told to come back.
    """

    body: int = 2 * MB
    upload: int = 200 * MB
    seconds: float = 60.0
    patience: float = 30.0
    workers: int = field(default_factory=lambda: len(os.sched_getaffinity(0)) or 1)
    waiting: int = 64


@dataclass(frozen=True)
class Address:
    """The lab's own address, its secret and the folder whose files it may read.

    ``hosts`` are the names under which a browser may reach it: those of this computer, and what was
    asked for. Any other name in a request is a page of somebody else's that made its own name point
    here.
    """

    host: str = "127.0.0.1"
    port: int = 0
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    hosts: tuple[str, ...] = LOOPBACK
    folder: Path = field(default_factory=Path.cwd)
    data: Path | None = None
    limits: Limits = field(default_factory=Limits)

    @property
    def cookie(self) -> str:
        """Name of the cookie: two labs on one computer share a cookie jar, whatever their ports."""
        return f"mercer_lab_{self.port}"

    def url(self) -> str:
        """What the user opens."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{name}:{self.port}/?token={self.token}"
