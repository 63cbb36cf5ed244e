"""The model of arms: people are a sample, and the games of each are a sample.

A person's mean m_i of n_i games is x_i b + u_i + e_i, where u_i has the variance t and e_i s / n_i.
t is found by restricted maximum likelihood (a golden section), the error of b is that of Knapp and
Hartung, with as many degrees of freedom as there are people beyond the coefficients.
"""

from math import exp, log, sqrt
from statistics import fmean, pvariance
from typing import Any

from rebuilding.statistics import around, t_test

STEPS = 60
GOLDEN = (sqrt(5) - 1) / 2
TIE = 1e-12
LEAST_KNOWN_BEFORE = 4  # people whose games before are needed to adjust by them
Matrix = list[list[float]]


def known_before(
    people: "list[str]", strata: "dict[str, str]", before: "dict[str, float]"
) -> Matrix:
    """Return a column for each stratum but one, and the games before; unknown ones count as
    average."""
    names = sorted({strata[who] for who in people})[1:]
    columns = [[float(strata[who] == name) for who in people] for name in names]
    known = [before[who] for who in people if who in before]
    if len(known) >= LEAST_KNOWN_BEFORE and max(known) > min(known):
        columns.append([before.get(who, fmean(known)) for who in people])
    return columns


def least_squares(values: "list[float]", columns: Matrix) -> "list[float] | None":
    """Return a coefficient a column; None where columns are made of each other."""
    design, ones = [list(row) for row in zip(*columns, strict=True)], [1.0] * len(values)
    if not design or _solved(_crossed(design, ones), [1.0] * len(columns)) is None:
        return None
    return _fitted(values, ones, design)


def model(means: "list[float]", games: "list[int]", noise: float, columns: Matrix) -> Any:
    """Return the fit of the second column, the first being the constant; None if people do not
    determine it."""
    design = [list(row) for row in zip(*columns, strict=True)]
    people, width = len(design), len(columns)
    errors = [noise / n for n in games]
    if people <= width or least_squares(means, columns) is None:
        return None
    between = _between(means, errors, design)
    weights = [1 / max(between + error, TIE) for error in errors]
    fit, crossed = _fitted(means, weights, design), _crossed(design, weights)
    left = [mean - _times(row, fit) for mean, row in zip(means, design, strict=True)]
    scale = sum(w * e * e for w, e in zip(weights, left, strict=True)) / (people - width)
    unit = _solved(crossed, [float(at == 1) for at in range(width)]) or [0.0] * width
    found = around(fit[1], scale * unit[1], people - width)
    return {"difference": fit[1], "model": found, "test": t_test(found)}


def _between(means: "list[float]", errors: "list[float]", design: Matrix) -> float:
    """Return the variance of people; where all have as many games it is plain."""
    if max(errors) - min(errors) <= TIE * max(*errors, TIE):
        fit = _fitted(means, [1.0] * len(means), design)
        left = [mean - _times(row, fit) for mean, row in zip(means, design, strict=True)]
        return max(0.0, sum(e * e for e in left) / (len(means) - len(design[0])) - errors[0])
    low, high = 0.0, 4 * pvariance(means) + TIE
    inner = [high - GOLDEN * (high - low), low + GOLDEN * (high - low)]
    heights = [_likelihood(at, means, errors, design) for at in inner]
    for _step in range(STEPS):
        if heights[0] >= heights[1]:
            high, inner[1], heights[1] = inner[1], inner[0], heights[0]
            inner[0] = high - GOLDEN * (high - low)
            heights[0] = _likelihood(inner[0], means, errors, design)
        else:
            low, inner[0], heights[0] = inner[0], inner[1], heights[1]
            inner[1] = low + GOLDEN * (high - low)
            heights[1] = _likelihood(inner[1], means, errors, design)
    return (low + high) / 2


def _likelihood(
    between: float, means: "list[float]", errors: "list[float]", design: Matrix
) -> float:
    weights = [1 / max(between + error, TIE) for error in errors]
    fit = _fitted(means, weights, design)
    left = [mean - _times(row, fit) for mean, row in zip(means, design, strict=True)]
    square = sum(w * e * e for w, e in zip(weights, left, strict=True))
    return -(square - sum(map(log, weights)) + _log_determinant(_crossed(design, weights))) / 2


def _fitted(means: "list[float]", weights: "list[float]", design: Matrix) -> "list[float]":
    rows = list(zip(design, weights, means, strict=True))
    sums = [sum(w * row[at] * mean for row, w, mean in rows) for at in range(len(design[0]))]
    return _solved(_crossed(design, weights), sums) or [0.0] * len(sums)


def _crossed(design: Matrix, weights: "list[float]") -> Matrix:
    """X' W X."""
    width, rows = range(len(design[0])), list(zip(design, weights, strict=True))
    return [[sum(w * row[a] * row[b] for row, w in rows) for b in width] for a in width]


def _times(row: "list[float]", fit: "list[float]") -> float:
    return sum(x * b for x, b in zip(row, fit, strict=True))


def _solved(matrix: Matrix, right: "list[float]") -> "list[float] | None":
    """Solve by elimination; return None for dependent columns."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    size = max(abs(value) for row in matrix for value in row)
    for at in range(len(rows)):
        best = max(range(at, len(rows)), key=lambda n: abs(rows[n][at]))
        rows[at], rows[best] = rows[best], rows[at]
        if abs(rows[at][at]) <= TIE * size:
            return None
        for other in range(len(rows)):
            if other != at:
                share = rows[other][at] / rows[at][at]
                rows[other] = [x - share * y for x, y in zip(rows[other], rows[at], strict=True)]
    return [row[-1] / row[at] for at, row in enumerate(rows)]


def _log_determinant(matrix: Matrix) -> float:
    """Return the log determinant of a positive matrix, by Cholesky's roots."""
    width, roots, found = len(matrix), [row[:] for row in matrix], 0.0
    for a in range(width):
        for b in range(a, width):
            roots[a][b] = matrix[a][b] - sum(roots[n][a] * roots[n][b] for n in range(a))
        top = sqrt(max(roots[a][a], exp(-700)))
        roots[a] = roots[a][:a] + [value / top for value in roots[a][a:]]
        found += 2 * log(top)
    return found
