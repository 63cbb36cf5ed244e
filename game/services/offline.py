"""A game that a device played by itself: replayed and judged here, and stored once."""

from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from game.coach.own_games import OwnGame, stands_like
from game.models import Game, Player
from game.selectors.studies import studies
from game.services.accounts import player_create
from game.services.importing import NONCE, positions, recorded_store
from game.services.judging import game_judge, to_be_judged
from game.services.refusals import InTrial, Refused
from game.words.game_text import Recorded


@dataclass(frozen=True, slots=True)
class SentGame:
    """``name`` is the device's own, the same however often it sends it; ``total`` is what it told
    its player."""

    name: str
    recorded: Recorded
    total: int
    began: datetime
    ended: datetime
    coach: str = Game.Coach.OFF  # who helped, and how often: such a game estimates nobody's skill
    hints: int = 0


class NotItsPoints(Refused):
    status = 400

    def __init__(self) -> None:
        super().__init__(_("The dice and boxes of this game come to other points."))


def game_hand_in(*, player: Player | None, sent: SentGame) -> Game | None:
    """None where it was handed in before. Whoever has no player becomes one here."""
    if player is not None and studies().include(player):
        raise InTrial
    if sent.recorded.end.total != sent.total:
        raise NotItsPoints
    if stands_like(player, positions([sent.recorded])):
        raise Refused(str(OwnGame()))
    nonce = sha256(f"offline {sent.name}".encode()).hexdigest()[:NONCE]
    with transaction.atomic():
        if player is not None:  # two requests of one player wait for each other
            Player.objects.select_for_update().get(pk=player.pk)
        if Game.objects.exclude(nonce="").filter(nonce=nonce).exists():
            return None
        game = _game(player or player_create(ruleset=sent.recorded.rules.id), nonce, sent)
        recorded_store(game=game, recorded=sent.recorded)
    to_be_judged.add(game.ruleset)  # where there is no table now
    game_judge(game=game)
    return game


def _game(owner: Player, nonce: str, sent: SentGame) -> Game:
    """A device's clock may be wrong, but nothing ends before it began, nor later than now."""
    ended = min(sent.ended, timezone.now())
    return Game(
        player=owner,
        mode=Game.Mode.OFFLINE,
        nonce=nonce,
        coach=sent.coach,
        hints=sent.hints,
        started_at=min(sent.began, ended),
        finished_at=ended,
    )
