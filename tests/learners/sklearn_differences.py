"""Where Mercer answers scikit-learn's own SVM tests differently, and why.

Each entry is a test of scikit-learn's ``svm/tests``; the reason also stands in
docs/differences-from-scikit-learn.md (a test compares the two). "outside" are tests of
code that Mercer does not replace: LinearSVC, LinearSVR, and LIBSVM's own low-level interface.
"""

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

DIFFERENT: dict[str, dict[str, str]] = {"test_svm": {}, "test_sparse": {}}
