"""Kernels between strings, sequences and series, and the encodings they share."""
