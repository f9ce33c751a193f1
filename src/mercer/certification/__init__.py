"""Certificates for any model: spend rows, count, and say what was assumed."""
