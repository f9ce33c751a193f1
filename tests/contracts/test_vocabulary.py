"""One word per idea in the constructors of all learners: the table "One vocabulary" is kept."""

import importlib
import inspect
import pkgutil
import re
from pathlib import Path
from types import FunctionType

import pytest
from sklearn.utils import all_estimators

import mercer
from mercer import SVC, KernelSearch, learners
from mercer.certification import Certified

WORDS = Path(__file__).parents[2] / "docs" / "conventions.md"
CLASSES = [*learners.available().values(), KernelSearch, Certified]
LEARNERS = list(learners.available().values())

# Words of former days and British spellings, each with the word that is meant instead.
INSTEAD = {
    "regularisation": "reg_param",
    "soft": "reg_param",
    "lam": "reg_param",
    "penalty": "C, alpha or reg_param",
    "sigma": "length_scale",
    "width": "length_scale",
    "widths": "length_scales",
    "route": "solver",
    "scheme": "method",
    "assign": "assign_labels",
    "max_epochs": "max_iter",
    "max_bounces": "max_iter",
    "start": "init or coef_init",
    "landmarks": "n_landmarks",
    "params": "param_grid",
    "seed": "random_state",
    "energy_": "inertia_",
    "gap_": "dual_gap_",
    "log_evidence_": "log_marginal_likelihood_value_",
    "evidence_path_": "log_marginal_likelihood_path_",
    "evidence_bound_": "elbo_",
}
BRITISH = re.compile(r"is(e|ed|ing|ation)(_|$)|centre|neighbour|colour")
BRITISH_NAME = re.compile(
    r"is(e|ed|er|ing|ation)(?![a-z])|[cC]entre|[nN]eighbour|[cC]olour|[uU]nlabelled|[mM]odelled"
)
ENGLISH = re.compile(r"[nN]oise|[pP]recise|[wW]ise|[rR]aise|[rR]ise|[pP]romise|[aA]dvise")
# What a word's default is, wherever it is an argument with one.
NO_LIMIT = ("Isomap", "KernelPCA")  # scikit-learn's have None
DEFAULTS = {
    "C": (1.0,),
    "certify": ("in-sample",),
    "delta": (0.05,),
    "random_state": (None,),
    "n_jobs": (None,),
    "verbose": (False,),
    "warm_start": (False,),
    "time_limit": (None,),
    "cache_size": ("auto",),
    "shrinking": (True,),
    "nu": (0.5,),
    "gamma": ("scale", None, 1.0),  # what scikit-learn's class of the name has
    "metric": ("euclidean", "minkowski"),  # the same distance, where scikit-learn says it so
    "class_weight": (None,),
}


def arguments(cls):
    signature = inspect.signature(cls.__init__)
    return {name: p for name, p in signature.parameters.items() if name != "self"}


def table():
    """The words of the table in docs/conventions.md: the code in its first column."""
    text = WORDS.read_text().partition("## One vocabulary")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    return {word for row in rows for word in re.findall(r"`(\w+)`", row)}


def test_every_argument_is_a_word_of_the_table_and_every_word_is_used():
    used = {name for cls in LEARNERS for name in arguments(cls)}
    assert used <= table(), f"not in docs/conventions.md: {sorted(used - table())}"
    attributes = {word for word in table() if word.endswith("_")}
    assert table() - attributes - used <= {"param_grid"}


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_no_word_of_former_days_and_no_british_spelling(cls):
    found = {word for word in documented(cls) if word.endswith("_")}
    for word in [cls.__name__, *arguments(cls), *found]:
        assert word not in INSTEAD, f"{word}: say {INSTEAD[word]}"
        assert ENGLISH.search(word) or not BRITISH.search(word), word


