"""Games on dice that the same player or a challenger has played before.

These games do not count, because their dice may have been known.
"""

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.utils.translation import gettext as _

from game.core.access import check_own
from game.core.counting import is_unaided
from game.core.game_queries import find_game_on_dice, find_open_rematch, query_games
from game.core.kind import StartedKind, Wish, find_kind
from game.core.refusals import NoSuchGame, Refused
from game.models import Game, Player
from game.pages.beat_views import beat_page
from game.pages.board.challenge import find_challenged_game
from game.pages.board.showing import make_game_board
from game.pages.daily.daily_kind import OnDaysDice
from game.pages.presentation import Presentation
from game.pages.rendering import answer_page, own_game
from game.pages.requests.forms import StartForm
from game.pages.requests.visitors import PlayRequest


class RematchKind(OnDaysDice, StartedKind):
    mode = Game.Mode.REMATCH
    counted = False
    beats = True
    thrown = False
    wishes_coach = True
    fields = {
        "of": forms.CharField(required=False, max_length=12),
        "beat": forms.CharField(required=False, max_length=100),
    }

    @property
    def label(self) -> str:
        """The label in one word, because the header has room for one line."""
        return _("Rematch")

    @property
    def challengeable(self) -> bool:
        """True for a finished, unaided game if the original still exists and is challengeable."""
        first = self.game.rematch_of
        over = self.game.finished_at is not None and is_unaided(self.game)
        return over and first is not None and find_kind(first).challengeable

    @classmethod
    def needs_ticket(cls, player: Player | None, wish: Wish) -> bool:
        """Return True if a visitor accepts a challenge; a player gets the same dice only once,
        without a ticket."""
        return player is None and bool(wish.more.get("beat"))

    @classmethod
    def card(cls, owner: Player | None, wish: Wish) -> Game:
        if signed := wish.more.get("beat"):
            return cls._make_challenge_game(owner, signed, wish.nonce)
        original = check_own(query_games().filter(pk=wish.more.get("of", "")).first(), owner)
        if not original.over:
            raise Refused(_("Finish this game first, because a rematch uses the same dice."))
        if not original.seed or find_kind(original).withheld:
            raise Refused(_("You cannot play this game again on the same dice."))
        return find_open_rematch(original.player, original) or cls._make_rematch(original)

    @classmethod
    def _make_challenge_game(cls, owner: Player | None, signed: str, nonce: str) -> Game:
        """Return a new game on another player's dice, or the player's existing game on them."""
        original = find_challenged_game(signed)
        if original is None:
            raise NoSuchGame
        if stored := find_game_on_dice(owner, original):
            return stored
        game = cls._make_rematch(original)
        game.nonce = nonce
        return game

    @classmethod
    def _make_rematch(cls, original: Game) -> Game:
        """Return a new game on the original's dice, with the original's score to beat."""
        had = original.final_score
        return Game(
            mode=cls.mode,
            ruleset=original.ruleset,
            seed=original.seed,
            key=original.key,
            added=original.added,
            day=original.day,
            rematch_of=original,
            target=None if had is None else had + 1,
        )


def _show_refused_start(
    request: PlayRequest, form: StartForm, refusal: Refused
) -> HttpResponse | None:
    if not form.is_valid():
        return None
    if signed := form.cleaned_data["beat"]:
        messages.warning(request, refusal.message)
        return beat_page(request, signed, status=refusal.status)
    game = own_game(request, form.cleaned_data["of"])
    board = make_game_board(game, viewer=request.visitor.player, message=refusal.message)
    return answer_page(request, board, refusal.status)


KIND = RematchKind
PAGES = Presentation(not_begun=_show_refused_start)
