"""Kernels between sets, graphs and models, and those made from distances, features or functions."""
