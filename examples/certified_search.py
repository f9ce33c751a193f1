"""A tuned model with a number to sign: the choice is made inside the training part and is free."""

from mercer import SVC, KernelSearch, certified_fit
from mercer.datasets import make_twonorm

X, y, law = make_twonorm(400, random_state=0)
search = certified_fit(KernelSearch(random_state=0), X, y, random_state=0)
print(search.certificate_)
print(f"true error {law.risk(search.predict, n=20_000):.4f}")

grid = {"C": [0.1, 1.0], "gamma": [0.005, 0.02]}
paid = KernelSearch(SVC(), grid, certify="union").fit(X, y)  # no row held out: the grid pays
print(paid.certificate_)
for entry in paid.certificate_.ledger:
    print(f"  {entry.delta:.4f}  {entry.what}")
