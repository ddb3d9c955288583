"""TrueSkill's model fitted to all matches at once: expectation propagation with the whole covariance of all skills.

The model has a skill s ~ N(mu, sigma^2) and, independently in each match, a performance p = s + N(0, beta^2). A ranking
states for each two neighbours that p_i - p_j > margin, or for a tie that |p_i - p_j| <= margin. Expectation propagation
replaces each statement by a normal factor (precision tau, linear term nu) on the difference. The factor gives the same
mean and variance as the exact statement, while all other factors are fixed. With the performance noise integrated out,
a match adds D'MD to the precision of the skills of its seats, where D takes differences of neighbours, K = beta^2 DD'
and M = (K + 1/tau)^-1. One sweep adds up the precision of all skills, inverts it, and updates every factor from the
marginal of its difference.

The draw margin can be learned in the same sweeps. The derivative of the log evidence in the margin is the sum of those
of the factors' own logarithms, with all else as it is, so each sweep takes one Newton step.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from arena.ratings.settled.content import Content, Table, Whole
from arena.ratings.settled.moments import Array, draw_margin, tied, tied_slopes, won, won_slopes

TOLERANCE = 1e-9
"""The fit has converged if no mean and no standard deviation moves by more than this share of a standard deviation."""
SWEEPS = 500
GUESS_MATCHES = 10.0
"""The guessed draw probability weighs as much as this many matches between equal bots."""
LEAST_DRAW_PROBABILITY = 0.001
"""No smaller draw probability is learned: the margin that it gives is already without effect."""


@dataclass(frozen=True, slots=True)
class Model:
    """The constants of TrueSkill, without its tau: here a version's skill does not change."""

    mu: float = 25.0
    sigma: float = 25.0 / 3
    beta: float = 25.0 / 6
    draw_probability: float = 0.1

    @property
    def margin(self) -> float:
        """Largest difference of two performances that is a tie."""
        return draw_margin(self.draw_probability, self.beta)


@dataclass(frozen=True, slots=True)
class Fit:
    """Means and covariance of all skills, and the gradient of each result."""

    mean: Array
    covariance: Array
    pulls: tuple[Array, ...]
    """For each table (results, seats): the gradient of a result's log likelihood at the mean."""
    weights: tuple[Array, ...]
    """For each table (results, seats, seats): the precision that a result adds."""
    free: Whole
    """Indices of the versions that are not anchored."""
    sweeps: int
    model: Model
    """The constants, with the draw probability that was learned."""
    draw_evidence: float = 0.0
    """How many matches between equal bots the learned draw probability rests on, the guess included."""


class NotSettled(ArithmeticError):
    """The sweeps did not converge. This was never observed; if it happens, it is always reported."""


def fit(content: Content, model: Model, anchors: Mapping[int, float], *, learn_draws: bool = False) -> Fit:
    """Fit the skills of all versions of the content; `anchors` gives the skill of versions whose skill is fixed.

    With `learn_draws` the draw probability of the model is only a guess, and the matches correct it. Raises
    `NotSettled` if the factors do not converge.
    """
    return _Fitting(content, model, anchors, learn_draws).run()


class _Factors:
    """The factors of one table; each method computes all matches of the table at once."""

    def __init__(self, table: Table, model: Model) -> None:
        gaps = table.seats - 1
        self.table = table
        self.tau = np.zeros((len(table.places), gaps))
        self.nu = np.zeros_like(self.tau)
        self.take_differences = np.eye(gaps, gaps + 1) - np.eye(gaps, gaps + 1, k=1)
        self.noise = model.beta**2 * self.take_differences @ self.take_differences.T
        self._blend()

    def _blend(self) -> None:
        """Update B = (I + K tau)^-1, from which everything else is computed."""
        gaps = self.tau.shape[1]
        if gaps == 1:
            self.blend: Array = 1.0 / (1.0 + self.noise * self.tau[:, :, None])
        else:
            self.blend = np.asarray(np.linalg.inv(np.eye(gaps) + self.noise * self.tau[:, None, :]), dtype=np.float64)

    def precision(self) -> Array:
        """Return (results, seats, seats): the precision that each match adds to the skills of its seats."""
        inner = self.tau[:, :, None] * self.blend
        inner = (inner + inner.transpose(0, 2, 1)) / 2.0
        return self.take_differences.T @ inner @ self.take_differences

    def linear(self) -> Array:
        """Return (results, seats): the vector that each match adds to precision times mean."""
        pulled: Array = np.einsum("ngh,ng->nh", self.blend, self.nu) @ self.take_differences
        return pulled

    def renew(self, mean: Array, covariance: Array, margin: float, damping: float) -> Array:
        """Update every factor, with all others fixed, from the mean and covariance of all skills.

        Return the first and the second derivative of the log evidence in the margin.
        """
        d = self.take_differences
        at = self.table.places
        spread = d @ covariance[at[:, :, None], at[:, None, :]] @ d.T
        centre = np.einsum("ngh,nh->ng", self.blend, mean[at] @ d.T) + np.einsum(
            "ngh,nh->ng", self.blend @ self.noise, self.nu
        )
        variance = np.einsum("ngh,hg->ng", self.blend, self.noise) + np.einsum(
            "ngh,nhi,ngi->ng", self.blend, spread, self.blend
        )
        # The cavity distribution: that of the difference without its own factor.
        precision = 1.0 / variance - self.tau
        aside = 1.0 / precision
        middle = (centre / variance - self.nu) * aside
        root = np.sqrt(aside)
        shift, kept = np.empty_like(root), np.empty_like(root)
        tie = self.table.tied
        shift[~tie], kept[~tie] = won((middle[~tie] - margin) / root[~tie])
        slopes = np.stack((np.empty_like(root), np.empty_like(root)))
        slopes[:, ~tie] = won_slopes((middle[~tie] - margin) / root[~tie])
        if tie.any():
            shift[tie], kept[tie] = tied(middle[tie] / root[tie], margin / root[tie])
            slopes[:, tie] = tied_slopes(middle[tie] / root[tie], margin / root[tie])
        tau = precision * (1.0 - kept) / kept
        nu = (middle + root * shift) / (aside * kept) - middle * precision
        self.tau += damping * (tau - self.tau)
        self.nu += damping * (nu - self.nu)
        self._blend()
        slopes[0] /= root
        slopes[1] /= aside
        summed: Array = (self.table.times[:, None] * slopes).sum(axis=(1, 2))
        return summed


