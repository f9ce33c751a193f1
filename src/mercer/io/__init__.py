"""Files in and out: readers of data, tables, the run record and the safe model file."""
