"""What differs between the versions of scikit-learn that Mercer supports.

scikit-learn 1.9 brought callbacks, still marked experimental. Everything Mercer needs from them is
here, so that a change there is a change of this file only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Method = TypeVar("Method", bound=Callable[..., Any])

try:
    from sklearn.callback import CallbackSupportMixin as CallbackSupportMixin
    from sklearn.callback import with_callbacks as _decorated

    HAS_CALLBACKS = True
except ImportError:
    HAS_CALLBACKS = False

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in for scikit-learn's mixin where there are no callbacks."""

    def _decorated(method: Method) -> Method:
        return method


def with_callbacks(method: Method) -> Method:
    """scikit-learn's decorator where there is one; editors still see what ``method`` returns."""
    found: Method = _decorated(method)
    return found


def fit_tasks(estimator: Any, **data: Any) -> tuple[Callable[[], bool], Callable[[], None]]:
    """Open the callback context of a fit.

    Returns
    -------
    step : callable
        Tells the callbacks that a piece of work is done; True means that one of them asks to stop.
    close : callable
        Tells them that the fit is over.
    """
    if not HAS_CALLBACKS or not getattr(estimator, "_skl_callbacks", None):
        return (lambda: False), (lambda: None)
    context = estimator._init_callback_context(max_subtasks=None)
    context.call_on_fit_task_begin(estimator=estimator, **data)

    def step() -> bool:
        part = context.subcontext(task_name="working sets")
        part.call_on_fit_task_begin(estimator=estimator, **data)
        return bool(part.call_on_fit_task_end(estimator=estimator, **data))

    def close() -> None:
        context.call_on_fit_task_end(estimator=estimator, **data)

    return step, close
