"""Relevance vectors: regression and classification."""
