"""The concentration toolbox: tails, confidence limits and their inverses, in log space.

Every function takes ``delta`` in (0, 1) or, where δ can be astronomically small, ``log_delta``.
Limits are rounded outward. Everything is checked against 40-digit arithmetic in ``tests/bounds``.
"""

from mercer.bounds.numerics.betting import (
    betting_interval,
    betting_lower,
    betting_sequence,
    betting_upper,
    mixed_upper,
)
from mercer.bounds.numerics.binomial import clopper_lower, clopper_upper, log_cdf, log_pmf, log_sf
from mercer.bounds.numerics.caps import log_cap_bound, log_cap_fraction
from mercer.bounds.numerics.chernoff import (
    chernoff_log_tail,
    log_mgf_bennett,
    log_mgf_bernoulli,
    log_mgf_hoeffding,
)
from mercer.bounds.numerics.combinatorics import (
    log_binom,
    log_cover,
    log_growth,
    log_growth_closed,
    log_maurer,
)
from mercer.bounds.numerics.concentration import (
    bennett_radius,
    bennett_tail,
    bernstein_radius,
    bernstein_tail,
    chebyshev_radius,
    chebyshev_tail,
    dkw_radius,
    empirical_bernstein_radius,
    hoeffding_radius,
    hoeffding_tail,
    markov_tail,
    markov_threshold,
    mcdiarmid_radius,
    mcdiarmid_tail,
    multiplicative_chernoff_tail,
    normal_interval,
)
from mercer.bounds.numerics.covering import (
    cover_bound,
    fat_bound,
    fat_linear,
    log2_cover_alon,
    log2_cover_linear,
    log2_cover_zhang,
)
from mercer.bounds.numerics.joint import sum_of_rates_upper
from mercer.bounds.numerics.martingale import fixed_c_upper, mixture_upper, tune_c
from mercer.bounds.numerics.relative_entropy import kl, kl_lower, kl_upper
from mercer.bounds.numerics.scenario import (
    preferent_upper,
    scenario_interval,
    scenario_upper,
    tune_multipliers,
)
from mercer.bounds.numerics.union import (
    integer_weights,
    quantifier_reversal,
    split_delta,
    split_log_delta,
)

__all__ = [
    "bennett_radius",
    "bennett_tail",
    "bernstein_radius",
    "bernstein_tail",
    "betting_interval",
    "betting_lower",
    "betting_sequence",
    "betting_upper",
    "chebyshev_radius",
    "chebyshev_tail",
    "chernoff_log_tail",
    "clopper_lower",
    "clopper_upper",
    "cover_bound",
    "dkw_radius",
    "empirical_bernstein_radius",
    "fat_bound",
    "fat_linear",
    "fixed_c_upper",
    "hoeffding_radius",
    "hoeffding_tail",
    "integer_weights",
    "kl",
    "kl_lower",
    "kl_upper",
    "log2_cover_alon",
    "log2_cover_linear",
    "log2_cover_zhang",
    "log_binom",
    "log_cap_bound",
    "log_cap_fraction",
    "log_cdf",
    "log_cover",
    "log_growth",
    "log_growth_closed",
    "log_maurer",
    "log_mgf_bennett",
    "log_mgf_bernoulli",
    "log_mgf_hoeffding",
    "log_pmf",
    "log_sf",
    "markov_tail",
    "markov_threshold",
    "mcdiarmid_radius",
    "mcdiarmid_tail",
    "mixed_upper",
    "mixture_upper",
    "multiplicative_chernoff_tail",
    "normal_interval",
    "preferent_upper",
    "quantifier_reversal",
    "scenario_interval",
    "scenario_upper",
    "split_delta",
    "split_log_delta",
    "sum_of_rates_upper",
    "tune_c",
    "tune_multipliers",
]
