"""The guarantees people ask for, one file each: sets, metrics, thresholds, comparisons, a watch."""
