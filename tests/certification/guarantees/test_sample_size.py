"""The calculators: exact at their edges."""

import pytest

from mercer.bounds.numerics import clopper_upper
from mercer.certification.guarantees import sample_size


def test_edges():
    assert sample_size.rows_for_coverage(0.9) == 29
    assert sample_size.rows_for_coverage(0.9, slack=0.05) == 89
    assert sample_size.rows_for_target_error(0.01) == 299
    wide = sample_size.rows_for_coverage(0.9, slack=0.05)
    assert 29 < wide < sample_size.rows_for_coverage(0.9, slack=0.02)
    rows = sample_size.rows_for_limit(0.05, expected=0.02)
    assert clopper_upper(-(-2 * rows // 100), rows, 0.05) <= 0.05
    assert 150 < rows < 250
    assert sample_size.rows_for_limit(0.8, expected=0.9) < 100
    assert 150 < sample_size.rows_for_gain(0.04, 0.01) < 500


def test_bad_input():
    with pytest.raises(ValueError, match="no gain"):
        sample_size.rows_for_gain(0.1, 0.1)
    with pytest.raises(ValueError, match="very rate"):
        sample_size.rows_for_limit(0.1, expected=0.1)
    with pytest.raises(ValueError, match="coverage must be"):
        sample_size.rows_for_coverage(1.0)
