"""Certificates measured: python -m benchmarks.certificates."""
