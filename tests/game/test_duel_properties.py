"""Whoever does whatever in whatever order: a duel stays one, on the same dice, turn by turn."""

from datetime import timedelta

import pytest
from django.core.exceptions import PermissionDenied
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from game import services
from game.fair.blocks import block
from game.models import Decision, Duel, Player
from game.selectors.games import game_played
from game.services import Refused
from solver.rules import Action, Hold, Score, legal_actions, replay
from tests.game.duels import card_of, fresh, new_duel, stands, totals
from tests.known import known
from tests.selection import examples

NO_PAUSE = timedelta()
deeds = st.lists(
    st.tuples(
        st.integers(0, 2),  # who: two at the table, and a stranger
        st.integers(0, 1),  # on whose card
        st.one_of(st.integers(0, 10_000), st.just("bots"), st.just("end")),
    ),
    min_size=1,
    max_size=60,
)


def any_action(duel: Duel, owner: Player, number: int) -> Action:
    """Mostly what the rules allow on that card; boxes more often than a hold."""
    allowed = legal_actions(game_played(card_of(duel, owner)).state) or (Hold(0),)
    boxes = [action for action in allowed if isinstance(action, Score)]
    return (boxes if boxes and number % 3 else allowed)[number % len(boxes or allowed)]


@pytest.mark.usefixtures("yatzy_tables")
class AnyOrder(TestCase):
    @settings(max_examples=examples(12), suppress_health_check=list(HealthCheck))
    @given(deeds)
    def test_it_stays_a_duel(self, done: list[tuple[int, int, int | str]]) -> None:
        people = [services.player_create() for _ in range(3)]
        duel = new_duel(people[:2], ["random"])
        for who, whose, deed in done:
            before = Decision.objects.filter(game__seat__duel=duel).count()
            try:
                act(duel, people[who], people[whose], deed)
            except (Refused, PermissionDenied):
                assert Decision.objects.filter(game__seat__duel=duel).count() == before
            else:
                assert isinstance(deed, str) or who == whose
            services.duel_settle(token=duel.token)
            check(duel)


def act(duel: Duel, player: Player, owner: Player, deed: int | str) -> None:
    if deed == "bots":
        for _ in range(4):
            services.bot_move(token=duel.token, pace=NO_PAUSE)
    elif deed == "end":
        services.duel_settle(token=duel.token)
    else:
        game = card_of(duel, owner)
        action = any_action(duel, owner, int(deed))
        seq = game.decisions.count()
        services.decision_record(game_id=game.pk, player=player, seq=seq, action=action)


def check(duel: Duel) -> None:
    shown, throws = stands(duel), block(duel.seed, duel.rules)
    turns = [sitting.course.turns for sitting in shown.sittings]
    assert max(turns) - min(turns) <= 1
    for sitting, total in zip(shown.sittings, totals(duel), strict=True):
        played = known(sitting.played)
        assert replay(duel.rules, throws, played.actions).total == total
    assert (fresh(duel).state == "finished") == all(
        turn == len(duel.rules.categories) for turn in turns
    )
