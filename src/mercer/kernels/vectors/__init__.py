"""Kernels between vectors of numbers: radial, polynomial, histograms, columns of a mixed table."""
