"""Estimators, grouped as a reader of the texts would look for them."""
