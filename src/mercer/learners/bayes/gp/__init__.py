"""Gaussian processes: regression, classification, inducing points."""
