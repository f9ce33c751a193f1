"""Which constructor arguments of the Bayesian learners make sense; a name means the same in all."""

from __future__ import annotations

from collections.abc import Mapping

from mercer.learners._parameters import (
    Rule,
    flag,
    non_negative,
    none_or,
    one_of,
    positive,
    positive_whole,
    whole,
)
from mercer.learners.bayes.gp.links import LINKS

OPTIMIZERS = ("staged", "fmin_l_bfgs_b")
non_negative_whole: Rule = (whole(0), "a non-negative whole number")

BAYES_RULES: dict[str, Rule] = {
    "kernel": (lambda _: True, "a kernel"),  # `kernel_meant` says what is wrong with it
    "bounds": (
        lambda v: v is None or isinstance(v, Mapping),
        "None or a dict from the name of a parameter to its (low, high)",
    ),
    "optimizer": (
        lambda v: v is None or callable(v) or (isinstance(v, str) and v in OPTIMIZERS),
        f"one of {OPTIMIZERS}, None or a function",
    ),
    "n_restarts_optimizer": non_negative_whole,
    "dtype": one_of("float64", "float32"),
    "link": one_of(*LINKS),
    "beta": positive,
    "latent_noise": (non_negative[0], "a variance: a non-negative number"),
    "inference": one_of("laplace", "mcmc"),
    "multi_class": (
        lambda v: isinstance(v, str) and v in ("one_vs_rest", "one_vs_one", "softmax"),
        "'one_vs_rest', 'one_vs_one' or 'softmax'",
    ),
    "n_samples": positive_whole,
    "burn_in": non_negative_whole,
    "n_chains": positive_whole,
    "max_iter_predict": positive_whole,
    "normalize_y": flag,
    "relevance_rate": non_negative,
    "n_targets": none_or(positive_whole),
    "reg_param": non_negative,
    "strategy": one_of("point", "bayes", "gibbs"),
    "init": one_of("svm", "perceptron"),
    "n_inducing": positive_whole,
    "subset": (whole(2), "a whole number of at least 2"),
    "refine": non_negative_whole,
    "update": one_of("fast", "em"),
    "max_iter": (
        lambda v: whole(-1)(v) and v != 0,
        "-1 (the solver's own limit) or a positive whole number",
    ),
}
