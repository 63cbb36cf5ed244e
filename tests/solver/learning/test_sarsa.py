from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from solver.learning.chance import draw_number, list_falls, make_streams, roll_dice
from solver.learning.sarsa import FINE, VALUES, Learner, Settings, make_identity, narrate_game
from solver.learning.simplified import CATEGORIES, Simplified
from solver.players.files import BadLearned, save
from solver.rules.dice import Dice, make_cup
from solver.rules.rulesets import Category
from tests.solver.learning.test_simplified import resulting

FIVE = make_cup(5)

Boxes = frozenset[int]
Key = tuple[Boxes, Dice, Dice | str]


class Plain:
    """SARSA with a dictionary and tuples of faces, as the book has it."""

    def __init__(self, categories: Sequence[Category], settings: Settings) -> None:
        self.categories, self.settings = categories, settings
        self.q: dict[Key, float] = {}
        self.luck = make_streams(settings.seed, 1)

    def state(
        self, open_boxes: Boxes, kept: Dice, left: int
    ) -> tuple[tuple[Boxes, Dice, int], Dice]:
        dice = FIVE.rolls[roll_dice(self.luck, 0, FIVE.hold_index[kept], list_falls(5))]
        rest = list(dice)
        for face in kept:
            rest.remove(face)
        hold = dice if not left else self.chosen(open_boxes, kept, tuple(rest))
        return (open_boxes, kept, left), hold

    def chosen(self, open_boxes: Boxes, kept: Dice, rest: Dice) -> Dice:
        holds = sorted(resulting(kept, rest), key=lambda hold: (-len(hold), hold))
        if draw_number(self.luck, 0, FINE) < self.epsilon * FINE:
            return holds[int(draw_number(self.luck, 0, len(holds)))]
        best: Dice = ()
        most, equals = -np.inf, 0
        for hold in holds:
            value = self.value(open_boxes, kept, hold)
            if value > most:
                best, most, equals = hold, value, 1
            elif value == most:
                equals += 1
                if draw_number(self.luck, 0, equals) == 0:
                    best = hold
        return best

    def key(self, open_boxes: Boxes, kept: Dice, hold: Dice) -> Key:
        worthless = len(hold) == 5 and self.scored(open_boxes, hold) is None
        return (open_boxes, kept, "worthless" if worthless else hold)

    def value(self, open_boxes: Boxes, kept: Dice, hold: Dice) -> float:
        return self.q.get(self.key(open_boxes, kept, hold), 0.0)

    def scored(self, open_boxes: Boxes, dice: Dice) -> tuple[int, int] | None:
        found = [(self.categories[n].score(dice), n) for n in open_boxes]
        return max((pair for pair in found if pair[0]), default=None)

    def game(self, trial: int) -> None:
        self.alpha, self.epsilon, gamma, punishment = self.settings.calculate_rates(trial)
        (boxes, kept, left), hold = self.state(frozenset(range(len(self.categories))), (), 2)
        while True:
            key, reward, after, ahead = self.key(boxes, kept, hold), 0.0, boxes, 0.0
            follow = (hold, left - 1)
            if len(hold) == 5:
                follow, scored = ((), 2), self.scored(boxes, hold)
                reward = scored[0] if scored else punishment
                after = boxes - {scored[1]} if scored else boxes
            if after:
                (_, next_kept, next_left), next_hold = self.state(after, *follow)
                ahead = self.value(after, next_kept, next_hold)
            old = self.q.get(key, 0.0)
            self.q[key] = old + self.alpha * (reward + gamma * ahead - old)
            if not after:
                return
            boxes, kept, left, hold = after, next_kept, next_left, next_hold


