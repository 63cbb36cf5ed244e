"""Boundaries of group-sequential looks, held against printed tables and a plain integral."""

import math

import pytest

from solver.statistics.spending import SPENDING, boundaries, obrien_fleming, pocock
from solver.statistics.student import normal_p

# Two-sided 5 %, looks equally far apart: as the program of Reboussin, DeMets, Kim and Lan (2000)
# prints them, and every package since.
PRINTED = {
    ("obrien_fleming", 2): (2.963, 1.969),
    ("obrien_fleming", 3): (3.710, 2.511, 1.993),
    ("obrien_fleming", 4): (4.333, 2.963, 2.359, 2.014),
    ("obrien_fleming", 5): (4.877, 3.357, 2.680, 2.290, 2.031),
    ("pocock", 2): (2.157, 2.201),
    ("pocock", 3): (2.279, 2.295, 2.296),
    ("pocock", 4): (2.368, 2.368, 2.358, 2.350),
    ("pocock", 5): (2.438, 2.427, 2.410, 2.397, 2.386),
}


@pytest.mark.parametrize(("spending", "looks"), PRINTED)
def test_boundaries_are_those_of_the_printed_tables(spending: str, looks: int) -> None:
    found = boundaries([k / looks for k in range(1, looks + 1)], spending)
    printed = PRINTED[spending, looks]
    assert [look.z for look in found] == pytest.approx(printed, abs=0.00051)


@pytest.mark.parametrize("spending", SPENDING)
def test_one_look_at_the_end_is_the_usual_test(spending: str) -> None:
    (only,) = boundaries([1.0], spending)
    assert only.z == pytest.approx(1.959963984540054, abs=1e-12)
    assert only.p == pytest.approx(0.05, abs=1e-14)
    assert only.spent == pytest.approx(0.05, abs=1e-14)


def test_nothing_is_spent_before_anything_is_known_and_everything_at_the_end() -> None:
    for spent in (obrien_fleming, pocock):
        assert spent(0.0) == 0.0
        assert spent(1.0, 0.01) == pytest.approx(0.01, abs=1e-14)
    # The values in Lan and DeMets' own form: one side of 2.5 %.
    assert obrien_fleming(0.5) / 2 == pytest.approx(0.00152532, abs=1e-8)
    assert pocock(0.5) / 2 == pytest.approx(0.025 * math.log(1 + (math.e - 1) / 2), abs=1e-15)


@pytest.mark.parametrize("spending", SPENDING)
@pytest.mark.parametrize("shares", [(0.5, 1.0), (0.2, 0.9), (0.3, 0.301)])
def test_a_second_look_ends_as_many_trials_as_a_plain_integral_says(
    spending: str, shares: tuple[float, float]
) -> None:
    """P(first look passed over, second reached), over z of the first, in a hundred thousand
    steps: the middle of each, which errs by the square of the step."""
    first, second = boundaries(shares, spending)
    assert first.p == pytest.approx(first.spent, abs=1e-14)
    steps = 100_000
    width = 2 * first.z / steps
    before, after = math.sqrt(shares[0]), math.sqrt(shares[1] - shares[0])
    edge = second.z * math.sqrt(shares[1])
    ended = 0.0
    for step in range(steps):
        z = -first.z + (step + 0.5) * width
        over, under = (edge - z * before) / after, (edge + z * before) / after
        beyond = (math.erfc(over / math.sqrt(2)) + math.erfc(under / math.sqrt(2))) / 2
        ended += beyond * math.exp(-z * z / 2) / math.sqrt(2 * math.pi) * width
    assert ended == pytest.approx(second.spent - first.spent, abs=1e-9)
    assert second.p == pytest.approx(normal_p(second.z), abs=1e-15)


def test_looks_need_not_be_equally_far_apart() -> None:
    """Two looks that see the same twice cost what one costs."""
    once, _ = boundaries([0.5, 1.0], "pocock")
    _, late, _ = boundaries([0.1, 0.5, 1.0], "pocock")
    assert late.z > once.z
    early, _ = boundaries([0.02, 1.0], "obrien_fleming")
    assert early.z > 10  # nothing is spent on next to nothing
    assert early.spent < 1e-40
