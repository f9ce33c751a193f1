"""One page to send: a certified model as HTML, Markdown and JSON, in the folder given."""

import sys
from pathlib import Path

from mercer import KernelSearch, certified_fit, datasets, report

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
X, y, law = datasets.make_moons(300, scale=0.25, random_state=0)
search = KernelSearch(kernels=["gaussian", "laplacian"], params={"C": [0.1, 1.0, 10.0]})
model = certified_fit(search, X, y, random_state=0, checks=True)

document = report.build(model, X, y, title="Two moons", feature_names=["east", "north"])
for name in ("report.html", "report.md", "report.json"):
    path = report.write(document, folder / name)
    print(f"{path}  {path.stat().st_size / 1000:.0f} kB")
print(document["sections"]["certificate"]["sentence"])
print(f"the truth is {law.risk(model.predict, n=50_000):.2%}")
for section, reason in document["absent"].items():
    print(f"not shown: {section}, {reason['why']}")
