"""The ceilings of the rooms notice growth, and follow a figure that sinks."""

import pytest

from tests.budgets import broken


@pytest.mark.parametrize(
    ("figure", "ceiling", "sinks", "is_broken"),
    [
        (100, 100, True, False),
        (101, 100, True, True),
        (101, 100, False, True),
        (98, 100, True, False),
        (97, 100, True, True),
        (10, 100, False, False),
    ],
)
def test_a_ceiling_is_broken_from_above_and_follows_what_sinks(
    figure: int, ceiling: int, sinks: bool, is_broken: bool
) -> None:
    assert bool(broken("lines", figure, ceiling, sinks=sinks)) == is_broken
