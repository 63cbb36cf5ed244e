"""People are a sample, and the games of each are a sample: a model with two sources of chance.

A person's mean m_i of n_i games is the person's own level, which lies around what the arm (and
what was known before) makes of people, with variance t; and games scatter around it:

    m_i = x_i b + u_i + e_i,     var u_i = t,  var e_i = s / n_i

s is known from the games; t is found by restricted maximum likelihood; anyone who has many games
counts more, the less so the more people differ. The error of b is that of Knapp and Hartung, with
Student's t for as many degrees of freedom as there are people beyond the coefficients. With as
many games for everybody this is the ordinary t-test, or the ordinary adjustment for a covariate.
"""

from dataclasses import dataclass

import numpy as np

from solver.statistics.chi_squared import Floats
from solver.statistics.inference import Interval, around

STEPS = 60
GOLDEN = (5**0.5 - 1) / 2
TIE = 1e-12


@dataclass(frozen=True, slots=True)
class PeopleFit:
    """The fit of a coefficient. ``weights``: the weight of each person's mean."""

    found: Interval | None
    estimate: float
    weights: Floats
    between: float  # variance of people about what the model makes of them


def fitted(
    means: Floats, games: Floats, noise: float, known: Floats, column: int
) -> PeopleFit | None:
    """Fit the model; None if there are no more people than coefficients, or nothing to compare."""
    people, coefficients = known.shape
    if people <= coefficients or np.linalg.matrix_rank(known) < coefficients:
        return None
    between = _between(means, noise / games, known)
    weights = 1 / np.maximum(between + noise / games, TIE)
    inverse = np.linalg.inv(known.T @ (weights[:, None] * known))
    of_means = (inverse @ (known * weights[:, None]).T)[column]
    left = means - known @ (inverse @ (known.T @ (weights * means)))
    scale = float(left @ (weights * left)) / (people - coefficients)
    estimate = float(of_means @ means)
    variance = scale * float(inverse[column, column])
    return PeopleFit(around(estimate, variance, people - coefficients), estimate, of_means, between)


def _between(means: Floats, errors: Floats, known: Floats) -> float:
    """Return the variance of people, by the golden section on its restricted likelihood."""
    if np.ptp(errors) <= TIE * max(float(errors.max()), TIE):
        return _left_over(means, known, float(errors[0]))
    low, high = 0.0, 4 * float(np.var(means)) + TIE
    inner = [high - GOLDEN * (high - low), low + GOLDEN * (high - low)]
    heights = [_likelihood(at, means, errors, known) for at in inner]
    for _step in range(STEPS):
        if heights[0] >= heights[1]:
            high, inner[1], heights[1] = inner[1], inner[0], heights[0]
            inner[0] = high - GOLDEN * (high - low)
            heights[0] = _likelihood(inner[0], means, errors, known)
        else:
            low, inner[0], heights[0] = inner[0], inner[1], heights[1]
            inner[1] = low + GOLDEN * (high - low)
            heights[1] = _likelihood(inner[1], means, errors, known)
    return (low + high) / 2


def _left_over(means: Floats, known: Floats, error: float) -> float:
    """With as many games for everybody all count the same, whatever the answer is."""
    left = means - known @ np.linalg.lstsq(known, means, rcond=None)[0]
    spread: float = float(left @ left) / (len(means) - known.shape[1])
    return max(0.0, spread - error)


def _likelihood(between: float, means: Floats, errors: Floats, known: Floats) -> float:
    """Return the logarithm of the restricted likelihood, but for a constant."""
    weights = 1 / np.maximum(between + errors, TIE)
    crossed = known.T @ (weights[:, None] * known)
    left = means - known @ np.linalg.solve(crossed, known.T @ (weights * means))
    determinant = float(np.linalg.slogdet(crossed)[1])
    lost: float = float(left @ (weights * left)) - float(np.log(weights).sum()) + determinant
    return -lost / 2