@pytest.mark.parametrize("values", sorted(VALUES))
def test_the_table_is_that_of_a_dictionary(values: str) -> None:
    settings = Settings(**{**vars(VALUES[values]), "trials": 3, "games": 40, "gamma": 0.9})
    game = Simplified(CATEGORIES[1:])
    learner, plain = Learner(game), Plain(CATEGORIES[1:], settings)
    assert len(list(learner.learn(settings))) == 3
    for trial in range(3):
        for _ in range(40):
            plain.game(trial)
    assert len(plain.q) > 1000
    for (boxes, kept, hold), value in plain.q.items():
        open_boxes = sum(1 << n for n in boxes)
        action = (
            game.worthless
            if isinstance(hold, str)
            else game.action[open_boxes, FIVE.hold_index[hold]]
        )
        assert learner.q[open_boxes, FIVE.hold_index[kept], action] == pytest.approx(value)
    assert np.count_nonzero(learner.q) == sum(value != 0 for value in plain.q.values())


def test_an_empty_table_plays_at_random() -> None:
    game = Simplified()
    worth, random = Learner(game).evaluate(), game.evaluate(lambda _: game.make_uniform_turn())
    assert worth.turns == pytest.approx(random.turns)
    assert worth.points == pytest.approx(random.points)


def test_four_categories_are_learned_in_few_turns() -> None:
    learner = Learner(Simplified())
    trials = list(learner.learn(VALUES["decaying"]))
    assert trials[-1].turns < 10 < 20 < trials[0].turns
    assert 7.46 < learner.evaluate().turns[-1] < 9.6


def test_the_source_s_values_learn_as_it_says() -> None:
    """It had 19 turns at the end of learning; epsilon is still at work in these."""
    learner = Learner(Simplified())
    *_, last = learner.learn(VALUES["source"])
    assert 16 < last.turns < 20
    assert learner.evaluate().turns[-1] < 20


def test_the_harder_the_punishment_the_fewer_the_turns() -> None:
    """The source's first phase: 4, 2 and fewer than 2 turns with 16, 13 and 13 points."""
    worths = []
    for punishment in (0.0, -5.0, -10.0):
        learner = Learner(Simplified(CATEGORIES[:1]))
        list(learner.learn(Settings(punishment=punishment, games=100)))
        worths.append(learner.evaluate())
    turns, points = ([getattr(w, name)[1] for w in worths] for name in ("turns", "points"))
    assert turns[0] > 2.5 > 2 > turns[1]
    assert turns[2] < 2
    assert points[0] > 14 > 13 > max(points[1:])


def test_what_was_learned_comes_back_from_its_file(tmp_path: Path) -> None:
    learner = Learner(Simplified(CATEGORIES[:1], rethrow=True))
    settings = Settings(trials=2, games=50)
    list(learner.learn(settings))
    learner.save(tmp_path / "q.npz", settings)
    loaded, learned_with = Learner.load(tmp_path / "q.npz")
    assert learned_with == settings
    assert loaded.game == learner.game
    assert (loaded.q == learner.q).all()


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "q.npz"
    save(path, "sarsa", {"categories": [], "rethrow": False}, q=np.zeros(3))
    with pytest.raises(BadLearned, match="not played here"):
        Learner.load(path)
    save(path, "sarsa", make_identity(Simplified()) | {"settings": {}}, q=np.zeros(3))
    with pytest.raises(BadLearned, match="not played here"):
        Learner.load(path)
    save(path, "sarsa", {"format": 2}, q=np.zeros(3))
    with pytest.raises(BadLearned, match="format 2"):
        Learner.load(path)


def test_a_game_that_is_watched_follows_the_rules() -> None:
    learner = Learner(Simplified())
    sentences = list(narrate_game(learner, make_streams(5, 1)))
    *rounds, end = sentences
    turns = int(end.split()[2])
    kept: Dice = ()
    number = 0
    for sentence in rounds:
        head, rest = sentence.split(": ", 1)
        turn, number = (int(word.strip(",")) for word in head.split()[1::2])
        threw, _, kept_now = rest.partition(", keeps ")
        dice = tuple(map(int, threw.split()))
        kept = () if number == 1 else kept
        assert not [face for face in set(kept) if dice.count(face) < kept.count(face)]
        if kept_now.startswith("all"):
            kept = ()
        else:
            assert number < 3
            kept = tuple(map(int, kept_now.replace("nothing", "").split()))
            assert len(kept) < 5
            assert kept in FIVE.holds
    assert turn == turns
    assert sum("for" in sentence.split() for sentence in rounds) == 4
