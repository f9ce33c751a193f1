"""A tuned model with a number to sign: the choice is made inside the training part and is free."""

from mercer import SVC, KernelSearch
from mercer.datasets import make_twonorm

X, y, law = make_twonorm(400, random_state=0)
search = KernelSearch(certify="holdout", random_state=0).fit(X, y)
print(search.certificate_)
print(f"true error {law.risk(search.predict, n=20_000):.4f}")

grid = {"C": [0.1, 1.0], "gamma": [0.005, 0.02]}
paid = KernelSearch(SVC(), params=grid, certify="union").fit(X, y)  # no row held out: the grid pays
print(paid.certificate_)
for entry in paid.certificate_.ledger:
    print(f"  {entry.delta:.4f}  {entry.what}")
