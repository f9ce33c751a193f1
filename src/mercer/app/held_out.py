"""Further guarantees from the rows that a fit kept apart; every one of them is a look and counted.

A run of ``mercer fit`` leaves its model and a certificate of the error. The rows behind that
certificate can answer more: how large sets or intervals must be, other metrics, thresholds for a
recall or for prices, groups. Each answer holds at its own δ; the ledger says how many there are.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.app.apply import new_rows
from mercer.app.certify import Given
from mercer.app.labels import Labels, labels_of, read_labels
from mercer.app.reading import reader_options
from mercer.app.roles import square_matrix
from mercer.bounds import Certificate
from mercer.certification import Refused, certify, certify_groups, keep_recall
from mercer.certification.core import looks
from mercer.certification.core.look_file import LookFile
from mercer.certification.core.order import LATER, ONE_OF_EACH
from mercer.errors import DataError, UserError
from mercer.io.model_file import ModelFile, open_model
from mercer.io.readers import read
from mercer.io.source import Source
from mercer.learners.describe import is_pairwise
from mercer.tables.columns import label_texts
from mercer.tables.dataset import TEXT, Column, Dataset

SHOWN = 20
MOST_GROUPS = 50
PAIRS = ("kernel", "distance")
ORDERS = {"random": (), "groups": (ONE_OF_EACH,), "time": LATER}  # what they add to assume


@dataclass(frozen=True)
class Answer:
    """A certificate, and a table to read beside it: names of columns and rows of plain values."""

    certificate: Certificate
    heads: tuple[str, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = ()
    words: str = ""


@dataclass
class HeldOut:
    """The rows of a file that had no say in a saved model and that its fit counted.

    Made by `HeldOut.of`. Each method answers one question and counts one look at these rows, in
    ``ledger`` if there is one. Where whole groups were counted, one row of each is asked: these
    are independent of each other, and what is said is about a random row of a new group.

    ``data`` are all rows of the file and ``whole`` these rows as the model takes them, with their
    targets; ``index`` says which of them are asked. ``beside`` are columns of a file of labels.
    """

    model: Any
    about: dict[str, Any]
    whole: tuple[Any, NDArray[Any]]
    data: Dataset
    index: NDArray[np.intp]
    ledger: Path | None = None
    beside: Dataset | None = None

    @property
    def X(self) -> Any:
        """The rows that are asked."""
        return self.whole[0][self.index]

    @property
    def y(self) -> NDArray[Any]:
        """Their targets."""
        return self.whole[1][self.index]

    @classmethod
    def of(
        cls, model: str | Path, data: str | Path, ledger: str | Path | None = None,
        labels: str | Path | None = None,
    ) -> HeldOut:  # fmt: skip
        """The counted rows of the run that wrote ``model``, from the file it was made from.

        Parameters
        ----------
        model : path
            The ``model.mercer`` of a run.
        data : path
            The very file of that run: it is recognised by its SHA-256.
        ledger : path, default=None
            The file in which that run counted its looks.
        labels : path, default=None
            The file of the labels, if that run had one.

        Raises
        ------
        DataError
            If a file is another one, or no rows were kept apart.
        """
        stored, source = open_model(str(model)), Source.of(str(data))
        if (stored.about.get("data") or {}).get("sha256") != source.sha256():
            raise DataError(
                f"{Path(data).name} is not the file that this model was made from.",
                "Rows it has never seen are for: mercer certify MODEL FRESH",
            )
        values: dict[str, Any] = {"missing": ()}
        rows = read(source, reader_options(values, stored.about))
        told = _labels(stored, labels)
        rows, y, beside = _with_targets(stored, rows, told)
        done = stored.model.certification_
        fresh = done.unseen_rows
        if not len(fresh) or len(y) != done.n:
            raise DataError(
                f"this run (--certify {done.mode}) kept no rows apart that could answer more.",
                "Fit again with --certify holdout.",
            )
        place = None if ledger is None else Path(ledger)
        kind = stored.about.get("prepare")
        X = square_matrix(rows, kind) if kind in PAIRS else new_rows(stored, rows)
        index = done.independent(fresh)
        return cls(stored.model, stored.about, (X, y), rows, index, place, beside)

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
        made = self._quietly(certify, self.model, delta, metric=metric)
        return Answer(self._counted(("metric", metric), delta, made))

    def recall(self, recall: float = 0.95, delta: float = 0.05, positive: Any = None) -> Answer:
        """The highest threshold that finds so many of the positives; the choice is paid for."""
        positive = self._class(positive)
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
        labels = self.model.classes_.tolist()
        if len(labels) != 2:
            raise Refused(f"prices of misses need two classes, the model has {len(labels)}.")
        if not (np.isfinite(price) and price > 0):
            raise ValueError(f"price must be positive, got {price!r}")
        positive = labels[1] if positive is None else self._class(positive)
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

        made = self._quietly(certify, at, delta, metric=MeanCost(costs))
        called = f"this model, answering {positive} from {threshold:.3g} on"
        made = self._counted(("price", price, positive), delta, replace(made, learner=called))
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
        column = self._column(by)
        kinds = np.array(label_texts(column), dtype=object)[self.index].astype(str)
        if len(np.unique(kinds)) > MOST_GROUPS:
            raise UserError(f"'{by}' has more than {MOST_GROUPS} values among the counted rows.")
        made = self._quietly(certify_groups, self.model, kinds, delta, tolerance=tolerance)
        certificate = self._counted(("groups", by, tolerance), delta, made)
        rows = tuple((name, part["rows"], part["errors"], part["lower"], part["upper"])
                     for name, part in made.details["groups"].items())  # fmt: skip
        return Answer(certificate, (by, "rows", "errors", "at least", "at most"), rows)

    def look(self, what: str, delta: float = 0.05) -> looks.Look:
        """Count that something made of these rows was read: errors, slices, comparisons."""
        file = self.ledger
        asked = ("read", what, looks.key_of(self._run, b"run"))

        def seen(salt: bytes) -> looks.Seen:
            found = looks.seen_rows(*self.whole, salt, asked, delta, pairwise=self._pairs)
            if found is None:
                raise Refused("looks at rows of this kind cannot be counted.")
            return found

        here = looks.MEMORY.add(seen(b"looks"), None)
        return here if file is None else LookFile(file).add(seen, None)

    @property
    def _run(self) -> tuple[Any, Any]:
        """Which run this is: when it was made, and the fingerprint of its model."""
        return self.about.get("created"), (self.model.certificate_.about or {}).get("model")

    @property
    def _pairs(self) -> bool:
        return is_pairwise(self.model)

    def _column(self, name: str) -> Column:
        """A column of the file, or of the file of labels."""
        if self.beside is not None and (not self.data.columns or name in self.beside.names):
            return self.beside.column(name)
        if not self.data.columns:
            raise UserError(f"these data have no columns, so none is called '{name}'.")
        return self.data.column(name)

    def _class(self, said: Any) -> Any:
        """A class as it was typed, in the type of the model's classes."""
        if not isinstance(said, str):
            return said
        return labels_of(self.model, Column("", TEXT, np.array([said], dtype=object))).tolist()[0]

    def _quietly(self, ask: Any, model: object, *args: Any, **options: Any) -> Any:
        """What is wrong stands in the certificate's first line, not also in a warning.

        The look is counted by `_counted`, with that of the fit: by all rows of the file.
        """
        with warnings.catch_warnings(), looks.paid_together():
            warnings.simplefilter("ignore", UserWarning)
            return ask(model, self.X, self.y, *args, **options)

    def _counted(self, what: Any, delta: float, made: Certificate) -> Certificate:
        """The certificate with its number of looks, and with what the run found in these rows."""
        of_run = self.model.certificate_
        said = looks.unstamped(of_run).found
        mine = [words for words in made.found if words not in set(of_run.found) - set(said)]
        assumed = ORDERS[self.model.certification_.order]
        made = replace(
            made,
            found=tuple(dict.fromkeys((*mine, *said))),
            assumptions=tuple(dict.fromkeys((*made.assumptions, *assumed))),
        )
        asked = (what, self._run)
        begun = looks.begin(*self.whole, asked, delta, pairwise=self._pairs, ledger=self.ledger)
        return begun.done(made)


