"""Mixed tables: preparation of columns and the estimator that learns from raw values."""

from mercer.tables.machine import TableMachine
from mercer.tables.preparation import TablePreparation
from mercer.tables.schema import Schema

__all__ = ["Schema", "TableMachine", "TablePreparation"]
