"""A game alone, as the first page lays it out: one at a time."""

from game.fair.tickets import Ticket
from game.kind import StartedKind, Wish
from game.models import Game, Player
from game.selectors.games import player_open_solo
from game.services.accounts import player_ruleset
from game.services.refusals import Refused
from game.words import sentences


class SoloKind(StartedKind):
    mode = Game.Mode.SOLO
    wishes_coach = True

    @property
    def challengeable(self) -> bool:
        """Dice of a table nobody else has."""
        return self.game.finished_at is not None and bool(self.game.seed)

    @classmethod
    def card(cls, owner: Player | None, wish: Wish) -> Game:
        if under_way := player_open_solo(owner):
            raise Refused(sentences.under_way(under_way.rules))
        game = Game(mode=cls.mode, seed=Ticket(wish.nonce).seed, nonce=wish.nonce)
        return _ruled(game, owner, wish.ruleset)


def _ruled(game: Game, owner: Player | None, ruleset: str) -> Game:
    """By the rules that the page asked for, else by the player's own."""
    game.ruleset = ruleset or (owner or Player()).ruleset
    if owner is not None and game.ruleset != owner.ruleset:
        player_ruleset(player=owner, ruleset=game.ruleset)
    return game


KIND = SoloKind
