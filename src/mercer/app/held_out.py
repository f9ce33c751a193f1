"""Further guarantees from the rows that a fit kept apart; every one of them is a look and counted.

A run of ``mercer fit`` leaves its model and a certificate of the error. The rows behind that
certificate can answer more: how large sets or intervals must be, other metrics, thresholds for a
recall or for prices, groups. Each answer holds at its own δ; the ledger says how many there are.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.app.apply import new_rows
from mercer.app.certify import Given
from mercer.app.reading import reader_options
from mercer.bounds import Certificate
from mercer.certification import Refused, certify, certify_groups, keep_recall
from mercer.certification.core import looks
from mercer.certification.core.look_file import LookFile
from mercer.errors import DataError, UserError
from mercer.io.model_file import ModelFile, open_model
from mercer.io.readers import read
from mercer.io.source import Source
from mercer.learners.describe import is_pairwise
from mercer.tables.columns import label_texts
from mercer.tables.dataset import Dataset

SHOWN = 20
MOST_GROUPS = 50


@dataclass(frozen=True)
class Answer:
    """A certificate, and a table to read beside it: names of columns and rows of plain values."""

    certificate: Certificate
    heads: tuple[str, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = ()
    words: str = ""


@dataclass
class HeldOut:
    """The rows of a file that a saved model was not trained on and that its fit counted.

    Made by `HeldOut.of`. Each method answers one question and counts one look at these rows, in
    ``ledger`` if there is one.
    """

    model: Any
    about: dict[str, Any]
    X: Any
    y: NDArray[Any]
    data: Dataset
    index: NDArray[np.intp]
    ledger: Path | None = None

    @classmethod
    def of(cls, model: str | Path, data: str | Path, ledger: str | Path | None = None) -> HeldOut:
        """The counted rows of the run that wrote ``model``, from the file it was made from.

        Parameters
        ----------
        model : path
            The ``model.mercer`` of a run.
        data : path
            The very file of that run: it is recognised by its SHA-256.
        ledger : path, default=None
            The file in which that run counted its looks.

        Raises
        ------
        DataError
            If the file is another one, or no rows were kept apart.
        """
        stored, source = open_model(str(model)), Source.of(str(data))
        if (stored.about.get("data") or {}).get("sha256") != source.sha256():
            raise DataError(
                f"{Path(data).name} is not the file that this model was made from.",
                "Rows it has never seen are for: mercer certify MODEL FRESH",
            )
        values: dict[str, Any] = {"missing": ()}
        rows = read(source, reader_options(values, stored.about))
        rows, y = _with_targets(stored, rows)
        done = stored.model.certification_
        fresh = np.setdiff1d(done.counted_rows, done.train_rows).astype(np.intp)
        if not len(fresh) or len(y) != done.n:
            raise DataError(
                "this run kept no rows apart that could answer more.",
                "Fit again with --certify holdout.",
            )
        X = new_rows(stored, rows)[fresh]
        place = None if ledger is None else Path(ledger)
        return cls(stored.model, stored.about, X, y[fresh], rows, fresh, place)

    def coverage(
        self, coverage: float = 0.9, delta: float = 0.05, *, kind: str = "pac", per: str = "all"
    ) -> Answer:
        """Sets of classes, or intervals, that hold so much; shown for the first counted rows."""
        made = self.model.coverage_certificate(coverage, kind=kind, delta=delta, per=per)
        certificate = self._counted(("coverage", coverage, kind, per), delta, made)
        numbers = self.data.rows[self.index].tolist()[:SHOWN]
        said = np.asarray(self.model.predict(self.X)).tolist()[:SHOWN]
        if self.about.get("task") == "regression":
            ends = self.model.predict_interval(self.X, coverage, kind=kind, delta=delta)
            width = float(np.median(ends[:, 1] - ends[:, 0]))
            words = f"half of the intervals are at most {width:.4g} wide"
            lists = zip(numbers, said, *ends[:SHOWN].T.tolist(), strict=True)
            return Answer(certificate, ("row", "answer", "from", "to"), tuple(lists), words)
        sets = self.model.predict_set(self.X, coverage, kind=kind, delta=delta, per=per)
        names, sizes = np.asarray(self.model.classes_).astype(str), sets.sum(axis=1)
        held = [", ".join(names[one]) or "(none)" for one in sets[:SHOWN]]
        words = (
            f"{sizes.mean():.3g} classes in a set on average; {int((sizes == 1).sum())} of "
            f"{len(sizes)} sets hold one class, {int((sizes == 0).sum())} none"
        )
        rows = tuple(zip(numbers, said, held, strict=True))
        return Answer(certificate, ("row", "answer", "set"), rows, words)

    def metric(self, metric: str, delta: float = 0.05) -> Answer:
        """Another metric than the error: ``"f1"``, ``"auc"``, ``"precision:positive=yes"``, ..."""
        self._check_single_rows()
        return Answer(self._quietly(certify, self.model, delta, metric=metric, ledger=self.ledger))

    def recall(self, recall: float = 0.95, delta: float = 0.05, positive: Any = None) -> Answer:
        """The highest threshold that finds so many of the positives; the choice is paid for."""
        self._check_single_rows()
        with looks.paid_together():  # counted below, with the ledger
            cut = self._quietly(keep_recall, self.model, recall, delta, positive=positive)
        what = ("recall", recall, cut.positive)
        certificate = self._counted(what, delta, cut.certificate_)
        told = int((cut.predict(self.X) == cut.positive).sum())
        words = f"{cut.positive} from a score of {cut.threshold:.4g} on: {told} of {len(self.y)}"
        return Answer(certificate, words=f"{words} counted rows are called so")

    def price(self, price: float = 1.0, delta: float = 0.05, positive: Any = None) -> Answer:
        """Mean cost where a miss costs as much as ``price`` false alarms.

        The threshold of the probability is 1/(1 + price), which the price alone fixes: nothing is
        chosen on the counted rows, so one δ pays.
        """
        self._check_single_rows()
        labels = self.model.classes_.tolist()
        if len(labels) != 2:
            raise Refused(f"prices of misses need two classes, the model has {len(labels)}.")
        if not (np.isfinite(price) and price > 0):
            raise ValueError(f"price must be positive, got {price!r}")
        positive = labels[1] if positive is None else positive
        if positive not in labels:
            raise Refused(f"there is no class {positive!r}; the model has {labels}.")
        k, threshold = labels.index(positive), 1.0 / (1.0 + price)
        chance = np.asarray(self.model.predict_proba(self.X))[:, k]
        answers = np.where(chance >= threshold, labels[k], labels[1 - k])
        at = ModelAtThreshold(answers, False)
        at.classes_ = np.asarray(self.model.classes_)
        costs = [[0.0, 0.0], [0.0, 0.0]]
        costs[k][1 - k], costs[1 - k][k] = price, 1.0
        from mercer.certification.guarantees.metrics.cost import MeanCost

        made = self._quietly(certify, at, delta, metric=MeanCost(costs), ledger=self.ledger)
        missed = int(((answers != positive) & (self.y == positive)).sum())
        alarms = int(((answers == positive) & (self.y != positive)).sum())
        usual = np.asarray(self.model.predict(self.X))
        then = [int(((usual != positive) & (self.y == positive)).sum()),
                int(((usual == positive) & (self.y != positive)).sum())]  # fmt: skip
        rows = (
            (f"{positive} from {threshold:.3g} on", missed, alarms, price * missed + alarms),
            ("the model's own answers", *then, price * then[0] + then[1]),
        )
        return Answer(made, ("answers", "missed", "false alarms", "cost in all"), rows)

    def groups(self, by: str, delta: float = 0.05, tolerance: float | None = None) -> Answer:
        """Limits for every value of a column, and the largest gap, all at once."""
        self._check_single_rows()
        column = self.data.column(by)
        kinds = np.array(label_texts(column), dtype=object)[self.index].astype(str)
        if len(np.unique(kinds)) > MOST_GROUPS:
            raise UserError(f"'{by}' has more than {MOST_GROUPS} values among the counted rows.")
        with looks.paid_together():  # counted below, with the ledger
            made = self._quietly(certify_groups, self.model, kinds, delta, tolerance=tolerance)
        certificate = self._counted(("groups", by, tolerance), delta, made)
        rows = tuple((name, part["rows"], part["errors"], part["lower"], part["upper"])
                     for name, part in made.details["groups"].items())  # fmt: skip
        return Answer(certificate, (by, "rows", "errors", "at least", "at most"), rows)

    def look(self, what: str, delta: float = 0.05) -> looks.Look:
        """Count that something made of these rows was read: errors, slices, comparisons."""
        file, pairs = self.ledger, is_pairwise(self.model)
        asked = ("read", what, looks.key_of(self.about.get("created"), b"run"))

        def seen(salt: bytes) -> looks.Seen:
            found = looks.seen_rows(self.X, self.y, salt, asked, delta, pairwise=pairs)
            if found is None:
                raise Refused("looks at rows of this kind cannot be counted.")
            return found

        here = looks.MEMORY.add(seen(b"looks"), None)
        return here if file is None else LookFile(file).add(seen, None)

    def _quietly(self, ask: Any, model: Any, *args: Any, **options: Any) -> Any:
        """What is wrong stands in the certificate's first line, not also in a warning."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            return ask(model, self.X, self.y, *args, **options)

    def _counted(self, what: Any, delta: float, made: Certificate) -> Certificate:
        """The certificate with its number of looks."""
        asked, pairs = (what, self.about.get("created")), is_pairwise(self.model)
        begun = looks.begin(self.X, self.y, asked, delta, pairwise=pairs, ledger=self.ledger)
        return begun.done(made)

    def _check_single_rows(self) -> None:
        if self.model.certification_.order == "groups":
            raise UserError(
                "the rows of this run belong together in groups, and this counts single rows.",
                "Ask for it when you fit, for instance --metric f1 --group NAME.",
            )


class ModelAtThreshold(Given):
    """The model's answers at another threshold of the probability."""

    classes_: NDArray[Any]


def _with_targets(stored: ModelFile, data: Dataset) -> tuple[Dataset, NDArray[Any]]:
    """Rows that have a target, and the targets as the fit had them."""
    name = stored.about.get("target")
    if data.columns and name:
        column = data.column(str(name))
    elif data.labels is not None:
        from mercer.io.readers.numpy_arrays import label_column

        column = label_column("label", data.labels)
    else:
        raise DataError("the targets of this run are not in its file.")
    keep = ~column.missing
    if not keep.all():
        data = data.drop(column.missing, "no value in the target")
    regression = stored.about.get("task") == "regression"
    truth = column.values.astype(float) if regression else np.asarray(label_texts(column))
    return data, truth[keep]
