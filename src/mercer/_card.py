"""A small table for notebooks: plain HTML that any theme can show."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from mercer._clean import clean


def card(title: str, rows: Iterable[tuple[str, str]]) -> str:
    """Names and values below a title; everything is escaped."""
    body = "".join(
        f"<tr><td style='text-align:left'>{escape(clean(name))}</td>"
        f"<td style='text-align:left'>{escape(clean(value, 600))}</td></tr>"
        for name, value in rows
    )
    head = f"<b>{escape(clean(title, 200))}</b>"
    return f"<div class='mercer-card'>{head}<table><tbody>{body}</tbody></table></div>"


class CardBelow:
    """Mixin before scikit-learn's base: in a notebook a fitted one shows what came of the fit.

    A class writes ``_card() -> str``; it stands below scikit-learn's diagram of the parameters.
    """

    def _card(self) -> str:
        raise NotImplementedError

    def _html_repr(self) -> str:
        from sklearn.exceptions import NotFittedError
        from sklearn.utils import estimator_html_repr
        from sklearn.utils.validation import check_is_fitted

        diagram = str(estimator_html_repr(self))
        try:
            check_is_fitted(self)
        except NotFittedError:
            return diagram
        return diagram + self._card()
