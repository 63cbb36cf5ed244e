"""Games that were played elsewhere: all of an import are stored, each once, or none."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import NamedTuple

from django.db import transaction
from django.utils import timezone

from game.coach.own_games import OwnGame, stands_like
from game.models import Decision, Game, Player, Throw
from game.selectors.studies import studies
from game.services.accounts import player_create
from game.services.judging import AT_ONCE, games_judge, to_be_judged
from game.services.refusals import InTrial, NotUnderstood, Refused
from game.words.game_text import Recorded, text_of
from solver.advice import Position, position_of
from solver.rules import Action, Hold, Score, State

NONCE = 32  # characters


class Imported(NamedTuple):
    """``known`` is how many of them the player had imported before."""

    player: Player
    games: Sequence[Game]
    known: int


def games_import(*, player: Player | None, recorded: Sequence[Recorded]) -> Imported:
    """Whoever has no player becomes one here."""
    if player is not None and studies().include(player):
        raise InTrial
    if not recorded:
        raise NotUnderstood
    if stands_like(player, positions(recorded)):
        raise Refused(str(OwnGame()))
    with transaction.atomic():
        owner = player or player_create(ruleset=recorded[0].rules.id)
        # Two imports of one player wait for each other, so that neither overlooks the other's.
        Player.objects.select_for_update().get(pk=owner.pk)
        named = {_nonce(owner, one): one for one in recorded}
        # That none is empty is said, since the index has no others.
        stored = Game.objects.exclude(nonce="").filter(nonce__in=named)
        known = set(stored.values_list("nonce", flat=True))
        made = [_store(owner, nonce, one) for nonce, one in named.items() if nonce not in known]
    to_be_judged.update(game.ruleset for game in made)  # what is not judged now is so later
    games_judge(games=Game.objects.filter(pk__in=[game.pk for game in made]), most=AT_ONCE)
    return Imported(owner, made, len(recorded) - len(made))


def positions(recorded: Sequence[Recorded]) -> Iterator[Position]:
    """Of whatever a review would tell the best decision."""
    return (position_of(state) for one in recorded for state, _action in one.moves if state.dice)


def _nonce(owner: Player, one: Recorded) -> str:
    """The same of the same game of the same player, however it was typed."""
    text = f"{owner.pk}\n{text_of(one.rules, one.moves)}"
    return sha256(text.encode()).hexdigest()[:NONCE]


def _store(owner: Player, nonce: str, one: Recorded) -> Game:
    """When it was played nobody knows: all of it has the moment at which it came here."""
    now = timezone.now()
    game = Game(player=owner, mode=Game.Mode.IMPORT, nonce=nonce, started_at=now, finished_at=now)
    return recorded_store(game=game, recorded=one)


def recorded_store(*, game: Game, recorded: Recorded) -> Game:
    """With its decisions and its dice; what it came to is what its decisions come to."""
    game.ruleset, game.real_dice = recorded.rules.id, True
    game.final_score, game.bonus, game.chips = (
        recorded.end.total,
        recorded.end.bonus,
        recorded.end.chips,
    )
    game.save(force_insert=True)
    Decision.objects.bulk_create(_decisions(game, recorded.moves))
    Throw.objects.bulk_create(_throws(game, recorded.moves))
    return game


def _decisions(game: Game, moves: Sequence[tuple[State, Action]]) -> Iterator[Decision]:
    for seq, (state, action) in enumerate(moves):
        yield Decision(
            game=game,
            seq=seq,
            turn=state.turn,
            roll=state.throws_made,
            hold=action.slots if isinstance(action, Hold) else None,
            category=action.category if isinstance(action, Score) else "",
            created_at=game.started_at,
        )


def _throws(game: Game, moves: Sequence[tuple[State, Action]]) -> Iterator[Throw]:
    """After each hold, what lies on the table at the next decision."""
    following = (state.dice for state, _action in moves[1:])
    for seq, ((_state, action), dice) in enumerate(zip(moves, following, strict=False)):
        if isinstance(action, Hold):
            faces = "".join(map(str, dice))
            yield Throw(game=game, seq=seq, number=0, faces=faces, created_at=game.started_at)
