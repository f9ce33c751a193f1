"""Which constructor arguments of the learners without labels make sense."""

from __future__ import annotations

from mercer.learners._kernel_rules import KERNEL_RULES
from mercer.learners._parameters import (
    Rule,
    flag,
    non_negative,
    none_or,
    one_of,
    positive,
    positive_whole,
)
from mercer.learners.spectral._pieces import POLICIES
from mercer.learners.spectral.graphs import KINDS as GRAPHS
from mercer.learners.spectral.graphs import WEIGHTS
from mercer.learners.spectral.laplacians import KINDS as LAPLACIANS


def or_word(word: str, rule: Rule) -> Rule:
    """Rule: this word, or what keeps the other rule."""
    test, wanted = rule

    def holds(value: object) -> bool:
        return value == word if isinstance(value, str) else test(value)

    return holds, f"{word!r} or {wanted}"


SPECTRAL_RULES: dict[str, Rule] = KERNEL_RULES | {
    **dict.fromkeys(
        (
            "n_clusters",
            "n_components",
            "n_neighbors",
            "n_landmarks",
            "n_init",
            "max_iter",
            "max_clusters",
            "block",
        ),
        positive_whole,
    ),
    **dict.fromkeys(("refine", "variable", "whiten", "center"), flag),
    "graph": one_of(*GRAPHS),
    "weights": one_of(*WEIGHTS),
    "radius": none_or(positive),
    "disconnected": one_of(*POLICIES),
    "empty": one_of("move", "drop", "error"),
    "laplacian": one_of(*LAPLACIANS),
    "inverse_alpha": non_negative,
    "t": non_negative,
    "length_scale": or_word("auto", positive),
    "density_exponent": (lambda v: non_negative[0](v) and v <= 1, "a number in [0, 1]"),
    "cutoff": positive,
}
