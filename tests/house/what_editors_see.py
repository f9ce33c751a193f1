"""What an editor completes after a fit. mypy reads this file and nothing runs it.

A return type that becomes ``Any`` on its way (by a decorator without types, say) completes nothing;
``assert_type`` then makes ``make check`` fail.
"""

from typing import Any, assert_type

import mercer
from mercer.bounds import Certificate, Evidence
from mercer.certification import Certification, Certified


def after_a_fit(X: Any, y: Any) -> None:
    """Every door ends in a certificate that is known to be one."""
    machine = mercer.SVC().fit(X, y)
    assert_type(machine, mercer.SVC)
    assert_type(machine.certificate_, Certificate | None)
    assert_type(machine.certificates_, dict[str, Certificate])
    assert_type(machine.evidence_, Evidence)
    assert_type(mercer.KernelRidge().fit(X, y).certificate_, Certificate | None)
    assert_type(mercer.GaussianProcessClassifier().fit(X, y).certificate_, Certificate | None)
    assert_type(mercer.OneClassSVM().fit(X), mercer.OneClassSVM)
    model = mercer.certified_fit(mercer.SVC(), X, y)
    assert_type(model, Certified)
    assert_type(model.certificate_, Certificate | None)
    assert_type(model.certification_, Certification)
    assert_type(mercer.Certified(mercer.SVC()).fit(X, y).certificate_, Certificate | None)
    assert_type(mercer.fit("table.csv", target="y").certificate_, Certificate | None)
    assert_type(mercer.certify(model, X, y), Certificate)
