"""A bound of your own: a theorem that reads evidence and never sees an estimator."""

from mercer import SVC, certified_fit, datasets
from mercer.bounds import Bound, Evidence, HoldOut, NotApplicable, Outcome
from mercer.bounds.numerics import hoeffding_radius


class HoldOutHoeffding(Bound):
    """Errors on unseen rows, by Hoeffding's inequality instead of the exact binomial."""

    code = "holdout-hoeffding"
    title = "Hoeffding's limit on unseen rows"
    reference = "Hoeffding 1963, theorem 2"
    needs = ("holdout",)
    covers = frozenset({"train"})  # whatever was chosen from the training rows is paid for
    assumptions = ("the unseen rows are independent draws from the law of future data",)

    def _outcome(self, evidence, delta):
        part = evidence.need("holdout")
        if part.errors is None:
            raise NotApplicable("the unseen rows have losses, not errors")
        rate = part.errors / part.rows
        value = rate + hoeffding_radius(part.rows, delta)
        return Outcome(value, n=part.rows, observed=rate, counted=f"{part.errors} errors")

    @classmethod
    def examples(cls):
        """For the contract tests."""
        yield Evidence(100, holdout=HoldOut(400, errors=11))


X, y, law = datasets.make_twonorm(1000, random_state=0)
model = certified_fit(SVC(gamma=0.02), X, y, random_state=0)
print(HoldOutHoeffding().evaluate(model.evidence_))
print(model.certificate_)  # the exact tail is never larger
