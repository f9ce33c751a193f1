"""Kernels between sets, graphs and models, and those made from a distance, features, a function or a matrix."""