class ModelAtThreshold(Given):
    """The model's answers at another threshold of the probability."""

    classes_: NDArray[Any]


def _labels(stored: ModelFile, path: str | Path | None) -> Labels | None:
    """The file of labels of a run: none, or the very one."""
    known = (stored.about.get("data") or {}).get("labels")
    if path is None:
        if known is not None:
            raise DataError(
                f"the labels of this run are in another file ({known['name']}).",
                "Name it with --labels FILE.",
            )
        return None
    found = read_labels(path, stored.about.get("target"))
    if found is None or known is None:
        raise DataError("the labels of this run were not in a file of their own.")
    if (found.about or {}).get("sha256") != known["sha256"]:
        raise DataError(f"{Path(path).name} is not the file of labels of this run.")
    return found


def _with_targets(
    stored: ModelFile, data: Dataset, labels: Labels | None
) -> tuple[Dataset, NDArray[Any], Dataset | None]:
    """Rows that have a target, the targets as the fit had them, and what stands beside them."""
    name = stored.about.get("target")
    if labels is not None:
        column = labels.column
    elif data.columns and name:
        column = data.column(str(name))
    elif data.labels is not None:
        from mercer.io.readers.numpy_arrays import label_column

        column = label_column("label", data.labels)
    else:
        raise DataError(
            "the targets of this run are not in its file.",
            "Fit with --labels FILE: labels given in Python are not kept.",
        )
    lost = column.missing
    if lost.any():
        data = data.drop(lost, "no value in the target")
        column = Column(column.name, column.kind, column.values[~lost])
        labels = None if labels is None else labels.without(lost)
    regression = stored.about.get("task") == "regression"
    truth = column.values.astype(float) if regression else labels_of(stored.model, column)
    return data, truth, None if labels is None else labels.beside
