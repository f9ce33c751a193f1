"""Kernel ridge and logistic classification beside scikit-learn."""
