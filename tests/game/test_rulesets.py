"""Every ruleset is begun, played, shown and ranked by itself."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from game.core.accounts import create_player
from game.core.fair import blocks, tickets
from game.core.game_dice import list_shown_dice
from game.core.game_queries import Played, replay_game
from game.core.playing import record_decision
from game.core.refusals import IllegalMove
from game.core.starting import start_game
from game.models import Game, Player
from game.pages.board.verification import find_faults
from solver.rules import RULESETS, Ruleset, list_legal_actions, replay
from tests.game.joker_games import PLAIN, YAHTZEE, dealt, kept_playing, on_table, scored, typed
from tests.selection import examples

EVERY = pytest.mark.parametrize("rules", RULESETS.values(), ids=RULESETS)
WITH_JOKERS = [rules for rules in RULESETS.values() if rules.joker]


def started(player: Player | None, ruleset: str = "", **more: Any) -> Played:
    nonce = tickets.issue().signed
    return start_game(player=player, mode="solo", nonce=nonce, ruleset=ruleset, **more)


# Playing


class Card:
    """Five of a kind again and again, scored as the printed rules of Yahtzee say it."""

    UPPER = ("ones", "twos", "threes", "fours", "fives", "sixes")
    SUMS = ("three_of_a_kind", "four_of_a_kind", "chance")
    FIXED = {"full_house": 25, "small_straight": 30, "large_straight": 40}

    def __init__(self, joker: str) -> None:
        self.joker = joker
        self.points: dict[str, int] = {}
        self.extra = 0

    def allowed(self, face: int) -> dict[str, int]:
        own = self.UPPER[face - 1]
        boxes = [*self.UPPER, *self.SUMS, *self.FIXED, "yahtzee"]
        left = [box for box in boxes if box not in self.points]
        below = [box for box in left if box not in self.UPPER]
        is_joker = self.joker and "yahtzee" in self.points
        if is_joker and self.joker == "forced":
            left = [own] if own in left else below or left
        full = is_joker and own in self.points
        return {box: self._worth(box, face, full=bool(full)) for box in left}

    def _worth(self, box: str, face: int, *, full: bool) -> int:
        if box == self.UPPER[face - 1] or box in self.SUMS:
            return 5 * face
        if box == "yahtzee":
            return 50
        return self.FIXED[box] if full and box in self.FIXED else 0

    def fill(self, box: str, face: int) -> None:
        if self.joker and self.points.get("yahtzee"):
            self.extra += 100
        self.points[box] = self.allowed(face)[box]

    @property
    def total(self) -> int:
        upper = sum(self.points.get(box, 0) for box in self.UPPER)
        return sum(self.points.values()) + self.extra + (35 if upper >= 63 else 0)


def check_jokers(rules: Ruleset, turns: list[tuple[int, int]]) -> None:
    played = on_table(create_player(), rules)
    card = Card(rules.joker.policy if rules.joker else "")
    for face, pick in turns:
        played = typed(played, face)
        state, allowed = played.state, card.allowed(face)
        assert {rules.categories[n].id: points for n, points in state.offers.items()} == allowed
        for box in (c.id for n, c in enumerate(rules.categories) if state.boxes[n] is None):
            if box not in allowed:
                with pytest.raises(IllegalMove, match="joker"):
                    scored(played, box)
        box = sorted(allowed)[pick % len(allowed)]
        card.fill(box, face)
        played = scored(played, box)
    game = Game.objects.get(pk=played.game.pk)
    assert (game.final_score, game.chips) == (card.total, card.extra)
    assert find_faults(game) == []


class Games(TestCase):
    @given(choices=st.lists(st.integers(0, 10_000), min_size=60, max_size=60))
    @settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
    def test_whatever_is_played_the_stored_score_is_that_of_the_replay(
        self, choices: list[int]
    ) -> None:
        for rules in RULESETS.values():
            played = dealt(create_player(), rules, f"{choices[0]:064x}")
            for number in range(len(rules.categories) * (rules.throws + 1)):
                options = list_legal_actions(played.state)
                if not options:
                    break
                played = record_decision(
                    game_id=played.game.pk,
                    player=played.game.player,
                    seq=len(played.actions),
                    action=options[choices[number % len(choices)] % len(options)],
                )
            while not played.state.finished:
                played = scored_or_thrown(played)
            game = Game.objects.get(pk=played.game.pk)
            state = replay(rules, blocks.block(game.seed, rules), replay_game(game).actions)
            assert (game.final_score, game.bonus, game.chips) == (
                state.total,
                state.bonus,
                state.chips,
            )
            assert find_faults(game) == []

    @given(
        turns=st.lists(st.tuples(st.integers(1, 6), st.integers(0, 99)), min_size=13, max_size=13)
    )
    @settings(max_examples=examples(12), deadline=None, suppress_health_check=list(HealthCheck))
    def test_jokers_score_as_the_printed_rules_say_and_are_refused_elsewhere(
        self, turns: list[tuple[int, int]]
    ) -> None:
        for rules in (*WITH_JOKERS, PLAIN):
            check_jokers(rules, turns)


def scored_or_thrown(played: Played) -> Played:
    action = list_legal_actions(played.state)[-1]
    return record_decision(
        game_id=played.game.pk, player=played.game.player, seq=len(played.actions), action=action
    )


def joker_of(played: Played, *boxes: str) -> Played:
    """Five sixes in each of these boxes, and five more on the table."""
    for box in boxes:
        played = scored(typed(played, 6), box)
    return typed(played, 6)


def test_what_a_joker_may_not_do_is_refused_in_its_own_words(player: Player) -> None:
    played = joker_of(on_table(player, YAHTZEE), "yahtzee")
    with pytest.raises(IllegalMove, match="while Sixes is open, you must score them there"):
        scored(played, "full_house")
    played = joker_of(scored(played, "sixes"))
    with pytest.raises(
        IllegalMove, match="while a lower box is open, you cannot score them in Ones"
    ):
        scored(played, "ones")


def test_chips_are_part_of_the_score_and_stored_by_themselves(player: Player) -> None:
    game = kept_playing(dealt(player, YAHTZEE)).game
    assert (game.final_score, game.bonus, game.chips) == (563, 0, 400)
    assert find_faults(game) == []
    game.chips = 300
    game.save()
    assert find_faults(game) == ["the final score is not that of the decisions"]


@EVERY
def test_real_dice_have_room_for_every_throw_of_the_rules(player: Player, rules: Ruleset) -> None:
    played = on_table(player, rules)
    dice = list_shown_dice(played.game)
    assert (len(dice), {len(turn) for turn in dice}) == (len(rules.categories), {rules.throws})


# Beginning


@EVERY
def test_the_rules_that_are_asked_for_are_played_and_remembered(
    player: Player, rules: Ruleset
) -> None:
    assert started(player, rules.id).state.rules == rules
    player.refresh_from_db()
    assert player.rules == rules
