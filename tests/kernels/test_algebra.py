"""The nine closure rules against their formulas, and the facts they carry along."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.base import clone

from mercer import kernels as mk
from mercer.kernels import check_psd

floats = st.floats(-3, 3, width=32)
amounts = st.one_of(st.just(0.0), st.floats(0.01, 2))
samples = hnp.arrays(np.float64, st.tuples(st.integers(1, 6), st.just(3)), elements=floats)
leaves = st.one_of(
    st.just(mk.Linear()),
    st.floats(0.3, 3).map(mk.Gaussian),
    st.floats(0.3, 3).map(mk.Laplacian),
    amounts.map(mk.Constant),
    amounts.map(mk.White),
    st.floats(0.3, 3).map(lambda v: mk.Matern(v, nu=0.5)),
    st.tuples(st.integers(1, 3), st.floats(0, 1)).map(lambda t: mk.Polynomial(*t, gamma=0.2)),
)
trees = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda t: t[0] + t[1]),
        st.tuples(inner, inner).map(lambda t: t[0] * t[1]),
        st.tuples(inner, amounts).map(lambda t: t[0] * t[1]),
        st.tuples(inner, amounts).map(lambda t: t[0] + t[1]),
        inner.map(lambda k: k**2),
        inner.map(lambda k: k.normalized()),
        inner.map(lambda k: k.gaussian(1.3)),
        inner.map(lambda k: k.normalized().exponential(1.1)),
        inner.map(lambda k: mk.Centered(k, np.eye(3))),
    ),
    max_leaves=4,
)
rules = settings(max_examples=60)


@rules
@given(samples, leaves, leaves, st.floats(0, 3), st.integers(1, 3), st.floats(0.6, 2))
def test_each_rule_against_its_formula(X, one, two, c, p, s):
    A, B, a = one(X), two(X), one.diag(X)
    squares = a[:, None] - 2 * A + a[None, :]
    roots = np.sqrt(np.outer(a, a))
    cosine = np.divide(A, roots, out=np.zeros_like(A), where=roots > 0)
    small = one * 0.1  # keeps the exponential finite
    expected = {
        one + two: A + B,
        c * one: c * A,
        one + c: A + c,
        one * two: A * B,
        mk.Power(one, p, c): (A + c) ** p,
        one**p: A**p,
        small.exponential(s): np.exp(0.1 * A / s**2),
        one.gaussian(s): np.exp(-np.maximum(squares, 0) / (2 * s**2)),
        one.normalized(): cosine,
    }
    for kernel, values in expected.items():
        scale = max(1.0, np.abs(values).max())
        np.testing.assert_allclose(kernel(X), values, rtol=1e-9, atol=1e-9 * scale, err_msg=kernel)


def test_a_function_makes_a_kernel():
    X = np.arange(6.0).reshape(3, 2)
    kernel = mk.RankOne(lambda X: X[:, 0] - 1)
    np.testing.assert_array_equal(kernel(X), np.outer([-1, 1, 3], [-1, 1, 3]))
    with pytest.raises(ValueError, match="3 finite numbers"):
        mk.RankOne(lambda X: X)(X)


@rules
@given(samples, trees)
def test_every_expression_of_kernels_is_a_kernel(X, kernel):
    K = kernel(X)
    assert kernel.psd is True
    tol = 1e-8 * max(1.0, np.abs(K).max())
    report = check_psd(K, tol=tol)
    assert report.ok, report.explain()
    np.testing.assert_allclose(np.diagonal(K), kernel.diag(X), rtol=1e-12)
    np.testing.assert_array_equal(clone(kernel)(X), K)
    if kernel.bounded:
        assert np.all(np.isfinite(kernel.diag(1e6 * X)))


@rules
@given(samples, trees)
def test_products_and_bound_tiles_of_every_expression(X, kernel):
    K = kernel(X)
    scale = max(1.0, np.abs(K).max())
    np.testing.assert_allclose(kernel.matmul(X, None, np.eye(len(X))), K, atol=1e-10 * scale)
    bound = kernel.bind(X).tile(slice(None), slice(None))
    np.testing.assert_allclose(bound, kernel(X, X), atol=1e-10 * scale)


@pytest.mark.parametrize(
    ("kernel", "facts"),
    [  # bounded, stationary, universal, psd
        (mk.Gaussian() + mk.Linear(), (False, False, True, True)),
        (mk.Gaussian() + mk.Sigmoid(), (True, False, False, False)),
        (mk.Gaussian() * mk.Linear(), (False, False, False, True)),
        (mk.Gaussian() * mk.Matern(), (True, True, True, True)),
        (2 * mk.Gaussian(), (True, True, True, True)),
        (0 * mk.Gaussian(), (True, True, False, True)),
        (0 * mk.Linear(), (True, False, False, True)),
        (mk.Gaussian() + 1, (True, True, True, True)),
        (mk.Linear() + 1, (False, False, False, True)),
        (mk.Gaussian() ** 2, (True, True, True, True)),
        (mk.Linear().exponential(), (False, False, True, True)),
        (mk.Polynomial(2).exponential(), (False, False, False, True)),
        (mk.Linear().gaussian(), (True, False, True, True)),
        (mk.Laplacian().gaussian(), (True, True, True, True)),
        (mk.Linear().normalized(), (True, False, False, True)),
        (mk.Gaussian().centered(), (True, False, False, True)),
        (mk.Gaussian().on([0]), (True, True, False, True)),
        (mk.Gaussian([1.0, np.inf]), (True, True, False, True)),
        (mk.Gaussian("median"), (True, True, True, True)),
        (mk.FromCallable(max) + mk.Gaussian(), (False, False, False, None)),
        (mk.FromCallable(max) + mk.Sigmoid(), (False, False, False, False)),
        (mk.FromCallable(max, psd=True) * 2, (False, False, False, True)),
        (mk.Polynomial(2.5), (False, False, False, False)),
        (mk.Polynomial(2, coef0=-1.0), (False, False, False, False)),
        (mk.RankOne(abs), (False, False, False, True)),
    ],
    ids=str,
)
def test_facts_travel(kernel, facts):
    assert (kernel.bounded, kernel.stationary, kernel.universal, kernel.psd) == facts


def test_accepts_is_what_all_parts_accept():
    words = mk.FromCallable(max, objects=True)
    assert words.accepts == {"objects"}
    assert (words + mk.Constant()).accepts == {"objects"}
    assert (mk.Gaussian() + mk.White()).accepts == {"vectors", "sparse"}
    with pytest.raises(ValueError, match="different kinds of data"):
        (words + mk.Gaussian())(np.eye(2))


def test_numpy_numbers_on_either_side():
    X = np.eye(3)
    for two in (2, 2.0, np.float64(2), np.float32(2), np.int64(2)):
        np.testing.assert_array_equal((two * mk.Linear())(X), 2 * X)
        np.testing.assert_array_equal((mk.Linear() * two)(X), 2 * X)
        np.testing.assert_array_equal((two + mk.Linear())(X), 2 + X)


@pytest.mark.parametrize(
    "bad",
    [
        lambda k: k + -1.0,
        lambda k: -2 * k,
        lambda k: k * float("nan"),
        lambda k: k**0.5,
        lambda k: k**-1,
        lambda k: k**0,
        lambda k: mk.Scaled(k, -1.0)(np.eye(2)),
        lambda k: mk.Shifted(k, "1")(np.eye(2)),
        lambda k: mk.Power(k, 1.5)(np.eye(2)),
        lambda k: mk.Power(k, 2, -1.0)(np.eye(2)),
        lambda k: k.exponential(0.0)(np.eye(2)),
        lambda k: k.gaussian(-1.0)(np.eye(2)),
    ],
)
def test_what_would_not_be_a_kernel_is_refused(bad):
    with pytest.raises(ValueError, match=r"must be a (whole )?number"):
        bad(mk.Linear())


def test_other_things_do_not_combine():
    for bad in (lambda: mk.Linear() + "a", lambda: mk.Linear() * {}, lambda: mk.Linear() ** "2"):
        with pytest.raises(TypeError, match="unsupported operand"):
            bad()
    with pytest.raises(TypeError, match="must be a mercer Kernel"):
        mk.Sum(mk.Linear(), max)(np.eye(2))
    with pytest.raises(ValueError, match="overflows"):
        mk.Linear().exponential()(1e3 * np.eye(2))


def test_nested_parameters():
    kernel = 2.0 * mk.Gaussian(1.0) + mk.Polynomial(2).on([0])
    kernel.set_params(left__kernel__length_scale=3.0, right__kernel__degree=3, left__factor=1.0)
    X = np.random.default_rng(0).normal(size=(4, 2))
    expected = mk.Gaussian(3.0)(X) + mk.Polynomial(3)(X[:, :1])
    np.testing.assert_allclose(kernel(X), expected, rtol=1e-14)


def test_normalising_a_zero_vector_gives_zero():
    X = np.array([[0.0, 0.0], [3.0, 4.0]])
    np.testing.assert_array_equal(mk.Linear().normalized()(X), [[0, 0], [0, 1]])
    np.testing.assert_array_equal(mk.Linear().normalized().diag(X), [0, 1])
    with pytest.raises(ValueError, match="negative for row 0"):
        mk.Sigmoid(1.0, -1.0).normalized()(X)


def test_centring_is_the_textbook_projection():
    X, new = np.random.default_rng(3).normal(size=(2, 9, 2))
    kernel = mk.Gaussian(0.8).centered()
    with pytest.raises(ValueError, match="resolve"):
        kernel(X)
    fitted = kernel.resolve(X)
    H, K, k = np.eye(9) - 1 / 9, mk.Gaussian(0.8)(X), mk.Gaussian(0.8)(new, X)
    np.testing.assert_allclose(fitted(X), H @ K @ H, atol=1e-14)
    np.testing.assert_allclose(fitted(new, X), (k - K.mean(axis=0)) @ H, atol=1e-14)
    np.testing.assert_array_equal(mk.Centered(mk.Gaussian(0.8)).fit(X)(new), fitted(new))
    assert fitted.data_dependent
    assert kernel.reference is None  # resolving made a new kernel
    assert fitted.resolve(new).reference.shape == X.shape  # a reference that is there stays
    np.testing.assert_array_equal(fitted.resolve(new).reference, X)


def test_centring_notices_new_parameters_and_references():
    X = np.random.default_rng(3).normal(size=(5, 2))
    kernel = mk.Centered(mk.Gaussian(1.0), X)
    first = kernel(X)
    kernel.kernel.length_scale = 3.0
    np.testing.assert_array_equal(kernel(X), mk.Centered(mk.Gaussian(3.0), X)(X))
    assert not np.allclose(kernel(X), first)
    kernel.fit(X[:3])
    np.testing.assert_array_equal(kernel(X), mk.Centered(mk.Gaussian(3.0), X[:3])(X))


def test_columns():
    X = np.random.default_rng(3).normal(size=(5, 4))
    expected = mk.Gaussian()(X[:, [1, 3]])
    for columns in ([1, 3], (1, 3), np.array([1, 3]), slice(1, None, 2), [False, True] * 2):
        np.testing.assert_array_equal(mk.Gaussian().on(columns)(X), expected)
    assert mk.Gaussian("median").on([1, 3]).resolve(X).kernel.length_scale == pytest.approx(
        mk.Gaussian("median").resolve(X[:, [1, 3]]).length_scale
    )
    for bad in ([4], 1, ["a"], [True, False], [], slice(9, 10), None):
        with pytest.raises(ValueError, match="On: columns="):
            mk.Gaussian().on(bad)(X)


def test_white_noise_meets_only_itself():
    X = np.array([[1.0], [1.0], [2.0]])
    kernel = mk.Gaussian() + mk.White(0.5)
    np.testing.assert_allclose(kernel(X), mk.Gaussian()(X) + 0.5 * np.eye(3))
    np.testing.assert_array_equal(kernel(X, X), mk.Gaussian()(X, X))
    np.testing.assert_array_equal(kernel.diag(X), [1.5, 1.5, 1.5])
    gradient = kernel.gradient(X)
    np.testing.assert_array_equal(gradient["right__noise"], np.eye(3))
