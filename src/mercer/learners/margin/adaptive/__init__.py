"""Adaptive margins: leave-one-out machines as linear programmes."""
