"""How close to the best possible error does a machine get, and how fast?"""

import numpy as np

from mercer import SVC, datasets

_, _, law = datasets.make_ringnorm(1)
print(f"ringnorm: nobody can do better than {law.bayes_risk:.2%}")
for n in (100, 300, 1000, 3000):
    X, y = law.sample(n, random_state=n)
    model = SVC(C=1.0, gamma=0.05).fit(X, y)
    risk, error = law.risk_and_error(model.predict, n=20_000)
    print(f"  {n:5d} examples: {risk:.2%} ± {error:.2%}, {len(model.support_)} support vectors")
    assert risk > law.bayes_risk - 5 * error
assert np.isclose(law.bayes_risk, 0.0124, atol=1e-3)
