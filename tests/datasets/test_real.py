import numpy as np
import pytest

from mercer import datasets

SHAPES = {
    "iris": (150, 4, 3),
    "wine": (178, 13, 3),
    "breast_cancer": (569, 30, 2),
    "digits": (1797, 64, 10),
    "penguins": (342, 4, 3),
}


@pytest.mark.parametrize("name", SHAPES)
def test_tables_are_complete(name):
    table = getattr(datasets, f"load_{name}")()
    rows, columns, classes = SHAPES[name]
    assert table.X.shape == (rows, columns)
    assert len(table.feature_names) == columns
    assert len(table.class_names) == classes
    assert np.isfinite(table.X).all()
    assert set(table.y) == set(range(classes))
    assert table.source


def test_penguins_left_out_are_listed_with_the_reason():
    """344 birds in the file: numbers 4 and 272 were never measured."""
    table = datasets.load_penguins()
    assert len(table.X) + len(table.left_out) == 344
    assert set(table.left_out) == {4, 272}
    assert all("bill_length_mm" in reason for reason in table.left_out.values())
    np.testing.assert_allclose(table.X[0], [39.1, 18.7, 181.0, 3750.0])
    assert table.class_names == ("Adelie", "Chinstrap", "Gentoo")
    np.testing.assert_array_equal(np.bincount(table.y), [151, 68, 123])


def test_binary_labels():
    table = datasets.load_penguins()
    labels = table.binary("Gentoo")
    assert labels.sum() == 123 - (342 - 123)
    with pytest.raises(ValueError, match="Emperor"):
        table.binary("Emperor")
