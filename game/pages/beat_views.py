"""The page of a challenge: beat the score of a finished game on the same dice."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.core.access import hides_advice_from, may_show_costs
from game.core.fair import tickets
from game.core.game_queries import find_game_on_dice, replay_game
from game.core.judging import judge_game
from game.core.refusals import NoSuchGame
from game.core.words import labels
from game.models import Game
from game.pages.board.challenge import TwoGames, compare_games, find_challenged_game, list_tries
from game.pages.board.sharing import make_challenge_url, make_shared
from game.pages.pictures import answer_with_picture, draw_challenge
from game.pages.requests.visitors import PlayRequest


@never_cache
@require_safe
def beat(request: PlayRequest, signed: str) -> HttpResponse:
    return beat_page(request, signed)


@require_safe
def beat_picture(request: PlayRequest, signed: str) -> HttpResponse:
    return answer_with_picture(request, lambda: draw_challenge(_find_challenged_game(signed)))


def beat_page(request: PlayRequest, signed: str, *, status: int = 200) -> HttpResponse:
    """Return a challenge's page, with only the score until the viewer has played these dice."""
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
        return render(
            request,
            "pages/beat_mine.html",
            context | _make_owner_context(request, game),
            status=status,
        )
    mine = find_game_on_dice(player, game)
    if mine is not None and mine.finished_at is not None:
        both = context | {"mine": mine, "both": _compare_games(mine, game)}
        return render(request, "pages/beat_both.html", both, status=status)
    context |= {"mine": mine, "nonce": "" if player else tickets.issue().signed}
    return render(request, "pages/beat.html", context, status=status)


def _find_challenged_game(signed: str) -> Game:
    game = find_challenged_game(signed)
    if game is None:
        raise NoSuchGame
    return game


def _make_owner_context(request: PlayRequest, game: Game) -> dict[str, object]:
    moves = replay_game(game).moves if may_show_costs(game) else ()
    result = make_shared(game, None, moves, owner=True)
    text = f"{result.text}\n{request.build_absolute_uri(result.address)}" if result else ""
    return {"tries": list_tries(game), "shared": result, "share_text": text}


def _compare_games(mine: Game, theirs: Game) -> TwoGames:
    """Compare both games; judge them first if the viewer may see what decisions cost."""
    may_tell = not hides_advice_from(mine.player)
    if may_tell:
        judge_game(game=mine)
        judge_game(game=theirs)
    return compare_games(replay_game(mine), replay_game(theirs), with_worth=may_tell)
