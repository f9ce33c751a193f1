"""The same machine certified in several ways, on a law whose true error is known."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

from mercer import SVC, certified_fit, certify, datasets
from mercer.certification import check_assumptions
from mercer.plots import CertificateDisplay

X, y, law = datasets.make_twonorm(1000, random_state=0)
machine = SVC(C=1.0, gamma=0.02)  # fixed before the data, so in-sample bounds cover it

model = certified_fit(machine, X, y, random_state=0, compare=True)
truth = law.risk(model.predict, n=100_000)
print(f"auto         {model.certificate_}\n             the truth is {truth:.2%}")

for mode in ("compress", "progressive", "in-sample"):
    other = certified_fit(machine, X, y, mode=mode, random_state=0)
    print(f"{mode:<13}{other.certificate_}")

X_new, y_new = law.sample(2000, random_state=1)
everything = machine.fit(X, y)  # all rows for training: fresh ones are needed for a tight number
print(f"fresh rows   {certify(everything, X_new, y_new)}")
for check in check_assumptions(X, y, X_new, y_new):
    print(check)

bar = model.certification_.comparison["value"]
display = CertificateDisplay.from_estimator(model, truth=truth, bar=bar)
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
display.figure_.savefig(folder / "certificates.png", dpi=100)
print(f"drawn: {folder / 'certificates.png'}")
