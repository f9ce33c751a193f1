"""Learning without labels, beside scikit-learn and pydiffmap."""
