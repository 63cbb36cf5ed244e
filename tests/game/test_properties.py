"""Random players, honest and not, against the real database and a model of one list."""

from dataclasses import dataclass, field

from django.core.exceptions import PermissionDenied
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from game.core.accounts import player_create
from game.core.fair import blocks
from game.core.game_queries import game_played
from game.core.playing import decision_record
from game.core.refusals import Refused
from game.models import Decision, Game, Player
from solver.rules import Action, Hold, IllegalAction, Score, State, legal_actions, play, replay
from tests.play import BOXES, start_solo
from tests.selection import examples

anything = st.one_of(
    st.integers(-3, 40).map(Hold),
    st.sampled_from([*BOXES, "", "nonsense"]).map(Score),
)
legal = st.integers(0, 10_000)  # the n-th of what the rules allow
repeated = st.integers(0, 60).map(lambda back: ("repeat", back))
misplaced = st.tuples(st.just("misplace"), st.integers(-3, 60), anything)
stolen = st.tuples(st.just("steal"), anything)
steps = st.lists(st.one_of(legal, legal, legal, anything, repeated, misplaced, stolen), max_size=80)


@dataclass
class Table:
    """One game, and what it must be: the decisions that were accepted, in their order."""

    game: Game
    player: Player
    stranger: Player
    actions: list[Action] = field(default_factory=lambda: [Hold(0)])

    @property
    def state(self) -> State:
        return replay(self.game.rules, blocks.block(self.game.seed, self.game.rules), self.actions)

    def record(self, seq: int, action: Action, player: Player | None = None) -> bool:
        try:
            decision_record(
                game_id=self.game.pk, player=player or self.player, seq=seq, action=action
            )
        except (Refused, PermissionDenied):
            return False
        return True

    def try_action(self, action: Action) -> None:
        try:
            play(self.state, action, blocks.block(self.game.seed, self.game.rules))
        except IllegalAction:
            assert not self.record(len(self.actions), action)
        else:
            assert self.record(len(self.actions), action)
            self.actions.append(action)

    def step(self, step: object) -> None:
        match step:
            case int() if options := legal_actions(self.state):
                self.try_action(options[step % len(options)])
            case Hold() | Score():
                self.try_action(step)
            case ("repeat", int(back)):
                seq = back % len(self.actions)
                assert self.record(seq, self.actions[seq])
            case ("misplace", int(seq), Hold() | Score() as action) if seq != len(self.actions):
                same = 0 <= seq < len(self.actions) and self.actions[seq] == action
                assert self.record(seq, action) == same
            case ("steal", Hold() | Score() as action):
                assert not self.record(len(self.actions), action, self.stranger)

    def check(self) -> None:
        """No decision lost, doubled or moved, no die changed, and the card adds up."""
        rows = list(Decision.objects.filter(game=self.game).order_by("seq"))
        assert [row.seq for row in rows] == list(range(len(self.actions)))
        assert [row.action for row in rows] == self.actions
        played = game_played(Game.objects.get(pk=self.game.pk))
        assert played.state == self.state
        assert played.game.seed == self.game.seed
        boxes = [box.points for box in played.state.boxes if box]
        assert played.state.total == sum(boxes) + played.state.bonus
        finished = played.state.finished
        assert played.game.final_score == (played.state.total if finished else None)
        assert (played.game.finished_at is not None) == finished

    def check_dice(self) -> None:
        """Every die is that of the block, or the one that was kept."""
        block, shown = blocks.block(self.game.seed, self.game.rules), self.state
        if shown.dice:
            thrown = {tuple(block[shown.turn][roll]) for roll in range(3 - shown.throws_left)}
            for slot, face in enumerate(shown.dice):
                assert face in {throw[slot] for throw in thrown}


class Games(TestCase):
    @given(steps=steps)
    @settings(max_examples=examples(60), deadline=None, suppress_health_check=list(HealthCheck))
    def test_no_sequence_of_requests_loses_or_doubles_anything(self, steps: list[object]) -> None:
        player = player_create()
        table = Table(start_solo(player).game, player, player_create())
        for step in steps:
            table.step(step)
            table.check_dice()
        table.check()

    @given(choices=st.lists(legal, min_size=60, max_size=60))
    @settings(max_examples=examples(10), deadline=None, suppress_health_check=list(HealthCheck))
    def test_a_whole_game_adds_up(self, choices: list[int]) -> None:
        player = player_create()
        table = Table(start_solo(player).game, player, player_create())
        for choice in choices:
            table.step(choice)
        while not table.state.finished:
            table.step(len(legal_actions(table.state)) - 1)
        table.check()
