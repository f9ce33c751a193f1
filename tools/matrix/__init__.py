"""What every learner can do, found by trying it."""
