"""A kernel of your own, composed with others, inside the same solver."""

import numpy as np
from scipy.spatial.distance import cdist

from mercer import SVC, check_psd, datasets
from mercer.kernels import Gaussian, Kernel, Linear


class Cauchy(Kernel):
    """k(x, y) = 1 / (1 + |x - y|² / w²)."""

    bounded = stationary = True

    def __init__(self, width=1.0):
        self.width = width

    def _tile(self, X, Y):
        return 1.0 / (1.0 + cdist(X, Y, "sqeuclidean") / self.width**2)


X, y, law = datasets.make_banana(400, random_state=0)
print(check_psd(Cauchy(2.0), X[:100]))

for kernel in (Cauchy(2.0), Gaussian(1.0) * (Linear() + 1.0), Cauchy(1.0).normalized()):
    model = SVC(kernel=kernel).fit(X, y)
    error = law.risk(model.predict, n=50_000)
    print(f"{error:.2%} wrong (best possible {law.bayes_risk:.2%}) with {kernel}")

# Parameters of a kernel are parameters of the estimator, so a grid search can reach them.
model = SVC(kernel=Cauchy(2.0)).set_params(kernel__width=0.5).fit(X, y)
print(model.kernel_, np.round(model.score(X, y), 3))