class _Fitting:
    """The state of one fit while it sweeps over all matches."""

    def __init__(self, content: Content, model: Model, anchors: Mapping[int, float], learn_draws: bool) -> None:
        self.content = content
        self.model = model
        self.guess = model.draw_probability
        self.learn_draws = learn_draws
        self.draw_evidence = 0.0
        self.count = len(content.versions)
        fixed = np.array([version in anchors for version in content.versions], dtype=np.bool_)
        self.free = np.flatnonzero(~fixed)
        self.fixed = np.flatnonzero(fixed)
        # All skills are relative to the prior's mean, because large means would cost precision.
        self.anchored = np.array([anchors[content.versions[at]] - model.mu for at in self.fixed])
        self.factors = [_Factors(table, model) for table in content.tables]

    def run(self) -> Fit:
        """Sweep until the fit converges; increase the damping if the steps do not get smaller."""
        mean, covariance = self._skills()
        damping, last = 1.0, np.inf
        for sweep in range(1, SWEEPS + 1):
            slopes = np.zeros(2)
            for factors in self.factors:
                slopes += factors.renew(mean, covariance, self.model.margin, damping)
            # The first sweeps are too far from the fit to say anything about draws.
            step = self._learn(slopes) if self.learn_draws and sweep > 2 else float(self.learn_draws)
            before, doubt = mean, np.sqrt(np.diag(covariance)[self.free])
            mean, covariance = self._skills()
            now = np.sqrt(np.diag(covariance)[self.free])
            moved = max(
                np.max(np.abs(mean - before)[self.free] / now, initial=0.0),
                np.max(np.abs(now / doubt - 1), initial=0.0),
                abs(step),
            )
            if moved < TOLERANCE:
                return self._result(mean, covariance, sweep)
            if moved > 0.9 * last and sweep > 5:
                damping = max(damping * 0.7, 0.05)
            last = moved
        raise NotSettled(f"settled ratings did not converge in {SWEEPS} sweeps: the last one moved by {last:.2g}")

    def _learn(self, slopes: Array) -> float:
        """Move the log odds of a draw by one Newton step, and return the step."""
        model = self.model
        here, scale = model.draw_probability, np.sqrt(2.0) * model.beta
        chance = here * (1.0 - here)
        # The derivatives of the margin in the log odds: two equals tie with the probability 2 Phi(margin / scale) - 1.
        first = scale * chance * np.sqrt(np.pi / 2.0) * np.exp((model.margin / scale) ** 2 / 2.0)
        second = first * (1.0 - 2.0 * here + first * model.margin / scale**2)
        pull = slopes[0] * first + GUESS_MATCHES * (self.guess - here)
        bend = slopes[1] * first**2 + slopes[0] * second - GUESS_MATCHES * chance
        bend = min(bend, -GUESS_MATCHES * chance / 2.0)
        now = np.log(here / (1.0 - here))
        least = np.log(LEAST_DRAW_PROBABILITY / (1.0 - LEAST_DRAW_PROBABILITY))
        new = max(now + np.clip(-pull / bend, -1.0, 1.0), least)
        self.draw_evidence = float(-bend / chance)
        self.model = replace(model, draw_probability=float(1.0 / (1.0 + np.exp(-new))))
        return float(new - now)

    def _skills(self) -> tuple[Array, Array]:
        """Return the mean and covariance of all skills, from the prior, the anchors and the factors."""
        count = self.count
        precision = np.zeros(count * count)
        linear = np.zeros(count)
        for factors in self.factors:
            at, times = factors.table.places, factors.table.times
            cells = (at[:, :, None] * count + at[:, None, :]).ravel()
            precision += np.bincount(cells, (times[:, None, None] * factors.precision()).ravel(), count * count)
            linear += np.bincount(at.ravel(), (times[:, None] * factors.linear()).ravel(), count)
        whole = precision.reshape(count, count)
        free, fixed = self.free, self.fixed
        own = whole[np.ix_(free, free)]
        own[np.diag_indices_from(own)] += self.model.sigma**-2
        mean, covariance = np.zeros(count), np.zeros((count, count))
        mean[fixed] = self.anchored
        if len(free):
            inverse = cho_solve(cho_factor(own, lower=True), np.eye(len(free)))
            inverse = (inverse + inverse.T) / 2.0
            mean[free] = inverse @ (linear[free] - whole[np.ix_(free, fixed)] @ self.anchored)
            covariance[np.ix_(free, free)] = inverse
        return mean, covariance

    def _result(self, mean: Array, covariance: Array, sweeps: int) -> Fit:
        pulls: list[Array] = []
        weights: list[Array] = []
        for factors in self.factors:
            precision = factors.precision()
            weights.append(precision)
            pulls.append(factors.linear() - np.einsum("nij,nj->ni", precision, mean[factors.table.places]))
        return Fit(mean + self.model.mu, covariance, tuple(pulls), tuple(weights), self.free, sweeps, self.model,
                   self.draw_evidence)  # fmt: skip
