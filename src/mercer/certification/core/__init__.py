"""The work of every mode: rows, order, losses, the task, the record."""
