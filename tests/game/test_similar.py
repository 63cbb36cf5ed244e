"""A position like a mistake: another one, of the same kind, as near as the pool has it."""

import pytest

from game.core.worth.leak_tree import find_path
from game.core.worth.tables import require_advisor
from game.practice.drill_pool import load_exercises
from game.practice.learn import find_idea, find_similar
from solver.advice import Advisor, Position, build_state
from solver.rules import RULESETS, YATZY, Hold, Ruleset, Score

pytestmark = pytest.mark.usefixtures("all_tables")
EACH = pytest.mark.parametrize("rules", RULESETS.values(), ids=str)


def positions(rules: Ruleset) -> list[Position]:
    return [exercise.position for exercise in load_exercises(rules).values()]


def boxes_open(position: Position) -> int:
    return len(position.rules.open(position.filled))


def best_place(coach: Advisor, position: Position) -> tuple[str, ...]:
    state, best = build_state(position), coach.advise(position).best
    if best.action == "score":
        return find_path(coach, state, Score(best.category))
    return find_path(coach, state, Hold.of(best.dice, state.dice))


@pytest.mark.sampled("rules")
@EACH
def test_it_is_the_nearest_of_its_kind_and_never_itself(rules: Ruleset) -> None:
    coach, pool = require_advisor(rules), positions(rules)
    places = {position: best_place(coach, position) for position in pool}
    for position in pool[::17]:
        assert find_idea(coach, position) == places[position]
        found = find_similar(coach, [position])[0].position
        assert found != position
        kind, throw, box, *_rest = places[position]
        assert places[found][0] == kind
        others = [one for one in pool if one != position and places[one][0] == kind]
        of_box = [one for one in others if places[one][2] == box]
        of_throw = [one for one in of_box if places[one][1] == throw]
        nearer = of_throw or of_box or others
        assert found in nearer
        if of_throw:
            away = min(abs(boxes_open(one) - boxes_open(position)) for one in of_throw)
            assert abs(boxes_open(found) - boxes_open(position)) == away


def test_none_is_taken_twice_and_what_was_met_comes_last() -> None:
    coach = require_advisor(YATZY)
    position = positions(YATZY)[0]
    row = find_similar(coach, [position] * 5)
    assert len({one.key for one in row}) == 5
    fresh = find_similar(coach, [position] * 5, {one.key for one in row})
    assert not {one.key for one in row} & {one.key for one in fresh}
    everything = find_similar(coach, [position], load_exercises(YATZY).keys())
    assert everything == row[:1]
