"""The parts of a report, one per file; found by discovery, ordered by their ``order``."""
