"""The ten lines of README: a support vector machine that says how wrong it can be."""

from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import SVC, certified_fit, datasets

data = datasets.load_breast_cancer()
pipeline = make_pipeline(StandardScaler(), SVC(C=1.0, gamma="scale"))  # as in scikit-learn
model = certified_fit(pipeline, data.X, data.y, random_state=0)
print(model.certificate_)  # the statement
print(model.certification_)  # what it was paid with
print(model[-1].diagnostics_)  # primal, dual, gap, margins, the state of every point
