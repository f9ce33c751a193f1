"""PAC-Bayes and vote bounds on finite classes over finite laws, where every risk is a sum."""

import numpy as np
import pytest

from helpers_validity import check_caught, check_valid
from mercer.bounds import Evidence, Pool, Posterior, Progressive, Stage, Vote, get
from mercer.bounds.numerics import tune_c
from mercer.bounds.pacbayes import pac_bayes_kl

DELTA, DRAWS = 0.1, 300


class World:
    """``atoms`` equally likely points, ``members`` classifiers wrong on random subsets of them."""

    def __init__(self, members=40, atoms=60, error=0.2, seed=7):
        rng = np.random.default_rng(seed)
        self.wrong = rng.random((members, atoms)) < error * rng.uniform(0.3, 1.7, (members, 1))
        self.risks = self.wrong.mean(1)
        self.atoms, self.members = atoms, members

    def sample(self, rng, m):
        """Wrongness of every member on m drawn rows."""
        return self.wrong[:, rng.integers(0, self.atoms, m)]

    def vote_risk(self, q):
        return float((q @ self.wrong >= 0.5).mean())


def of(code):
    bound = get(code)()
    return lambda evidence, delta: bound.evaluate(evidence, delta).unclipped


def gibbs_posterior(losses, beta):
    q = np.exp(-beta * (losses - losses.min()))
    return q / q.sum()


def kl_to(q, prior):
    on = q > 0
    return float(np.sum(q[on] * np.log(q[on] / prior[on])))


def posterior_law(world, m, beta):
    def law(rng):
        rows = world.sample(rng, m)
        q = gibbs_posterior(rows.mean(1), beta)
        uniform = np.full(world.members, 1 / world.members)
        record = Posterior(m, float(q @ rows.mean(1)), kl_to(q, uniform), vote_is_model=True)
        return Evidence(m, posterior=record), float(q @ world.risks)

    return law


@pytest.mark.parametrize("beta", [5.0, 1000.0])
def test_pac_bayes_prior(beta, scale):
    law = posterior_law(World(), 40, beta)
    check_valid(law, of("pac-bayes-prior"), delta=DELTA, draws=DRAWS * scale)
    observed = lambda e, d: e.posterior.gibbs  # noqa: E731
    check_caught(law, observed, delta=DELTA, draws=DRAWS * scale)


def prior_vote_law(world, m, beta):
    """The same posterior, judged as the deterministic vote of its members."""

    def law(rng):
        rows = world.sample(rng, m)
        q = gibbs_posterior(rows.mean(1), beta)
        uniform = np.full(world.members, 1 / world.members)
        record = Posterior(m, float(q @ rows.mean(1)), kl_to(q, uniform), vote_is_model=True)
        return Evidence(m, posterior=record), world.vote_risk(q)

    return law


@pytest.mark.parametrize(("error", "beta"), [(0.2, 5.0), (0.45, 1e4)])
def test_pac_bayes_prior_vote(error, beta, scale):
    law = prior_vote_law(World(error=error), 40, beta)
    check_valid(law, of("pac-bayes-prior-vote"), delta=DELTA, draws=DRAWS * scale)


def test_prior_vote_without_its_factor_and_its_divergence_is_caught(scale):
    """A single overfitted member: the Gibbs error on the rows says nothing about the vote."""
    law = prior_vote_law(World(error=0.45, members=200), 30, 1e4)
    check_valid(law, of("pac-bayes-prior-vote"), delta=DELTA, draws=DRAWS * scale)
    check_caught(law, lambda e, d: e.posterior.gibbs, delta=DELTA, draws=DRAWS * scale)

    def no_divergence(evidence, delta):
        q = evidence.posterior
        return pac_bayes_kl(q.gibbs, 0.0, q.rows, 0.999, constant="exact")

    check_caught(law, no_divergence, delta=DELTA, draws=DRAWS * scale)


