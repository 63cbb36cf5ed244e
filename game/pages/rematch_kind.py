"""Games on dice that the same player or a challenger has played before.

These games do not count, because the player may have known the dice.
"""

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.core.access import check_own, hides_advice_from, may_show_costs
from game.core.counting import is_unaided
from game.core.fair import tickets
from game.core.game_queries import OPEN, find_game_on_dice, query_games, replay_game
from game.core.judging import judge_game
from game.core.kind import StartedKind, Wish, find_kind
from game.core.refusals import NoSuchGame, Refused
from game.core.words import labels
from game.models import Game, Player
from game.pages.board.challenge import compare_games, find_challenged_game, list_tries
from game.pages.board.sharing import make_challenge_url, make_shared
from game.pages.board.showing import make_game_board
from game.pages.daily.daily_kind import OnDaysDice
from game.pages.pictures import answer_with_picture, draw_challenge
from game.pages.play_views import answer_page, own_game
from game.pages.presentation import Presentation
from game.pages.requests.forms import StartForm
from game.pages.requests.visitors import PlayRequest


@never_cache
@require_safe
def beat(request: PlayRequest, signed: str) -> HttpResponse:
    return beat_page(request, signed)


@require_safe
def beat_picture(request: PlayRequest, signed: str) -> HttpResponse:
    return answer_with_picture(request, lambda: draw_challenge(_find_challenged_game(signed)))


def beat_page(request: PlayRequest, signed: str, *, status: int = 200) -> HttpResponse:
    """Show a challenge. Until the viewer has played these dice, the page shows only the score."""
    game = _find_challenged_game(signed)
    player = request.visitor.player
    context = {
        "signed": signed,
        "game": game,
        "name": labels.format_nickname(game.player),
        "address": request.build_absolute_uri(make_challenge_url(game)),
        "game_name": labels.find_ruleset_name(game.rules),
    }
    if player is not None and player.pk == game.player_id:
        moves = replay_game(game).moves if may_show_costs(game) else ()
        result = make_shared(game, None, moves, owner=True)
        text = f"{result.text}\n{request.build_absolute_uri(result.address)}" if result else ""
        return render(
            request,
            "pages/beat_mine.html",
            context | {"tries": list_tries(game), "shared": result, "share_text": text},
            status=status,
        )
    mine = find_game_on_dice(player, game)
    if mine is not None and mine.finished_at is not None:
        may_tell = not hides_advice_from(mine.player)
        if may_tell:
            judge_game(game=mine)
            judge_game(game=game)
        both = context | {
            "mine": mine,
            "both": compare_games(replay_game(mine), replay_game(game), with_worth=may_tell),
        }
        return render(request, "pages/beat_both.html", both, status=status)
    context |= {"mine": mine, "nonce": "" if player else tickets.issue().signed}
    return render(request, "pages/beat.html", context, status=status)


def _find_challenged_game(signed: str) -> Game:
    game = find_challenged_game(signed)
    if game is None:
        raise NoSuchGame
    return game


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
        """The label of the game: one word, because the header has only one line."""
        return _("Rematch")

    @property
    def challengeable(self) -> bool:
        """True if this game is over, without help, and the original can be a challenge."""
        first = self.game.rematch_of
        over = self.game.finished_at is not None and is_unaided(self.game)
        return over and first is not None and find_kind(first).challengeable

    @classmethod
    def needs_ticket(cls, player: Player | None, wish: Wish) -> bool:
        """Return True if a visitor accepts a challenge. A player needs no ticket (one-time token),
        because each player gets the same dice only once."""
        return player is None and bool(wish.more.get("beat"))

    @classmethod
    def card(cls, owner: Player | None, wish: Wish) -> Game:
        if signed := wish.more.get("beat"):  # the dice of another player's game
            challenged = _find_challenged_game(signed)
            if stored := find_game_on_dice(owner, challenged):
                return stored
            game = cls._make_rematch(challenged)
            game.nonce = wish.nonce
            return game
        original = check_own(query_games().filter(pk=wish.more.get("of", "")).first(), owner)
        if not original.over:
            raise Refused(_("Finish this game first, because a rematch uses the same dice."))
        if not original.seed or find_kind(original).withheld:
            raise Refused(_("You cannot play this game again on the same dice."))
        begun = Game.objects.filter(OPEN, player=original.player, rematch_of=original).first()
        return begun or cls._make_rematch(original)

    @classmethod
    def _make_rematch(cls, original: Game) -> Game:
        """Return a new game on the dice of another game, whose score becomes the target."""
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
