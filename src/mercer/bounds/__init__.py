"""Bounds: evidence in, certificates out. Every file here that defines a `Bound` is a plug-in."""
