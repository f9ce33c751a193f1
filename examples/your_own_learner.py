"""A learner of your own: say which quadratic programme it is, and what its evidence may claim."""

from dataclasses import replace

import numpy as np

from mercer import SVR, certified_fit


class QuantileSVR(SVR):
    """Minimise ½|w|² + C Σ pinball loss: f(x) is a quantile of the target given x."""

    def __init__(self, *, quantile=0.5, C=1.0, gamma="scale"):
        super().__init__(C=C, gamma=gamma, epsilon=0.0)
        self.quantile = quantile

    def _problem(self, rows, target, weight, ground):
        problem = super()._problem(rows, target, weight, ground)
        price = (self.quantile, 1.0 - self.quantile)  # of a target above, and of one below
        return replace(problem, upper=problem.upper * np.repeat(price, len(problem.upper) // 2))

    def _publish_evidence(self):
        # another loss than SVR's: what bounds read off that loss must not be applied
        return replace(super()._publish_evidence(), loss="", C=None, slacks=None)


rng = np.random.default_rng(0)
X = rng.uniform(0, 3, (800, 1))
y = np.sin(2 * X[:, 0]) + (0.1 + 0.2 * X[:, 0]) * rng.standard_normal(800)
for quantile in (0.1, 0.5, 0.9):
    model = QuantileSVR(quantile=quantile, C=10.0, gamma=1.0).fit(X, y)
    print(f"{np.mean(y < model.predict(X)):.1%} of the targets lie below the curve for {quantile}")

median = certified_fit(QuantileSVR(C=10.0, gamma=1.0), X, y, tolerance=1.0, random_state=0)
print(median.certificate_)
