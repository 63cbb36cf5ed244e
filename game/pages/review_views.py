"""The review of a finished game: a page that shows one decision at a time, each with an address."""

from typing import NamedTuple
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.coach import review_charts
from game.coach.position_addresses import explore_query
from game.coach.review import Review, Walk, review_game
from game.coach.waiting import find_missing_reasons
from game.core.access import check_review, find_shared_game
from game.core.counting import format_help_note
from game.core.game_dice import list_shown_dice
from game.core.game_queries import replay_game
from game.core.judging import judge_game
from game.core.kind import find_kind
from game.core.words import labels
from game.core.worth.severity import FLAWLESS, GRADES, SEVERITIES, count_decisions
from game.core.worth.tables import require_advisor
from game.models import Game
from game.pages.board.board import Board
from game.pages.board.ending import Account
from game.pages.pictures import answer_picture
from game.pages.play_views import own_game
from game.pages.requests.forms import FilterForm, parse_number
from game.pages.requests.visitors import PlayRequest
from solver.advice import Advisor
from solver.advice.winning import MOST_OPEN

STEP = "step"  # the part of the page that shows one decision


class WonBy(NamedTuple):
    """The points that a player still needed to win, and a link to the chance of winning."""

    needed: int
    url: str


@never_cache
@require_safe
def game_review(request: PlayRequest, game_id: str) -> HttpResponse:
    game = own_game(request, game_id)
    learn = reverse("learn", args=[game_id])
    steps = reverse("review_steps", args=[game_id])
    return _show_review(request, game, reverse("review", args=[game_id]), learn, steps)


@never_cache
@require_safe
def review_shared(request: PlayRequest, share_token: str) -> HttpResponse:
    game = find_shared_game(share_token)
    learn = reverse("learn_shared", args=[share_token])
    steps = reverse("review_shared_steps", args=[share_token])
    return _show_review(request, game, reverse("review_shared", args=[share_token]), learn, steps)


@never_cache
@require_safe
def game_review_steps(request: PlayRequest, game_id: str) -> HttpResponse:
    return _show_all_steps(
        request,
        own_game(request, game_id),
        reverse("review", args=[game_id]),
        reverse("learn", args=[game_id]),
    )


@never_cache
@require_safe
def review_shared_steps(request: PlayRequest, share_token: str) -> HttpResponse:
    return _show_all_steps(
        request,
        find_shared_game(share_token),
        reverse("review_shared", args=[share_token]),
        reverse("learn_shared", args=[share_token]),
    )


@require_safe
def review_picture(request: PlayRequest, share_token: str) -> HttpResponse:
    game = find_shared_game(share_token)
    check_review(game, request.visitor.player)
    return answer_picture(request, game)


def make_review(request: PlayRequest, game: Game, coach: Advisor) -> Review:
    """Return the review of a judged game. Raise an error if the reader may not see the review."""
    check_review(game, request.visitor.player)
    find_kind(game).react_to_review(request.visitor.participant)
    judge_game(game=game)
    return review_game(coach, list_shown_dice(game), replay_game(game).actions)


def _show_review(
    request: PlayRequest, game: Game, here: str, learn: str, steps: str
) -> HttpResponse:
    check_review(game, request.visitor.player)
    coach = require_advisor(game.rules)
    review = make_review(request, game, coach)
    form = FilterForm(game.rules, request.GET)
    walk = Walk(review, form.filter, here, parse_number(request.GET.get("step")))
    context = _make_decision_context(game, walk, learn, coach)
    if request.htmx and request.htmx.target in {None, STEP}:
        return render(request, "coach/_step.html", context)
    shared = reverse("review_shared", args=[game.share_token])
    player = request.visitor.player
    is_own = player is not None and game.player_id == player.pk
    context |= {
        "review": review,
        "form": form,
        "game_name": labels.find_ruleset_name(game.rules),
        "account": Account(
            review.rules, review.score, review.luck, review.regret, format_help_note(game)
        ),
        "course": review_charts.draw_course(walk),
        "ledger": review_charts.draw_ledger(review),
        "leaks": f"{reverse('learn_hub')}?rules={game.ruleset}" if is_own else "",
        "shared": request.build_absolute_uri(shared),
        "picture": request.build_absolute_uri(f"{shared}picture.png"),
        "severities": SEVERITIES,
        "flawless": FLAWLESS,
        "grades": GRADES[1:-1],
        "decisions": count_decisions(game.rules),
        "steps": f"{steps}?{urlencode(form.filter.query)}",
    }
    return render(request, "coach/review.html", context)


def _show_all_steps(request: PlayRequest, game: Game, here: str, learn: str) -> HttpResponse:
    """Return all decisions in one response, so that the page needs no request to move on."""
    check_review(game, request.visitor.player)
    coach = require_advisor(game.rules)
    review = make_review(request, game, coach)
    form = FilterForm(game.rules, request.GET)
    walks = (Walk(review, form.filter, here, step.number) for step in review.steps)
    decisions = [_make_decision_context(game, walk, learn, coach) for walk in walks]
    return render(request, "coach/steps.html", {"told": decisions, "learn": learn})


def _make_decision_context(game: Game, walk: Walk, learn: str, coach: Advisor) -> dict[str, object]:
    step, goal, to_win = walk.at, find_kind(game).goal(), None
    if goal is not None and game.rules.studied:
        needed, open_boxes = goal - step.state.points, game.rules.open(step.state.filled)
        if needed > 0 and len(open_boxes) <= MOST_OPEN:
            query = explore_query(step.entry.position, needed=needed)
            to_win = WonBy(needed, f"{reverse('explore')}?{query}")
    return {
        "game": game,
        "walk": walk,
        "step": step,
        "board": Board(step.state),
        "here": walk.here,
        "learn": learn,
        "to_win": to_win,
        "waiting": find_missing_reasons(coach),
    }
