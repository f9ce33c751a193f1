"""Choose kernel, bandwidth and cost without writing a grid, and look at the way the search took."""

import numpy as np

from mercer import KernelSearch
from mercer.datasets import make_ringnorm
from mercer.selection import criteria

X, y, law = make_ringnorm(200, random_state=0)
search = KernelSearch(random_state=0).fit(X, y)
print(f"chosen: {search.best_params_}")
print(f"cross-validated accuracy {search.best_score_:.3f}, {search.n_candidates_} candidates")
print(f"true error {law.risk(search.predict, n=20_000):.3f}, Bayes {law.bayes_risk:.3f}")

by_span = KernelSearch(criterion="span").fit(X, y)  # one training per setting instead of five
print(f"by the span estimate: {by_span.best_value_:.3f} for {by_span.best_params_}")

left = np.sum(search.results_["status"] == "pruned")
print(f"{left} candidates were left early because they could no longer win")
print("criteria:", ", ".join(criteria.available()))
