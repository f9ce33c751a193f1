"""Models that a mode makes out of models, and that answer themselves."""
