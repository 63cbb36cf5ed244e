"""Checks whether the dice that a player saw in a game follow from the game's seed."""

import hmac
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from game.core.fair import blocks
from game.core.game_dice import list_shown_dice
from game.core.game_queries import Played, replay_game
from game.core.kind import find_kind
from game.core.words import labels
from game.models import Decision, Game
from solver.rules import Action, Hold, IllegalAction, Score, State, replay_actions


@dataclass(frozen=True, slots=True)
class VerifiedTurn:
    """A turn calculated from the seed: the dice that the player could roll, and the filled box."""

    number: int
    throws: tuple[tuple[int, ...], ...]
    box: str


@dataclass(frozen=True, slots=True)
class Check:
    """The result of checking a game against its seed. ``key`` and ``seed`` are empty while they are
    secret, and if the dice have no seed. ``added`` is the text that the player added to the seed,
    or None; then the key is the seed."""

    key: str
    seed: str
    added: str | None
    commitment: str
    commitment_holds: bool
    score_holds: bool
    turns: tuple[VerifiedTurn, ...]

    @property
    def holds(self) -> bool:
        return self.commitment_holds and self.score_holds


def verify(played: Played) -> Check:
    """Check a game's hash and score. ``turns`` is empty during the game, even for public dice."""
    game = played.game
    seed, turns = find_kind(game).shown_seed, tuple[VerifiedTurn, ...]()
    if seed or (find_kind(game).dice_from and game.over):
        boxes, made = list[str](), Counter[int]()  # ``made`` has the number of holds per turn
        for action in played.actions:
            if isinstance(action, Score):
                boxes.append(action.category)
            else:
                made[len(boxes)] += 1
        rules, dice = game.rules, list_shown_dice(game)
        names = {category.id: labels.find_category_name(category) for category in rules.categories}
        turns = tuple(
            VerifiedTurn(
                number + 1,
                tuple(map(tuple, throws[: max(rules.throws, made[number])])),
                names[boxes[number]] if number < len(boxes) else "",
            )
            for number, throws in enumerate(dice[: len(rules.categories)])
        )
    return Check(
        key=seed and (game.key or seed),
        seed=seed,
        added=game.added if game.key else None,
        commitment=game.commitment,
        commitment_holds=_is_commitment_valid(game),
        score_holds=_score_holds(played),
        turns=turns,
    )


def _is_commitment_valid(game: Game) -> bool:
    """Return whether the key has the published hash. Dice without a seed must have no hash."""
    if not game.seed:
        return not game.commitment
    if game.key and game.seed != blocks.derive_seed(game.key, game.added):
        return False
    return hmac.compare_digest(blocks.hash_seed(game.key or game.seed), game.commitment)


def _score_holds(played: Played) -> bool:
    """Return whether the stored score is the sum of the moves. A running game has no score."""
    game, state = played.game, played.state
    if game.finished_at is None:
        return game.final_score is None and not state.finished
    stored = (game.final_score, game.bonus, game.chips)
    return state.finished and stored == (state.total, state.bonus, state.chips)


@dataclass(frozen=True, slots=True)
class RollLine:
    turn: int
    throw: int
    dice: tuple[int, ...]
    deed: str


def list_rolls(game: Game) -> Iterator[RollLine]:
    """Yield each roll with the player's action. Stop at an action that breaks the rules."""
    with suppress(IllegalAction):
        for _decision, (state, action) in _list_moves(game):
            if state.dice:
                deed = f"scored in {action.category}" if isinstance(action, Score) else ""
                if isinstance(action, Hold):
                    kept = action.kept(state.dice)
                    deed = f"kept {' '.join(map(str, kept)) or 'none'}"
                yield RollLine(state.turn + 1, state.throws_made, state.dice, deed)


def _list_moves(game: Game) -> Iterator[tuple[Decision, tuple[State, Action]]]:
    made = list(game.decisions.order_by("seq"))
    states = replay_actions(
        game.rules, list_shown_dice(game), [decision.action for decision in made]
    )
    return zip(made, states, strict=True)


def find_faults(game: Game) -> list[str]:
    """Return the faults of a stored game: dice that its seed does not give, or forbidden moves."""
    faults = list[str]()
    if not _is_commitment_valid(game):
        faults.append("the seed does not give the commitment")
    try:
        decided = list(_list_moves(game))
        for number, (decision, (state, _action)) in enumerate(decided):
            expected = (number, state.turn, state.throws_made)
            if (decision.seq, decision.turn, decision.roll) != expected:
                faults.append(f"decision {decision.seq} is not where it was made")
        if not _score_holds(replay_game(game)):
            faults.append("the final score is not that of the decisions")
    except IllegalAction as error:
        faults.append(f"a decision breaks the rules: {error}")
    return faults
