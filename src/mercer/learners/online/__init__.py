"""On-line learning: drivers for streams and queries, and learners of finite classes."""

from mercer._discover import rooms
from mercer.learners.online.drivers import (
    ActiveRun,
    OnlineRun,
    learn_actively,
    learn_batch,
    learn_online,
)
from mercer.learners.online.halving import Halving, Stumps, halving_limit

__all__ = [
    "ActiveRun",
    "Halving",
    "OnlineRun",
    "Stumps",
    "halving_limit",
    "learn_actively",
    "learn_batch",
    "learn_online",
]

__getattr__, __dir__ = rooms(__name__)
