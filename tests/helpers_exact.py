"""Forty-digit twins of the numerics core: term-by-term sums and bisections, slow and obvious."""

import mpmath as mp

DIGITS = 40


def with_digits(function):
    """Run ``function`` with 40 significant digits whatever the caller set."""

    def wrapped(*args, **kwargs):
        with mp.workdps(DIGITS):
            return function(*args, **kwargs)

    return wrapped


@with_digits
def log_binom(n, k):
    return mp.loggamma(n + 1) - mp.loggamma(k + 1) - mp.loggamma(n - k + 1)


@with_digits
def log_pmf(k, m, p):
    p = mp.mpf(p)
    return log_binom(m, k) + k * mp.log(p) + (m - k) * mp.log1p(-p)


@with_digits
def log_cdf(k, m, p):
    """ln of the sum of the terms k, k-1, ... until they no longer matter."""
    p = mp.mpf(p)
    if k > m * p + 1:
        return mp.log1p(-mp.exp(log_sf(k + 1, m, p))) if k < m else mp.mpf(0)
    total, term, j = mp.mpf(0), mp.mpf(1), k
    while j >= 0:
        total += term
        if term < total * mp.mpf(10) ** (-DIGITS + 5):
            break
        term *= j * (1 - p) / ((m - j + 1) * p)
        j -= 1
    return log_pmf(k, m, p) + mp.log(total)


@with_digits
def log_sf(k, m, p):
    """ln P(Bin >= k)."""
    p = mp.mpf(p)
    if k < m * p - 1:
        return mp.log1p(-mp.exp(log_cdf(k - 1, m, p))) if k > 0 else mp.mpf(0)
    total, term, j = mp.mpf(0), mp.mpf(1), k
    while j <= m:
        total += term
        if term < total * mp.mpf(10) ** (-DIGITS + 5):
            break
        term *= (m - j) * p / ((j + 1) * (1 - p))
        j += 1
    return log_pmf(k, m, p) + mp.log(total)


@with_digits
def kl(q, p):
    q, p = mp.mpf(q), mp.mpf(p)
    left = q * mp.log(q / p) if q else mp.mpf(0)
    right = (1 - q) * (mp.log1p(-q) - mp.log1p(-p)) if q < 1 else mp.mpf(0)
    return left + right


@with_digits
def bisect(f, lo, hi, steps=120):
    """Root of an increasing function, to 25 digits or as far as the steps go."""
    lo, hi = mp.mpf(lo), mp.mpf(hi)
    for _ in range(steps):
        if hi - lo <= abs(hi) * mp.mpf("1e-25"):
            break
        mid = (lo + hi) / 2
        lo, hi = (mid, hi) if f(mid) < 0 else (lo, mid)
    return (lo + hi) / 2
