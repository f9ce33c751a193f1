"""``mercer bound``: every bound can be calculated from the command line alone."""

import json
import shlex

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers_cli import mercer
from mercer.bounds import NotApplicable, available
from mercer.cli._bound_evidence import make_evidence
from mercer.cli._bound_set import read_settings, read_value, written
from mercer.cli._bound_show import arguments
from mercer.errors import UserError


def options(words):
    """``--n 5 --set a=1`` as the command passes it on."""
    given = {"more": [], "n": None}
    for name, value in zip(words[::2], words[1::2], strict=True):
        if name == "--set":
            given["more"].append(value)
        else:
            given[name.removeprefix("--")] = float(value) if name != "--n" else int(value)
    return given | {"more": read_settings(given["more"])}


@pytest.mark.parametrize("code", available())
def test_every_example_can_be_typed(code):
    bound = available()[code]
    for evidence in bound.examples():
        typed = make_evidence(bound, options(arguments(evidence)))
        assert typed == evidence


@pytest.mark.parametrize("code", available())
def test_what_show_prints_can_be_run_and_gives_its_value(code):
    shown = json.loads(mercer("bound", "show", code, "--json").out)
    assert shown["formula"]
    assert shown["assumptions"]
    assert set(shown["needs"]) == set(available()[code].needs)
    ran = mercer(*shlex.split(shown["example"])[1:], "--json")
    assert ran.code == 0, ran.err
    value = json.loads(ran.out)["certificate"]["value"]
    assert value == pytest.approx(shown["value"], rel=1e-12)
    for evidence in available()[code].examples():  # one of the bound's own
        try:
            wanted = available()[code]().evaluate(evidence, 0.05).value
        except NotApplicable:
            continue
        if wanted == pytest.approx(value, rel=1e-12):
            return
    raise AssertionError(f"{shown['example']} is none of the examples of {code}")


def test_the_page_names_formula_assumptions_inputs_and_constants():
    page = mercer("bound", "show", "catoni").out
    for part in ("Catoni 2007", "assumes", "posterior.kl", "--error --kl", "--param c=1.0",
                 "example   mercer bound catoni --n"):  # fmt: skip
        assert part in page
    assert mercer("bound", "show").code == 2
    assert "Did you mean catoni" in mercer("bound", "show", "catony").err
    assert mercer("bound", "vc", "vc").code == 2


def test_list_is_what_no_code_gives():
    assert mercer("bound", "list").out == mercer("bound").out
    assert set(json.loads(mercer("bound", "list", "--json").out)) == set(available())


def value(*words):
    ran = mercer("bound", *words, "--json")
    assert ran.code == 0, ran.err
    return json.loads(ran.out)["certificate"]["value"]


def test_set_wins_over_options_and_they_over_a_file(tmp_path):
    facts = tmp_path / "facts.json"
    facts.write_text(json.dumps({"n": 100, "holdout": {"rows": 50, "errors": 5}}))
    from_file = value("holdout", "--evidence", facts)
    assert from_file == value("holdout", "--n", 50, "--error", 0.1)
    assert value("holdout", "--evidence", facts, "--set", "holdout.errors=0") < from_file
    assert value("holdout", "--n", 100, "--error", 0.5, "--set", "holdout.errors=5") == value(
        "holdout", "--n", 100, "--error", 0.05
    )


def test_evidence_that_a_model_publishes(tmp_path):
    from mercer import SVC

    X = np.random.default_rng(0).normal(size=(60, 2))
    model = SVC(kernel="linear").fit(X, X[:, 0] > 0)
    facts = tmp_path / "facts.json"
    facts.write_text(json.dumps(model.evidence_.to_dict()))
    for code in ("scenario", "gaussian-margin", "vc"):
        assert value(code, "--evidence", facts) == pytest.approx(model.certificates_[code].value)


def test_constants_and_curves_over_records():
    base = ("catoni", "--n", 1000, "--error", 0.1, "--kl", 5)
    assert value(*base, "--param", "c=1.0") == value(*base) != value(*base, "--param", "c=2")
    assert "no constant 'd'" in mercer("bound", *base, "--param", "d=2").err
    ran = mercer("bound", "compression", "--n", 500, "--size", 40, "--error", 0, "--json",
                 "--curve", "compression.size=10:100")  # fmt: skip
    curve = json.loads(ran.out)["curve"]
    assert np.all(np.diff(curve["values"]) > 0)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("mistake-bound", "--n", "10"), "--set mistakes.FIELD=VALUE"),
        (("recursive-pac-bayes", "--n", "10"), "--set stages.0.FIELD=VALUE"),
        (("vc", "--set", "dimension=3"), "how many rows"),
        (("mistake-bound", "--n", "9", "--set", "mistakes.limits=3"), "no field 'limits'"),
        (("mistake-bound", "--n", "9", "--set", "mistakes=3"), "is a record"),
        (("vc", "--n", "9", "--set", "speed=3"), "no field 'speed'"),
        (("vc", "--n", "9", "--set", "errors"), "not NAME=VALUE"),
        (("recursive-pac-bayes", "--n", "9", "--set", "stages.1.kl=2"), "is a list"),
        (("vc", "--n", "9", "--vc", "2", "--set", "errors=12"), "do not fit together"),
        (("vc", "--n", "9", "--vc", "2", "--set", "errors=two"), "do not fit together"),
        (("gaussian-margin", "--n", "9", "--set", "margins=@none.txt"), "cannot read none.txt"),
        (("gaussian-margin", "--n", "9", "--set", "margins=0.1x0"), "not a number of values"),
        (("vc", "--evidence", "none.json"), "cannot read none.json"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(words, said):
    ran = mercer("bound", *words)
    assert ran.code == 2
    assert said in ran.err
    assert "Traceback" not in ran.err


def test_lists_are_written_in_several_ways(tmp_path):
    assert read_value("1,2.5,3", "x") == [1, 2.5, 3]
    assert read_value("0.5x3,1", "x") == [0.5, 0.5, 0.5, 1]
    assert read_value("0:1:3", "x") == [0.0, 0.5, 1.0]
    assert read_value("true", "x") is True
    assert read_value("none", "x") is None
    assert read_value("c-svc", "x") == "c-svc"
    assert read_value("inf", "x") == float("inf")
    (tmp_path / "v.txt").write_text("0.1, 0.2\n0.3\n")
    np.save(tmp_path / "v.npy", np.array([0.1, 0.2, 0.3]))
    for name in ("v.txt", "v.npy"):
        assert read_value(f"@{tmp_path / name}", "x") == [0.1, 0.2, 0.3]
    (tmp_path / "v.txt").write_text("0.1 pear")
    with pytest.raises(UserError, match="numbers only"):
        read_value(f"@{tmp_path / 'v.txt'}", "x")


numbers = st.integers(-(10**6), 10**6) | st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(numbers, min_size=1, max_size=8), numbers, st.booleans())
def test_what_is_written_is_read_back(many, one, flag):
    tree = {"margins": many, "norm": one, "mistakes": {"in_order": flag, "limit": one},
            "stages": [{"kl": one, "exceed": many}]}  # fmt: skip
    again = read_settings(written(tree))
    assert again == tree


def test_bits_are_turned_into_nats():
    """Twenty bits are a class of 2^20 rules with equal shares."""
    shared = ("--n", "1000", "--error", "0.01")
    bits = value("occam", *shared, "--bits", "20")
    assert bits == pytest.approx(value("finite-class", *shared, "--class-size", str(2**20)))
