"""Dice that its player has had before: a second try, which counts nowhere."""

from typing import Any, cast

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from game.board.showing import board_game
from game.kind import StartedKind, Wish, kind_of
from game.kinds.daily import OnDaysDice
from game.models import Game, Player
from game.selectors.games import games, player_open_rematch
from game.services.refusals import NoSuchGame, NotYours, Refused
from game.views.rendering import answer_page, own_game
from game.web.visitors import PlayRequest


class RematchKind(OnDaysDice, StartedKind):
    mode = Game.Mode.REMATCH
    counted = False
    thrown = False
    wishes_coach = True
    fields = {"of": forms.CharField(required=False, max_length=12)}

    @classmethod
    def needs_ticket(cls, player: Player | None) -> bool:
        return False

    @classmethod
    def card(cls, owner: Player | None, wish: Wish) -> Game:
        original = games().filter(pk=wish.more.get("of", "")).first()
        if original is None:
            raise NoSuchGame
        if owner is None or original.player_id != owner.pk:
            raise NotYours
        if not original.over:
            raise Refused(_("Finish this game first: a rematch uses the same dice."))
        if not original.seed or kind_of(original).withheld:
            raise Refused(_("The dice of this game cannot be played again."))
        return player_open_rematch(owner, original) or cls._again(original)

    @classmethod
    def _again(cls, original: Game) -> Game:
        return Game(
            mode=cls.mode,
            ruleset=original.ruleset,
            seed=original.seed,
            day=original.day,
            rematch_of=original,
        )

    @classmethod
    def not_begun(cls, request: HttpRequest, form: Any, refusal: Any) -> HttpResponse | None:
        """Beside the game whose dice they are."""
        if not form.is_valid():
            return None
        request = cast(PlayRequest, request)
        game = own_game(request, form.cleaned_data["of"])
        board = board_game(game, viewer=request.visitor.player, message=refusal.message)
        return answer_page(request, board, refusal.status)


KIND = RematchKind
