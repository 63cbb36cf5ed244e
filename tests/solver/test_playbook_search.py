"""The search for better playbooks, held against listing every throw of what is left of a game."""

import json
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields, replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from solver.dp.arrays import Ints
from solver.players import playbook_changes, playbook_search
from solver.players.agent import Card
from solver.players.playbook import stored_books
from solver.players.playbook_changes import changed, drawn
from solver.players.playbook_play import PlaybookPlay, reached_by, ways_of, worth
from solver.players.playbook_rules import ALIKE, MADE, MOST, OWN, Playbook
from solver.players.playbook_rules import BookRule as Rule
from solver.players.playbook_search import CHEAP, Deviation, Improved, improved, values_of
from solver.players.playbook_words import sentence
from solver.rules import RULESETS, YATZY, Ruleset
from tests.solver.conftest import Run
from tests.solver.made_up import FOUR_DICE_JOKER, THREE_DICE
from tests.solver.reference import Followed, choices_of

RULES = (Rule(ALIKE, 2), Rule(box=MADE), Rule(box=MOST, count=4), Rule(ALIKE, 2, box=OWN))
SMALL = (THREE_DICE, FOUR_DICE_JOKER)
some_rules = pytest.mark.parametrize("rules", SMALL, ids=lambda rules: rules.id)


def book(rules: Ruleset, *known: Rule) -> Playbook:
    return Playbook(known or RULES, tuple(reversed(list(rules.index))))


def low_faces(rules: Ruleset) -> Playbook:
    return book(rules, Rule(ALIKE, 1, high=2), *RULES)


class Remembering(PlaybookPlay):
    """The upper total does not matter to it."""

    def __init__(self, rules: Ruleset, own: Playbook) -> None:
        super().__init__(rules, own)
        self.known = cache(super().card)

    def card(self, row: int, column: int) -> Card:
        return self.known(row, 0)


class Listed:
    """What the rest of a game brings, every throw listed; or with a turn by another book first."""

    def __init__(self, rules: Ruleset, own: Playbook, other: Playbook) -> None:
        self.rules = rules
        self.own, self.turn = (
            Followed(rules, choices_of(Remembering(rules, one))) for one in (own, other)
        )
        self.turn.start = self.own.start

    def mean(self, first: Followed, row: int, column: int) -> float:
        rules = self.rules
        card = row & rules.full, column, row > rules.full
        return sum(score * chance for score, chance in first.hold((), rules.throws, *card).items())


def come_to(play: PlaybookPlay) -> Iterator[tuple[int, int, float]]:
    """Cards before the end, with their upper totals and chances."""
    reached, _mean = reached_by(play)
    reached[play.space.full_rows] = 0.0
    for row, column in np.argwhere(reached).tolist():
        yield row, column, reached[row, column]


@pytest.mark.sampled("rules")
@some_rules
def test_what_a_book_brings_is_what_listing_every_throw_gives(rules: Ruleset) -> None:
    own, other = book(rules), low_faces(rules)
    play, listed = PlaybookPlay(rules, own), Listed(rules, own, other)
    cards, values = list(come_to(play)), values_of(play)
    rows: Ints = np.unique([row for row, _column, _chance in cards])
    shares, due = np.zeros((len(rows), play.space.columns)), 0.0
    for row, column, chance in cards:
        value = listed.mean(listed.own, row, column)
        assert values[row, column] == pytest.approx(value, abs=1e-12)
        shares[np.searchsorted(rows, row), column] = chance
        due += chance * (listed.mean(listed.turn, row, column) - value)
    assert values[0, 0] == pytest.approx(worth(play).mean, abs=1e-12)
    deviation = Deviation(play, rows, shares)
    assert deviation.gain(other) == pytest.approx(due, abs=1e-12)
    assert due < -0.1
    assert deviation.gain(own) == 0.0


def test_the_cards_of_the_estimate_are_drawn_as_often_as_they_are_come_to() -> None:
    play = PlaybookPlay(THREE_DICE, book(THREE_DICE))
    reached, _mean = reached_by(play)
    reached[play.space.full_rows] = 0.0
    exact = Deviation(play, np.arange(play.space.rows), reached).gain(low_faces(THREE_DICE))
    estimates = []
    for seed in range(30):
        found = playbook_search._drawn(THREE_DICE, play.book, np.random.default_rng(seed))
        assert reached[found.rows].any(axis=1).all()
        estimates.append(found.gain(low_faces(THREE_DICE)))
    assert np.mean(estimates) == pytest.approx(exact, rel=0.02)
    assert 0 < np.std(estimates) < 0.1 * abs(exact)


