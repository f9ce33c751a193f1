"""Where Mercer answers scikit-learn's own SVM tests differently, and why.

Keys are tests of scikit-learn's ``svm/tests``. The reasons are the very sentences of
docs/differences-from-scikit-learn.md; a test compares the two.
"""

# Tests of code that Mercer does not replace: LinearSVC, LinearSVR, LIBLINEAR's parameters.
OUTSIDE = {
    "test_svm": [
        "test_linearsvr",
        "test_linearsvr_fit_sampleweight",
        "test_linearsvc_parameters",
        "test_linearsvc",
        "test_linearsvc_crammer_singer",
        "test_linearsvc_fit_sampleweight",
        "test_crammer_singer_binary",
        "test_linearsvc_iris",
        "test_dense_liblinear_intercept_handling",
        "test_liblinear_set_coef",
        "test_linearsvc_verbose",
        "test_linear_svm_convergence_warnings",
        "test_lsvc_intercept_scaling_zero",
        "test_linearsvm_liblinear_sample_weight",
        "test_dual_auto",
        "test_dual_auto_edge_cases",
    ],
    "test_sparse": [
        "test_linearsvc",
        "test_linearsvc_iris",
        "test_sparse_liblinear_intercept_handling",
    ],
}

# Tests that pass once the solver is asked for more digits and the comparison for fewer.
PATHS = (
    "Dense and sparse data give the same machine to within tol. LIBSVM walks the same path on "
    "both; Mercer uses different code for them, whose rounding differs, and so may stop at another "
    "point within the tolerance. These tests ask for equality to seven digits at the default tol; "
    "they pass with tol=1e-7 and four digits (and labels of points on the very boundary, whose "
    "output is zero but for rounding, not compared)."
)
TIGHTER = {
    "test_svm": {},
    "test_sparse": dict.fromkeys(["test_svc", "test_svc_iris", "test_sparse_oneclasssvm"], PATHS),
}

EARLY = (
    "Mercer chooses working sets differently and solves the six-point toy problem of these tests "
    "within the iterations allowed, so there is nothing to warn about."
)

DIFFERENT: dict[str, dict[str, str]] = {
    "test_svm": {
        "test_svr_errors": (
            "A callable kernel that returns a matrix of the wrong shape is refused by fit; "
            "scikit-learn only notices in predict."
        ),
        "test_libsvm_convergence_warnings": EARLY,
        "test_probability_raises_futurewarning": (
            "probability is not deprecated: Mercer's probabilities agree with predict and do not "
            "depend on a global random state, which are the reasons for its removal there."
        ),
        "test_svc_nusvc_probA_probB_deprecated": (
            "There are no probA_ and probB_: Mercer does not use Platt's sigmoid."
        ),
    },
    "test_sparse": {
        "test_timeout": EARLY,
    },
}
