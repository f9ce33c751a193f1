"""Leave-one-out residuals of a fitted kernel ridge, in closed form."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from mercer.learners.regression._ridge_fitted import RidgeFitted

Floats = NDArray[np.float64]


class LeaveOneOut:
    """Mixin: ``loo_residuals_``, ``loo_predictions_``, ``loo_score_``, kept once computed."""

    fitted_: RidgeFitted

    @property
    def loo_residuals_(self) -> Floats:
        """y_i minus the prediction at x_i of the model trained without row i; nan at weight 0."""
        check_is_fitted(self)
        return self.fitted_.like_target(self.fitted_.left_out)

    @property
    def loo_predictions_(self) -> Floats:
        """Prediction at x_i of the model trained without row i; nan for rows of weight zero."""
        check_is_fitted(self)
        return self.fitted_.like_target(self.fitted_.target - self.fitted_.left_out)

    @property
    def stability_(self) -> dict[str, float]:
        """How much one row matters.

        ``"largest_change"`` and ``"mean_change"`` are exact: |f(x_i) − f_{−i}(x_i)| over the rows.
        ``"uniform"``, for a kernel with known sup k(x, x) = κ² and without an offset, is κ²/(2α):
        times the slope of a loss it bounds the change of that loss at any point when any row is
        taken away (Bousquet and Elisseeff 2002, theorem 22, whose λm is α).
        """
        check_is_fitted(self)
        fitted = self.fitted_
        change = np.abs(fitted.left_out - fitted.training_residuals())
        found = {
            "largest_change": float(np.max(change)),
            "mean_change": float(np.mean(change)),
        }
        radius = fitted.kernel.known_radius(fitted.diagonal)
        if radius is not None and not fitted.fit_intercept:
            found["uniform"] = radius**2 / (2.0 * float(np.min(fitted.alpha)))
        return found

    @property
    def loo_score_(self) -> float:
        """Minus the mean squared leave-one-out residual, so that larger is better."""
        check_is_fitted(self)
        return -float(np.mean(self.fitted_.left_out_mean_square()))