def vote_law(world, m, beta):
    def law(rng):
        rows = world.sample(rng, m)
        q = gibbs_posterior(rows.mean(1), beta)
        uniform = np.full(world.members, 1 / world.members)
        share = q @ rows
        record = Vote(
            m,
            gibbs=float(share.mean()),
            tandem=float((share**2).mean()),
            disagreement=float((2 * share * (1 - share)).mean()),
            kl=kl_to(q, uniform),
        )
        return Evidence(m, vote=record), world.vote_risk(q)

    return law


@pytest.mark.parametrize("code", ["vote-first-order", "vote-tandem", "vote-c-bound"])
@pytest.mark.parametrize(("error", "beta"), [(0.2, 5.0), (0.4, 300.0)])
def test_votes(code, error, beta, scale):
    law = vote_law(World(error=error), 60, beta)
    check_valid(law, of(code), delta=DELTA, draws=DRAWS * scale)


@pytest.mark.parametrize("code", ["vote-first-order", "vote-tandem", "vote-c-bound"])
def test_a_vote_bound_without_its_factor_and_its_kl_is_caught(code, scale):
    """Sharp posterior over poor members: the vote is a single overfitted member."""
    law = vote_law(World(error=0.45, members=200), 30, 1e4)
    check_valid(law, of(code), delta=DELTA, draws=DRAWS * scale)
    check_caught(law, lambda e, d: e.vote.tandem, delta=DELTA, draws=DRAWS * scale)
    check_caught(law, lambda e, d: e.vote.gibbs, delta=DELTA, draws=DRAWS * scale)


def recursive_law(world, sizes, beta, gamma):
    """Three stages; stage t counts all rows from its own part on, its prior only those before."""

    def law(rng):
        parts = [world.sample(rng, m) for m in sizes]
        prior = np.full(world.members, 1 / world.members)
        stages, previous = [], None
        for t in range(len(parts)):
            rows = np.concatenate(parts[t:], axis=1)
            q = gibbs_posterior(np.concatenate(parts[: t + 1], axis=1).mean(1), beta)
            p = q @ rows
            if previous is None:
                exceed = (1.0, float(p.mean()), float(p.mean()))
            else:
                other = previous @ rows
                both, only, neither = p * other, p * (1 - other), (1 - p) * (1 - other)
                exceed = tuple(float(v.mean()) for v in (neither + both + only, both + only, only))
            stages.append(Stage(rows.shape[1], kl_to(q, prior), gamma, exceed))
            previous = prior = q
        return Evidence(sum(sizes), stages=tuple(stages)), float(previous @ world.risks)

    return law


def test_recursive_pac_bayes(scale):
    law = recursive_law(World(), (30, 40, 60), 200.0, 0.5)
    check_valid(law, of("recursive-pac-bayes"), delta=DELTA, draws=DRAWS * scale)
    observed = lambda e, d: get("recursive-pac-bayes")().evaluate(e, d).observed  # noqa: E731
    check_caught(law, observed, delta=DELTA, draws=DRAWS * scale)


@pytest.mark.parametrize("distinct", [1, 10])
def test_vote_of_progressive_models_through_a_pool(distinct, scale):
    """Ten different models, or ten times the same: then the vote is as bad as the mixture."""
    world, m, u, K = World(error=0.15), 200, 600, 10
    c = tune_c(0.12, m, DELTA)

    def law(rng):
        chosen = np.resize(rng.choice(world.members, distinct, replace=False), K)
        wrong = world.wrong[chosen]
        errors = sum(int(wrong[j, rng.integers(0, world.atoms, m // K)].sum()) for j in range(K))
        share = wrong[:, rng.integers(0, world.atoms, u)].mean(0)
        run = Progressive(m, errors, models=K, c=c)
        pool = Pool(u, minority=np.minimum(share, 1 - share))
        return Evidence(m, progressive=run, pool=pool), float((wrong.mean(0) >= 0.5).mean())

    check_valid(law, of("transfer-vote"), delta=DELTA, draws=DRAWS * scale)
    if distinct == 1:
        observed = lambda e, d: e.progressive.errors / e.progressive.rows  # noqa: E731
        check_caught(law, observed, delta=DELTA, draws=DRAWS * scale)
