"""The game that a player plays alone on the first page; only one of them can be unfinished."""

from collections.abc import Sequence

from django import forms
from django.utils.translation import gettext as _

from game.core.accounts import store_settings
from game.core.counting import is_counted
from game.core.fair.blocks import derive_seed
from game.core.fair.tickets import Ticket
from game.core.game_queries import find_open_solo
from game.core.kind import ADDED, StartedKind, Wish
from game.core.refusals import Refused
from game.core.words import sentences
from game.models import Game, Player
from solver.dp.outcomes import bound_score
from solver.rules import Action, Score


class SoloKind(StartedKind):
    mode = Game.Mode.SOLO
    wishes_coach = True
    fields = {"target": forms.CharField(required=False, max_length=100), "added": ADDED}

    @property
    def challengeable(self) -> bool:
        """True if the player may challenge others: the game is over and counts."""
        return is_counted(self.game)

    def can_take_back(self, actions: Sequence[Action]) -> bool:
        """Return whether the last action filled a box whose cost the coach has not shown."""
        silent = self.game.coach == Game.Coach.OFF and not self.game.over
        return silent and isinstance(actions[-1], Score)

    @classmethod
    def card(cls, owner: Player | None, wish: Wish) -> Game:
        if under_way := find_open_solo(owner):
            raise Refused(sentences.refuse_second_game(under_way.rules))
        key, added = Ticket(wish.nonce).key, wish.more.get("added", "")
        game = Game(mode=cls.mode, nonce=wish.nonce, key=key, added=added)
        game.seed = derive_seed(key, added)
        game.ruleset = wish.ruleset or (owner or Player()).ruleset
        if owner is not None and game.ruleset != owner.ruleset:
            store_settings(player=owner, ruleset=game.ruleset)
        if typed := wish.more.get("target", ""):
            most = bound_score(game.rules)
            if not typed.isdecimal() or not 1 <= int(typed) <= most:
                raise NoTarget(most)
            game.target = int(typed)
        return game


class NoTarget(Refused):
    status = 400

    def __init__(self, most: int) -> None:
        text = _("Choose a target from 1 to %(most)s, or leave the field empty.")
        super().__init__(text % {"most": most})


KIND = SoloKind
