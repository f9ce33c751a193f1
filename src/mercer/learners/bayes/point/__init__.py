"""Bayes points: the centre of the version space, by playing billiards in it."""