def test_every_book_is_better_than_the_one_before_and_graded_exactly(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(playbook_search, "DRAWN", 3)  # so few that they often mislead
    start = book(THREE_DICE, Rule(box=MOST, count=5))

    def search(steps: int, seconds: float) -> list[Improved]:
        return list(improved(THREE_DICE, start, 3, 3, steps=steps, seconds=seconds))

    found = search(60, 1e9)
    assert (found[0].step, found[0].book) == (0, start)
    assert len(found) > 3
    for before, after in pairwise(found):
        assert before.step < after.step <= 60
        assert before.worth.mean < after.worth.mean
    for one in found:
        assert one.worth == worth(PlaybookPlay(THREE_DICE, one.book))
        assert len(one.book.rules) <= 3
    assert search(60, -1) == found[:1]
    assert search(found[2].step, 1e9) == found[:3]
    assert search(found[2].step - 1, 1e9) == found[:2]


def test_it_begins_with_no_rule_too() -> None:
    nothing = Playbook((), tuple(THREE_DICE.index))
    *_, last = improved(THREE_DICE, nothing, 2, 1, steps=40, seconds=1e9)
    assert 1 <= len(last.book.rules) <= 2


def test_what_is_cheap_to_forget_is_left_out_oftenest() -> None:
    twice = book(THREE_DICE, Rule(box=MOST, count=5), Rule(ALIKE, 2), Rule(ALIKE, 2))
    deviation = playbook_search._drawn(THREE_DICE, twice, np.random.default_rng(1))
    dear, cheap, unused = playbook_search._left_out(deviation)
    assert dear + cheap + unused == pytest.approx(1, abs=1e-12)
    assert unused == cheap > dear > 0
    lost = deviation.gain(book(THREE_DICE, *twice.rules[1:]))
    assert dear / cheap == pytest.approx(CHEAP / (CHEAP - lost), abs=1e-12)


def sayable(rules: Ruleset, rng: np.random.Generator) -> Iterator[Rule]:
    """What is drawn, and what else may be read: a part of it changed."""
    rule, other = drawn(rules, rng), drawn(rules, rng)
    assert Rule.read(str(rule), rules) == rule
    yield rule
    for field in fields(Rule):
        with suppress(ValueError):
            mixed = replace(rule, **{field.name: getattr(other, field.name)})
            yield Rule.read(str(mixed), rules)


@pytest.mark.parametrize("rules", [YATZY, RULESETS["yahtzee"]], ids=lambda rules: rules.id)
def test_rules_of_one_sentence_do_the_same(rules: Ruleset) -> None:
    rng, told = np.random.default_rng(5), defaultdict(set)
    for _ in range(150):
        for rule in sayable(rules, rng):
            told[sentence(rule, rules)].add(rule)
    several = [every for every in told.values() if len(every) > 1]
    assert len(several) > 20
    for one, *others in several:
        for other in others:
            for left in range(rules.throws):
                assert ways_of(rules, one, left) == ways_of(rules, other, left), (one, other)


def test_a_varied_rule_is_a_rule_of_its_kind() -> None:
    rng = np.random.default_rng(7)
    for _ in range(300):
        rule = drawn(YATZY, rng)
        other = playbook_changes._varied(YATZY, rule, rng)
        assert Rule.read(str(other), YATZY) == other
        assert (other.what, bool(other.box)) == (rule.what, bool(rule.box))


def test_a_changed_book_differs_in_one_thing_and_has_no_more_rules_than_it_may() -> None:
    start = book(YATZY, *RULES, Rule(box="pair"))
    rng, deeds = np.random.default_rng(2), set()
    for size in (4, 5, 7):
        for _ in range(200):
            other = changed(YATZY, start, size, np.full(5, 0.2), rng)
            assert len(other.rules) <= max(size, 5)
            assert sorted(other.scratch) == sorted(start.scratch)
            gone = [rule for rule in start.rules if rule not in other.rules]
            new = [rule for rule in other.rules if rule not in start.rules]
            assert len(gone) <= 1 >= len(new)
            for rule in new:
                assert Rule.read(str(rule), YATZY) == rule
            moved = not gone and not new and other.rules != start.rules
            deeds.add((len(gone), len(new), moved, other.scratch != start.scratch))
    assert {(1, 1, False, False), (0, 1, False, False), (1, 0, False, False)} < deeds
    assert {(0, 0, True, False), (0, 0, False, True)} < deeds


def test_a_better_playbook_is_searched_for_from_a_file_on(run: Run, tmp_path: Path) -> None:
    mine, better = tmp_path / "mine.json", tmp_path / "better.json"
    start = Playbook((Rule(box=MADE),), tuple(YATZY.index))
    mine.write_text(json.dumps(start.as_data()))
    book_of = ("playbook", "--file", str(mine), "--json", "search")
    bounds = ("--steps", "2", "--seed", "8", "--out", str(better))
    status, out, told = run(*book_of, *bounds)
    first, *_, due = improved(YATZY, start, 10, 8, steps=2, seconds=1e9)
    found = json.loads(out)
    assert due.worth.mean > first.worth.mean
    assert (status, found["ruleset"], found["mean"]) == (0, "yatzy", due.worth.mean)
    assert json.loads(better.read_text()) == due.book.as_data()
    assert f"step {due.step}: {len(due.book.rules)} rules, {due.worth.mean:.9f}\n" in told
    for wrong in ({"scratch": ["ones"]}, {"rules": [{"box": "own"}]}):
        mine.write_text(json.dumps(start.as_data() | wrong))
        assert run(*book_of)[0] == 2
    assert run("playbook", "--ruleset", "yahtzee-plain", "search")[0] == 2


@pytest.mark.nightly
def test_the_stored_playbook_is_where_a_search_begins(run: Run) -> None:
    status, out, told = run("playbook", "--ruleset", "yahtzee", "search", "--seconds", "0")
    stored = stored_books("yahtzee")["10"]["mean"]
    assert (status, told) == (0, f"step 0: 10 rules, {stored:.9f}\n")
    assert f"{stored:.9f}" in out
