"""One page to send: a certified model as HTML, Markdown and JSON, in the folder given."""

import sys
from pathlib import Path

from mercer import KernelSearch, certified_fit, datasets, report

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
birds = datasets.load_penguins()
X = birds.X[:, :2]  # two columns, so that the decision can be drawn as it is
search = KernelSearch(kernels=["gaussian", "laplacian"], param_grid={"C": [0.1, 1.0, 10.0]})
model = certified_fit(search, X, birds.y, random_state=0, checks=True)

document = report.build(
    model,
    X,
    birds.y,
    title="Penguins by their bills",
    feature_names=birds.feature_names[:2],
    class_names=birds.class_names,
)
for name in ("report.html", "report.md", "report.json"):
    path = report.write(document, folder / name)
    print(f"{path}  {path.stat().st_size / 1000:.0f} kB")
print(document["sections"]["certificate"]["sentence"])
for section, reason in document["absent"].items():
    print(f"not shown: {section}, {reason['why']}")
