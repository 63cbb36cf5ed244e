"""Every sentence that says why is true, and every number in it is one of the tables'."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from random import Random
from unittest.mock import patch

import pytest

from game.coach.reasons import Facts, describe_aims, explain_best, is_bonus_in_reach
from game.core.words.speech import TABLE, Speaker, describe_odds
from solver.advice import Advice, Advisor, BadPosition, Option, Position, check_position
from solver.advice.aims import Aim
from solver.rules import RULESETS, YATZY, Ruleset
from solver.tables import EXPLAIN, OUTLOOK
from tests.conftest import solved
from tests.endings import Ends, ends_of
from tests.known import known
from tests.selection import examples

LONGEST = 140  # letters, where it stands in the tray
POSITIONS = 2500  # of each of the four rulesets


def positions(rules: Ruleset, number: int, seed: int = 1) -> Iterator[Position]:
    """Cards of every fullness with dice on the table; every tenth throw is five alike."""
    random = Random(seed)
    while number:
        filled = random.randrange(rules.full)
        upper = random.choice(sorted(rules.list_upper_totals(filled)))
        dice = tuple(sorted(random.randint(1, 6) for _ in range(5)))
        if random.random() < 0.1:
            dice = dice[:1] * 5
        chips_won = rules.joker is not None and random.random() < 0.3
        position = Position(rules, filled, upper, dice, random.randrange(rules.throws), chips_won)
        try:
            check_position(position)
        except BadPosition:
            continue
        number -= 1
        yield position


@dataclass(frozen=True)
class Said:
    whole: Advisor
    facts: Facts

    @property
    def text(self) -> str:
        return self.facts.said("why")

    @cached_property
    def names(self) -> list[str]:
        found = list[str]()
        sentence = Speaker._say

        def noted(speaker: Speaker, name: str) -> str:
            found.append(f"{name} {self.facts.tense}")
            return sentence(speaker, name)

        with patch.object(Speaker, "_say", noted):
            assert self.text
        return found

    def rest(self, scored: Option) -> float:
        position, rules = self.facts.position, self.whole.rules
        at = rules.index[scored.category]
        options = rules.score_options(position.filled, position.chips_won, position.dice)
        (taken,) = [option for option in options if option.category == at]
        assert scored.points == taken.points + taken.chip
        upper = position.upper + (taken.points if rules.categories[at].face else 0)
        won = rules.joker is not None and rules.joker.box == scored.category and taken.points > 0
        filled = position.filled | 1 << at
        return self.whole.value(filled, upper, chips_won=position.chips_won or won)

    def check(self) -> None:
        facts = self.facts
        if facts.options == 1:
            return
        best, rival, near = facts.best, facts.rival, pytest.approx
        assert best.regret < 1e-9 <= rival.regret or facts.tense != "missed"
        assert facts.better == (
            best.action == rival.action == "score"
            and (rival.points > best.points and rival.regret >= 0.05)
        )
        if best.action == rival.action == "score":
            assert facts.more == rival.points - best.points
            assert facts.fewer == near(self.rest(best) - self.rest(rival), abs=1e-4)
        if facts.secures:
            filled = [o for o in facts.advice.options if o.category == best.category]
            assert (
                facts.position.upper
                < facts.advisor.rules.bonus_threshold
                <= (facts.position.upper + max(option.points for option in filled))
            )
        if facts.stops:
            boxes = [o.value for o in facts.advice.options if o.action == "score"]
            assert max(boxes) == near(facts.advice.value, abs=1e-9)
        if facts.aim:
            self.check_aim(facts.aim, ends_of(self.whole, facts.position, best))
        if rival.regret > 1e-9:
            facts = self.facts
            if facts.falls:
                assert is_bonus_in_reach(facts.position)
                before, after = (known(one.outlook).bonus_chance for one in (facts.best, rival))
                assert (facts.falls.before, facts.falls.after) == (before, after)
                lost = (before - after) * facts.advisor.rules.bonus_points
                assert facts.falls.share == pytest.approx(lost / rival.regret)
            if facts.largest:
                parts = known(self.whole.why(facts.position, facts.best, rival))
                most = max(part.points for part in parts)
                assert facts.largest.share == pytest.approx(most / rival.regret)
                (box,) = [part for part in parts if part.box == facts.largest.box]
                assert box.points == pytest.approx(most)

    def check_aim(self, aim: Aim, ends: dict[str, Ends]) -> None:
        least = self.facts.best.value - 1e-9
        worth = {b: e for b, e in ends.items() if e.chance >= 0.11 and e.value >= least} or ends
        most = max(end.chance for end in worth.values())
        likeliest = {box: end for box, end in worth.items() if end.chance > most - 1e-8}
        assert likeliest[aim.box].value == pytest.approx(max(e.value for e in likeliest.values()))
        assert aim.chance == pytest.approx(ends[aim.box].chance)
        assert (aim.rest is None) == (aim.chance >= 0.95)
        if aim.rest is None:
            return
        nothing = 1 - sum(end.chance for end in ends.values())
        others = {box: end.chance for box, end in ends.items()} | {"": nothing}
        del others[aim.box]
        likely = sorted(others.values(), reverse=True)
        number = len(aim.rest.boxes)
        assert [others[box] for box in aim.rest.boxes] == pytest.approx(likely[:number])
        left = 1 - aim.chance
        assert number or sum(likely[:2]) <= (0.5 + 1e-8) * left
        assert not number or aim.rest.share == pytest.approx(sum(likely[:number]) / left)


def reasoned(
    advisor: Advisor, position: Position, chosen: int | None = None, *, by: Advisor | None = None
) -> Said:
    """Return what an advisor says of a position, or of the option chosen there, by its place; one
    given by ``by`` knows fewer tables."""
    advice = (by or advisor).advise(position, outlook=True)
    done = None if chosen is None else advice.options[chosen]
    return Said(advisor, Facts(by or advisor, position, advice, done))


def chosen_at_random(advisor: Advisor, position: Position, random: Random) -> int:
    """Return a place in the advice: of a good option as often as of any other."""
    options = advisor.advise(position).options
    return random.choice((0, random.randrange(len(options))))


def test_a_reason_is_short_and_its_facts_agree_with_the_tables(whole: Advisor) -> None:
    random, heard = Random(7), set[str]()
    for position in positions(whole.rules, examples(POSITIONS)):
        for chosen in (None, chosen_at_random(whole, position, random)):
            said = reasoned(whole, position, chosen)
            said.check()
            facts = said.facts
            assert len(said.text) <= LONGEST, said.text
            quoted = r"[“”«»][^“”«»]*[“”«»]|\(\d+ in \d+\)"
            told = sorted(re.findall(r"\d+(?:\.\d+)?", re.sub(quoted, "", said.text)))
            assert len(set(told)) == len(told), said.text
            if facts.tense != "before" and facts.options > 1:
                shown = (facts.rival.points, facts.best.points, round(facts.rival.regret, 1))
                beside = shown if facts.tense == "missed" else shown[1:2]
                assert not set(map(float, told)) & {float(one) for one in beside if one}, said.text
            if said.text:
                heard.update(said.names)
    assert len(heard) >= 45  # no sentence is all that is ever said


def test_a_question_and_a_miss_always_get_a_reason(whole: Advisor) -> None:
    random = Random(9)
    for position in positions(whole.rules, 600, seed=9):
        assert reasoned(whole, position).text
        said = reasoned(whole, position, chosen_at_random(whole, position, random))
        assert said.text or said.facts.tense == "found"


@pytest.mark.parametrize("missing", [{OUTLOOK}, {EXPLAIN}, {OUTLOOK, EXPLAIN}])
def test_without_a_table_less_is_said_and_nothing_false(whole: Advisor, missing: set[str]) -> None:
    outlook = None if OUTLOOK in missing else whole.outlook
    explain = None if EXPLAIN in missing else whole.explain
    poorer = Advisor(whole.values, whole.rules, outlook, explain)
    for position in positions(whole.rules, 200, seed=3):
        said = reasoned(whole, position, by=poorer)
        said.check()
        names = {name.split()[0] for name in said.names}
        assert OUTLOOK not in missing or not names & {"lowers_bonus", "bonus_falls"}
        assert EXPLAIN not in missing or not names & {"left_open", "loses_in", "loses_later"}


def test_no_box_is_said_to_bring_most_where_another_brings_more_at_hardly_a_cost(
    whole: Advisor,
) -> None:
    others = 0
    for position in positions(whole.rules, 300, seed=8):
        advice = whole.advise(position, outlook=True)
        near = [option._replace(regret=min(option.regret, 0.01)) for option in advice.options]
        text = explain_best(whole, position, Advice(advice.value, tuple(near)))
        most = max(option.points for option in near)
        if advice.best.action == "score" and advice.best.points < most:
            others += 1
            assert "No other box" not in text
            assert "worth nearly as much" in text or "just as much" in text
    assert others


def test_the_bonus_is_no_reason_where_it_is_there_or_lost(whole: Advisor) -> None:
    for position in positions(whole.rules, 600, seed=4):
        if is_bonus_in_reach(position):
            continue
        advice = whole.advise(position, outlook=True)
        assert not re.search("chance of the bonus|bonus chance", reasoned(whole, position).text)
        for option in advice.options[:3]:
            if option.action == "hold":
                assert "bonus" not in describe_aims(whole, position, option)


def test_the_bonus_is_in_reach_only_where_some_dice_could_bring_it() -> None:
    every = YATZY.make_mask(YATZY.index)
    sixes_left = every ^ YATZY.make_mask(["sixes"])

    assert [
        is_bonus_in_reach(Position(YATZY, sixes_left, upper, (1, 1, 1, 1, 1), 2))
        for upper in (32, 33, 62, 63)
    ] == [False, True, True, False]


def test_the_chip_of_a_joker_does_not_secure_the_bonus() -> None:
    rules = RULESETS["yahtzee-free-joker"]
    solved(rules)
    advisor = Advisor.open(rules)
    filled = rules.make_mask(rules.index) ^ rules.make_mask(["fives", "sixes"])
    text = {
        upper: reasoned(advisor, Position(rules, filled, upper, (6,) * 5, 0, chips_won=True)).text
        for upper in (10, 32, 33)
    }
    assert ["The best move secures the bonus." in text[upper] for upper in text] == [
        False,
        False,
        True,
    ]


def test_chances_in_words_rise_with_the_chance_and_are_near_it() -> None:
    told = [describe_odds(n / 1000) for n in range(951)]
    named = [f"{times} in {among}" for times, among in TABLE["odds"]["near"]]
    assert [word for word, _ in groupby(told)] == [*("very seldom", "seldom"), *named]
    assert told.index("seldom") == 20
    for n, words in enumerate(told[90:], 90):
        times, among = map(int, words.split(" in "))
        assert abs(times / among - n / 1000) <= max(0.05, 0.15 * n / 1000)