def public_names():
    """Modules, classes and functions that a user reaches by dots; of the command's floors none."""
    for module in pkgutil.walk_packages(mercer.__path__, "mercer."):
        path = module.name.split(".")
        if path[1] in ("app", "cli", "io", "lab") or any(part.startswith("_") for part in path):
            continue
        yield module.name, path[-1]
        for name, value in vars(importlib.import_module(module.name)).items():
            own = getattr(value, "__module__", None) == module.name
            if own and not name.startswith("_") and isinstance(value, (type, FunctionType)):
                yield f"{module.name}.{name}", name


def test_no_public_name_has_a_british_spelling():
    found = [place for place, name in public_names() if BRITISH_NAME.search(name)]
    assert not [place for place in found if not ENGLISH.search(place.rpartition(".")[2])]


@pytest.mark.parametrize("cls", LEARNERS, ids=lambda cls: cls.__name__)
def test_a_word_has_the_same_default_everywhere(cls):
    for name, argument in arguments(cls).items():
        if name in DEFAULTS and argument.default is not inspect.Parameter.empty:
            assert argument.default in DEFAULTS[name], name
        limits = name in ("max_iter", "max_iter_predict")  # a number, -1 for no limit
        if limits and cls.__name__ not in NO_LIMIT:
            assert isinstance(argument.default, int), name
            assert argument.default >= -1


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_every_argument_is_explained(cls):
    missing = set(arguments(cls)) - documented(cls)
    assert not missing, f"the docstring of {cls.__name__} does not explain {sorted(missing)}"


def documented(cls):
    """Names that head an entry of the docstring's lists of arguments and attributes."""
    heads, inside = [], False
    for line in inspect.cleandoc(cls.__doc__).splitlines():
        if line in ("Parameters", "Attributes", "References", "Examples", "Notes"):
            inside = line in ("Parameters", "Attributes")
        elif inside and line[:1].isidentifier():
            heads.append(line.partition(" :")[0])
    return {name for head in heads for name in re.findall(r"\w+", head)}


# Where a class has a name of scikit-learn's, these differ from it; each has a line in
# docs/differences-from-scikit-learn.md.
OTHER_DEFAULTS = {
    "cache_size": ("auto", 200),
    "probability": (False, "deprecated"),
    "Perceptron.max_iter": (50, 1000),
    "Perceptron.random_state": (None, 0),
}
NOT_TAKEN = {
    "Perceptron": "penalty alpha l1_ratio tol shuffle verbose eta0 n_jobs early_stopping "
    "validation_fraction n_iter_no_change class_weight warm_start"
}
THEIRS = dict(all_estimators())
NAMESAKES = [cls for cls in LEARNERS if cls.__name__ in THEIRS]


@pytest.mark.parametrize("cls", NAMESAKES, ids=lambda cls: cls.__name__)
def test_a_class_of_scikit_learns_name_has_its_arguments_places_and_defaults(cls):
    name, ours, theirs = cls.__name__, arguments(cls), arguments(THEIRS[cls.__name__])
    assert not {*theirs} - {*ours} - {*NOT_TAKEN.get(name, "").split()}
    differ = {}
    for word in ours.keys() & theirs.keys():
        here, there = ours[word].default, theirs[word].default
        if here is not there and here != there:
            differ[word] = (here, there)
    for word, pair in differ.items():
        assert pair == OTHER_DEFAULTS.get(f"{name}.{word}", OTHER_DEFAULTS.get(word)), word
    by_place = [
        [w for w, p in found.items() if p.kind is p.POSITIONAL_OR_KEYWORD]
        for found in (ours, theirs)
    ]
    assert by_place[0][: len(by_place[1])] == by_place[1]


def test_the_namesakes_are_those_we_know_of():
    assert len(NAMESAKES) >= 16  # ClassicalMDS came with scikit-learn 1.8


def test_the_search_is_called_as_grid_search_is():
    search = KernelSearch(SVC(), {"C": [1.0]})
    assert search.param_grid == {"C": [1.0]}
    assert arguments(KernelSearch)["random_state"].default is None
