"""Does a game's seed give the dice that the player saw? Everything here is recomputed."""

import hmac
from dataclasses import dataclass

from game import blocks, labels
from game.board import shown_seed
from game.models import Game
from game.selectors import Played
from solver.rules import Action, Score


@dataclass(frozen=True, slots=True)
class Turn:
    """All dice of one turn, thrown or not, and the box that ended it."""

    number: int
    throws: tuple[tuple[int, ...], ...]
    box: str


@dataclass(frozen=True, slots=True)
class Check:
    """``seed`` is empty until it may be shown; the other facts hold before that too."""

    seed: str
    commitment: str
    commitment_holds: bool
    score_holds: bool
    turns: tuple[Turn, ...]

    @property
    def holds(self) -> bool:
        return self.commitment_holds and self.score_holds


def verify(played: Played) -> Check:
    game = played.game
    seed = shown_seed(game)
    return Check(
        seed=seed,
        commitment=game.commitment,
        commitment_holds=hmac.compare_digest(blocks.commitment(game.seed), game.commitment),
        score_holds=_score_holds(played),
        turns=turns(game, played.actions) if seed else (),
    )


def _score_holds(played: Played) -> bool:
    """A finished game ends as its decisions do; any other has no score."""
    game, state = played.game, played.state
    if game.finished_at is None:
        return game.final_score is None and not state.finished
    return state.finished and (game.final_score, game.bonus) == (state.total, state.bonus)


def turns(game: Game, actions: tuple[Action, ...]) -> tuple[Turn, ...]:
    boxes = [action.category for action in actions if isinstance(action, Score)]
    names = {category.id: labels.category_name(category) for category in game.rules.categories}
    return tuple(
        Turn(number + 1, throws, names[boxes[number]] if number < len(boxes) else "")
        for number, throws in enumerate(blocks.block(game.seed)[: len(game.rules.categories)])
    )
