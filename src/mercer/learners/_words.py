"""What many learners say of a parameter or attribute in the same words, written once.

A line ``tol; max_iter : …`` in the docstring of a learner stands for these entries, in this order;
they are put in when the class is made, so ``help`` and the pages show all of them.
"""

from __future__ import annotations

import re
from textwrap import indent

_LINE = re.compile(r"^([ ]*)(\w[\w, ;]*) : …$", re.MULTILINE)
_ENTRY = re.compile(r"\n(?=\S)")

TEXT = """\
cache_size : float or "auto", default="auto"
    Megabytes for rows of the kernel matrix. "auto" takes memory while rows prove to be used
    again, up to 1,000 or a quarter of the memory limit.
certificate_ : Certificate or None
    The certificate declared in advance.
certificates_, not_applicable_ : dict
    Every bound and estimate that applies, each at its own ``delta``; reasons of the others.
certify : {"in-sample"} or None, default="in-sample"
    Whether the model publishes certificates, see :class:`mercer.SVC`.
classes_ : ndarray of shape (n_classes,)
    The class labels.
coef0 : float, default=0.0
    Constant term of "poly" and "sigmoid".
coef_ : ndarray or CSR
    Weights of the features, for the linear kernel only (read-only).
degree : int, default=3
    Degree of the "poly" kernel.
degree, coef0 : float
    Of the polynomial and sigmoid kernels.
delta : float, default=0.05
    Probability with which the certificate may be wrong.
diagnostics_ : Diagnostics
    Primal, dual and gap, margins, norms, and the state of every training point.
evidence_ : Evidence
    What the model publishes about itself; all that a bound sees.
evidence_, certificate_, certificates_, not_applicable_
    What the model publishes about itself, and what bounds make of it.
feature_names_in_ : ndarray of str
    Names of the features, if the data had string column names.
fit_intercept : bool, default=True
    Whether there is an offset, which costs nothing.
fit_status_ : int
    0 if the tolerance was reached, 1 otherwise (then there was a warning).
gamma : float, "scale", "auto" or None, default="scale"
    Of the named kernels; None is one over the number of columns.
kernel : str, Kernel or callable, default="rbf"
    As in ``mercer.KernelRidge``.
kernel, gamma, degree, coef0
    As in :class:`mercer.SVC`.
kernel_ : Kernel
    The kernel with all its parameters as numbers.
landmarks_ : ndarray
    The rows that new ones are compared with.
max_iter : int, default=-1
    Limit on iterations of the solver; -1 for 10,000 a row and at least 10,000,000.
n_features_in_ : int
    Number of features seen during ``fit``.
n_jobs : int or None, default=None
    Threads; None uses what ``mercer.set_config`` says (all cores), -1 all cores.
random_state : int, generator or None, default=None
    Start of the iterative eigen-solver.
rank_ : int
    Coordinates that were left after whitening.
shape_fit_ : tuple
    Shape of the training data.
shrinking : bool, default=True
    Accepted for compatibility; the solver decides by itself and the optimum is the same.
solution_, solutions_ : Solution, list of Solution
    What the solver returned: coefficients, objective, optimality gap, why it stopped.
support_vectors_ : ndarray or CSR of shape (n_SV, n_features)
    The support vectors; empty for a precomputed kernel.
time_limit : float or None, default=None
    Seconds after which the best solution so far is kept, with a ``ConvergenceWarning``.
tol : float, default=1e-3
    The solver stops when no optimality condition is violated by more (LIBSVM's units).
verbose : bool, default=False
    Draw a progress line on standard error.
"""

WORDS = {entry.split("\n")[0].split(" : ")[0]: entry for entry in _ENTRY.split(TEXT.strip())}


def spelled_out(text: str) -> str:
    """A docstring with the entries that it only names.

    Raises
    ------
    KeyError
        For a name that has no words here.
    """
    return _LINE.sub(_entries, text)


def _entries(found: re.Match[str]) -> str:
    entries = "\n".join(WORDS[name] for name in found[2].split("; "))
    return indent(entries, found[1])
