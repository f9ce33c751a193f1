"""Perceptrons, primal and dual, and what their mistakes say."""
