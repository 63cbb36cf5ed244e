"""Many positions at once are advised on as each of them alone."""

from random import Random

import pytest

from solver.advice import Advice, Advisor, Option, Position
from solver.advice.advising import TOGETHER, advise_many
from solver.dp.space import TIE
from solver.rules import Ruleset

NUMBER = 3 * TOGETHER + 5  # so that some throws left have more than one lot


def random_position(rules: Ruleset, random: Random) -> Position:
    """Five alike are frequent: jokers are where rulesets differ."""
    filled = random.randrange(rules.full)
    upper = random.choice(sorted(rules.list_upper_totals(filled)))
    chips = rules.joker and filled >> rules.index[rules.joker.box] & 1 and random.random() < 0.5
    dice = [random.randint(1, 6) for _ in range(5)]
    if random.random() < 0.2:
        dice = dice[:1] * 5
    return Position(rules, filled, upper, tuple(dice), random.randrange(rules.throws), bool(chips))


@pytest.fixture(scope="module")
def positions(any_advisor: Advisor) -> list[Position]:
    random = Random(5)
    return [random_position(any_advisor.rules, random) for _ in range(NUMBER)]


def named(advice: Advice) -> dict[tuple[str, object], Option]:
    return {(option.category, option.dice): option for option in advice.options}


@pytest.mark.sampled("any_advisor")
def test_every_option_is_the_one_of_a_position_alone(
    any_advisor: Advisor, positions: list[Position]
) -> None:
    found = advise_many(any_advisor, positions, outlook=True)
    for position, many in zip(positions, found, strict=True):
        alone = any_advisor.advise(position, outlook=True)
        assert many.value == pytest.approx(alone.value, abs=2e-12)
        assert [o[:4] for o in many.options] == [o[:4] for o in alone.options]
        ours, theirs = named(many), named(alone)
        assert ours.keys() == theirs.keys()
        for key, option in ours.items():
            assert option[:4] == theirs[key][:4]
            assert option[4:6] == pytest.approx(theirs[key][4:6], abs=2e-12)
            assert option.outlook == pytest.approx(theirs[key].outlook, abs=1e-8)
        costs = [option.regret for option in many.options]
        assert costs == pytest.approx(sorted(costs), abs=TIE)


def test_the_best_of_many_are_the_first_of_all(
    any_advisor: Advisor, positions: list[Position]
) -> None:
    everything = advise_many(any_advisor, positions)
    for top in (1, 3, 99):
        best = advise_many(any_advisor, positions, top=top)
        for one, every in zip(best, everything, strict=True):
            assert one == Advice(every.value, every.options[:top])
            assert one.best.outlook is None


def test_without_the_table_of_outlooks_there_is_none(
    any_advisor: Advisor, positions: list[Position]
) -> None:
    plain = Advisor(any_advisor.values, any_advisor.rules)
    found = advise_many(plain, positions[:9], outlook=True)
    assert found == advise_many(any_advisor, positions[:9])


def test_of_nothing_there_is_no_advice(any_advisor: Advisor) -> None:
    assert advise_many(any_advisor, []) == []


def test_the_outlook_of_the_best_alone_is_the_one_it_has_among_all(
    any_advisor: Advisor, positions: list[Position]
) -> None:
    """It is followed forwards to where it ends, where that of all is worked out backwards."""
    everything = advise_many(any_advisor, positions, outlook=True)
    best = advise_many(any_advisor, positions, top=1, outlook=True)
    for one, every in zip(best, everything, strict=True):
        (option,), first = one.options, every.options[0]
        assert (one.value, option[:6]) == (every.value, first[:6])
        assert option.outlook == pytest.approx(first.outlook, abs=1e-10)
