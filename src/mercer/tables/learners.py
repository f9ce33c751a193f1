"""Which learner and which kernels a name on the command line stands for."""

from __future__ import annotations

from typing import Any

from sklearn.utils import get_tags

from mercer import learners
from mercer._types import Samples
from mercer.errors import UserError
from mercer.kernels import Kernel, available
from mercer.kernels.vectors.columns import Columns

SHORT = {
    ("svm", "classification"): "SVC",
    ("svm", "regression"): "SVR",
    ("nu-svm", "classification"): "NuSVC",
    ("nu-svm", "regression"): "NuSVR",
}
COMPETING = ("auto", "kernel", "linear", "boosting", "lightgbm", "forest", "trees")
TRIAL_GRID = {"C": [1.0, 10.0]}
TRIAL_WIDTHS = (0.5, 1.0, 2.0)
WIDTHS = (0.7, 2.0)
MANY_SYMBOLS = 30  # beyond letters of DNA and proteins, replacing symbols is slow and says little
MANY_BLOCKS = 25  # beyond this one kernel per column is slow and rarely better
MANY_COLUMNS = 100  # from which on a linear kernel is worth its time beside a wide Gaussian


def learner(name: str, task: str) -> Any:
    """A new estimator: a support vector machine, or what a kernel learner's name stands for."""
    from difflib import get_close_matches

    wanted = SHORT.get(("svm" if name in COMPETING else name, task), name)
    known = {_plain(spelled): spelled for spelled in learners_for(task)}
    if _plain(wanted) in known:
        return learners.available()[known[_plain(wanted)]]()
    others = {_plain(spelled) for spelled in learners.available()}
    if _plain(wanted) in others:
        raise UserError(
            f"the learner '{name}' is not for a table's {task} with a kernel to search.",
            f"Use it from Python, or one of svm, nu-svm, {', '.join(sorted(known.values()))}.",
        )
    near = get_close_matches(_plain(wanted), known, 1)
    hint = f"Did you mean {known[near[0]]}? " if near else ""
    raise UserError(
        f"there is no learner '{name}' for {task}.",
        f"{hint}There are svm, nu-svm, {', '.join(sorted(known.values()))}.",
    )


def learners_for(task: str) -> list[str]:
    """Names of the learners of a task whose kernel can be searched."""
    kind = "classifier" if task == "classification" else "regressor"
    return [
        name
        for name, learner in learners.available().items()
        if get_tags(learner()).estimator_type == kind and hasattr(learner(), "kernel")
    ]


def _plain(name: str) -> str:
    """``KernelLogistic``, ``kernel-logistic`` and ``kernel_logistic`` are one name."""
    return name.lower().replace("-", "").replace("_", "")


def candidates(
    name: str, combine: str, blocks: list[list[int]] | None, quick_linear: bool = True
) -> list[Any]:
    """Kernels to search.

    A Gaussian kernel on all coordinates is the product of one Gaussian per column, so "product"
    needs no kernel of its own. A wide Gaussian is nearly linear and much quicker to train, so the
    linear kernel itself is tried only where that is quick, or where there are many columns.
    """
    if name != "auto":
        return [parse_kernel(part) for part in name.split("+")]
    found: list[Any] = []
    if combine in ("auto", "product"):
        found += ["gaussian"]
        if quick_linear or (blocks is not None and len(blocks) >= MANY_COLUMNS):
            found.append("linear")
    several = blocks is not None and 1 < len(blocks) <= MANY_BLOCKS
    if several and combine in ("auto", "sum", "anova"):
        for way in ("sum", "anova") if combine == "auto" else (combine,):
            found += [Columns(blocks, way, width) for width in WIDTHS]
    return found or ["gaussian"]


def trial_kernels(Z: Samples) -> list[Any]:
    """A few Gaussians around the typical distance."""
    from mercer.kernels.bandwidth import median_distance
    from mercer.kernels.vectors.gaussian import Gaussian

    typical = median_distance(Z)
    return [Gaussian(length_scale=float(typical * width)) for width in TRIAL_WIDTHS]


def parse_kernel(text: str) -> Any:
    """``gaussian``, or ``matern:nu=1.5,length_scale=2`` with parameters, as a name or a kernel."""
    name, _, rest = text.strip().partition(":")
    known = available()
    aliases = {"rbf": "gaussian", "poly": "polynomial"}
    plain = aliases.get(name.lower(), name.lower().replace("-", "_"))
    if plain not in known:
        from difflib import get_close_matches

        near = get_close_matches(plain, known, 1)
        hint = f"Did you mean {near[0]}? " if near else ""
        raise UserError(f"there is no kernel '{name}'.", f"{hint}There are {', '.join(known)}.")
    if not rest:
        return plain
    settings = dict(_setting(part, text) for part in rest.split(","))
    try:
        kernel: Kernel = known[plain](**settings)
    except TypeError as problem:
        raise UserError(f"the kernel '{text}' cannot be made: {problem}.") from None
    return kernel


def _setting(part: str, text: str) -> tuple[str, Any]:
    key, equals, value = part.partition("=")
    if not equals:
        raise UserError(
            f"'{part}' in the kernel '{text}' is not name=value.", "Write gaussian:length_scale=2."
        )
    for kind in (int, float):
        try:
            return key.strip(), kind(value)
        except ValueError:
            continue
    return key.strip(), value.strip()


def kernels_for_strings(name: str, sequences: Any) -> list[Any]:
    """Kernels to search: those named by the user, or what is quick on these sequences."""
    return string_kernels(sequences) if name == "auto" else asked_for_strings(name)


def asked_for_strings(name: str) -> list[Any]:
    """Kernels named by the user, for strings."""
    known = available()
    found = [parse_kernel(part) for part in name.split("+")]
    for one in found:
        kernel = known[one] if isinstance(one, str) else type(one)
        if isinstance(kernel.accepts, frozenset) and "strings" not in kernel.accepts:
            fit = [k for k, v in known.items()
                   if isinstance(v.accepts, frozenset) and "strings" in v.accepts]  # fmt: skip
            raise UserError(
                f"the kernel {kernel.__name__} does not compare strings.",
                f"For these data there are {', '.join(sorted(fit))}.",
            )
    return found


def string_kernels(sequences: Any) -> list[Any]:
    """Kernels for strings whose work grows linearly with the data; the others are for the asking.

    Short and long substrings, inexact ones, and words. Strings of one length are likely to be cut
    around a common point: then also substrings at their place.
    """
    from mercer.kernels.sequences.bag_of_words import BagOfWords
    from mercer.kernels.sequences.mismatch import Mismatch
    from mercer.kernels.sequences.spectrum import Spectrum, Substring
    from mercer.kernels.sequences.weighted_degree import WeightedDegree

    found = [Spectrum(length) for length in (2, 3, 4, 6)]
    found.append(Substring(5, decay=1.5))
    if len(set().union(*sequences)) <= MANY_SYMBOLS:
        found.append(Mismatch(4, 1))
    if any(" " in text for text in sequences):
        found.append(BagOfWords(weights="idf"))
    if len({len(text) for text in sequences}) == 1 and len(sequences[0]) > 1:
        found += [WeightedDegree(3), WeightedDegree(8), WeightedDegree(5, shift=2)]
    return found
