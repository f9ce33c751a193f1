"""Ten lines: change one import, keep your pipeline, and see inside the machine."""

from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import SVC, datasets

data = datasets.load_breast_cancer()
model = make_pipeline(StandardScaler(), SVC(C=1.0, gamma="scale"))
print(cross_val_score(model, data.X, data.y).mean())  # about 0.97
model.fit(data.X, data.y)
print(model[-1].diagnostics_)  # primal, dual, gap, margins, the state of every point
