"""A fit that may not take longer than you allow, and says how far it got."""

import warnings

from sklearn.exceptions import ConvergenceWarning

from mercer import SVC, datasets

X, y, _ = datasets.make_moons(4000, scale=0.35, noise=0.1, random_state=0)
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always", ConvergenceWarning)
    model = SVC(C=100.0, gamma=2.0, max_iter=200).fit(X, y)
print(said[0].message)
print(f"stopped by {model.solution_.stopped}, gap {model.solution_.gap:.2g}")
print(f"still right on {model.score(X, y):.1%} of the training points")
