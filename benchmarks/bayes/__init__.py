"""Bayesian machines beside their peers: time, evidence and memory."""
