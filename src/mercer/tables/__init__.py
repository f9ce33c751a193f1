"""Mixed tables: preparation of columns and the estimator that learns from raw values."""

from mercer.tables.machine import TableMachine
from mercer.tables.preparation import TablePreparation

__all__ = ["TableMachine", "TablePreparation"]
