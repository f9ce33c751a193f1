"""Limits of metrics and intervals beside those of other tools, on the same draws."""
