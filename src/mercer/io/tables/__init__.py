"""Mixed tables: preparation of columns and the estimator that learns from raw values."""

from mercer.io.tables.machine import TableMachine
from mercer.io.tables.preparation import TablePreparation

__all__ = ["TableMachine", "TablePreparation"]
