"""Kernels made of kernels: sums, products, powers, centred, on chosen columns."""
