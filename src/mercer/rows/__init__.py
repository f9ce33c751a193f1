"""Rows that need not fit into memory: where they are, what part each plays, what they look like."""

from mercer.rows.marks import Split, marks_of_groups, marks_of_places
from mercer.rows.partition import Partition
from mercer.rows.sketch import ColumnSketch, RowSketch

__all__ = [
    "ColumnSketch",
    "Partition",
    "RowSketch",
    "Split",
    "marks_of_groups",
    "marks_of_places",
]
