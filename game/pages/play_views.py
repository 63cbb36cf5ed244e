"""The pages of a game: its card, its moves, the check of its dice, and the page for watchers.

A response with a board is a page, a part of a page for htmx, or a redirect after a POST.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from typing import Protocol, Unpack

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import get_script_prefix, resolve, reverse
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from game.coach.position_addresses import is_hint_proof, sign_hint
from game.core import access, playing, starting
from game.core.accounts import mark_day_seen
from game.core.coach_lock import explain_coach_lock
from game.core.fair import tickets
from game.core.game_queries import Played, find_open_solo, replay_game
from game.core.judging import judge_if_finished
from game.core.kind import find_kind
from game.core.playing import count_hint
from game.core.refusals import AskFirst, NoSuchRules, NotUnderstood, Refused
from game.core.throwing import enter_roll
from game.core.words import labels, sentences
from game.core.words.speech import say
from game.models import Game
from game.pages.board.board import Board
from game.pages.board.showing import BoardNotes, make_game_board, make_new_board, make_played_board
from game.pages.board.target import make_target_line
from game.pages.board.verification import verify
from game.pages.daily import daily_dice
from game.pages.presentation import load_pages
from game.pages.requests.forms import (
    AbandonForm,
    CardForm,
    HeldForm,
    HeldSlotsForm,
    HoldForm,
    ScoreForm,
    StartForm,
    TakeBackForm,
    ThrowForm,
)
from game.pages.requests.limits import check_start
from game.pages.requests.live import find_tab
from game.pages.requests.visitors import MAX_AGE, WELCOMED, PlayRequest
from solver.rules import Ruleset


@never_cache
@require_safe
def play(request: PlayRequest) -> HttpResponse:
    wish = CardForm(request.GET)
    if "rules" in wish.errors:
        return _show_table(request, wish, NoSuchRules().message, 404)
    if not request.COOKIES and not wish.number:
        return first_page(request, wish.ruleset, wish.level)
    return _show_table(request, wish)


def _show_table(
    request: PlayRequest, wish: CardForm, message: str = "", status: int = 200
) -> HttpResponse:
    player = request.visitor.player
    game = find_open_solo(player)
    if game is None:
        board = make_new_board(
            player,
            rules=wish.ruleset,
            coach=wish.level,
            number=wish.number,
            message=message,
            newcomer=request.visitor.newcomer,
        )
        return answer_page(request, board, status)
    if wish.ruleset not in (None, game.rules):
        message = message or sentences.refuse_second_game(game.rules)
    return answer_page(request, make_game_board(game, viewer=player, message=message), status)


@require_POST
def welcomed(request: PlayRequest) -> HttpResponse:
    """Set the cookie that ends the guide of the first turn."""
    response = HttpResponse() if request.htmx else redirect("play")
    response.set_cookie(WELCOMED, "1", max_age=MAX_AGE, samesite="Lax", httponly=True)
    return response


@never_cache
@require_POST
def game_start(request: PlayRequest) -> HttpResponse:
    form = StartForm(request.POST)
    try:
        if not form.is_valid():
            raise NotUnderstood
        check_start(request, request.visitor.player)
        played = starting.start_game(
            player=request.visitor.player, **form.cleaned_data, **form.pages.sent(request, form)
        )
    except Refused as refusal:
        page = form.pages.not_begun(request, form, refusal)
        if page is not None:
            return page
        fields = {"rules": "ruleset", "coach": "coach", "target": "target"}
        values = {name: form.data.get(field) for name, field in fields.items()}
        wish = CardForm(values)
        return _show_table(request, wish, refusal.message, refusal.status)
    request.visitor.become(played.game.player)
    response: HttpResponse = redirect("game", played.game.pk)
    if request.htmx:
        response = render(request, "pages/_begun.html", {"board": own_board(request, played)})
        response["HX-Push-Url"] = reverse("game", args=[played.game.pk])
    return load_pages(played.game.mode).begun(request, played.game, response)


@never_cache
@require_safe
def game(request: PlayRequest, game_id: str) -> HttpResponse:
    card = own_game(request, game_id)
    elsewhere = load_pages(card.mode).elsewhere(request, card, None)
    if elsewhere is not None:
        return elsewhere
    played = judge_if_finished(replay_game(card))
    held = HeldForm(request.GET).slots
    hint = is_hint_proof(request.GET.get("hint", ""), played)
    return answer_page(request, own_board(request, played, held=held, hint=hint))


@never_cache
@require_POST
def game_hold(request: PlayRequest, game_id: str) -> HttpResponse:
    form = HoldForm(request.POST)
    if not form.only_toggles:
        return act(request, game_id, form, playing.hold_dice)
    # The server does not store the held dice. Without JavaScript, the redirect's address has them.
    if request.htmx:
        played = replay_game(own_game(request, game_id))
        board = own_board(request, played, held=form.held)
        return answer(request, board)
    return redirect(reverse("game", args=[game_id]) + f"?held={form.held_text}")


@never_cache
@require_POST
def game_score(request: PlayRequest, game_id: str) -> HttpResponse:
    fill = partial(playing.fill_box, by_hand=True)
    return act(request, game_id, ScoreForm(request.POST), fill)


@never_cache
@require_POST
def game_take_back(request: PlayRequest, game_id: str) -> HttpResponse:
    return act(request, game_id, TakeBackForm(request.POST), playing.take_back_box)


@never_cache
@require_POST
def game_throw(request: PlayRequest, game_id: str) -> HttpResponse:
    return act(request, game_id, ThrowForm(request.POST), enter_roll)


@never_cache
@require_POST
def game_abandon(request: PlayRequest, game_id: str) -> HttpResponse:
    return act(request, game_id, AbandonForm(request.POST), playing.abandon_game)


@never_cache
@require_safe
def game_verify(request: PlayRequest, game_id: str) -> HttpResponse:
    game = own_game(request, game_id)
    check = verify(replay_game(game))
    context = {
        "game": game,
        "game_name": labels.find_ruleset_name(game.rules),
        "finished": game.over,
        "proof": load_pages(game.mode).proof,
        "commitment": check.commitment,
        "seed": check.seed,
        "key": check.key,
        "added": check.added,
        "matches": check.holds,
        "turns": check.turns,
    }
    return render(request, "pages/verify.html", context)


@never_cache
@require_safe
def watch(request: PlayRequest, share_token: str) -> HttpResponse:
    game = access.find_watched_game(share_token)
    if find_kind(game).only_result:
        return redirect(find_kind(game).make_share_url(owner=True))
    spoilt = daily_dice.would_spoil_daily(game, request.visitor.player, request.COOKIES)
    board = make_game_board(game, viewer=None, message=say("day_spoilt") if spoilt else "")
    response = render(request, "pages/watch.html", {"board": board, "share_token": share_token})
    if not spoilt:
        return response
    if request.visitor.player is not None and game.day is not None:
        mark_day_seen(player=request.visitor.player, day=game.day, ruleset=game.ruleset)
    return daily_dice.set_seen_cookie(request, game, response)


TOKEN, TAB = "the-token-of-this-visitor", "the-tab-of-this-visitor"
NONCE, SEAL = "the-ticket-of-this-visitor", "the-seal-of-this-visitor"
MOST = 64  # cached pages of 20 kB


class PlaceOfTicket(tickets.Ticket):
    signed, commitment = NONCE, SEAL


def first_page(request: HttpRequest, rules: Ruleset | None, coach: str) -> HttpResponse:
    """Return the first page from the cache, with new tokens, for a request without cookies."""
    ticket = tickets.issue()
    draw = (
        _render_board.__wrapped__ if settings.DEBUG else _render_board
    )  # in development, templates change, so nothing is cached
    page = draw(get_language(), get_script_prefix(), rules, coach, explain_coach_lock())
    personal = {
        TOKEN: get_token(request),
        TAB: find_tab(request),
        NONCE: ticket.signed,
        SEAL: ticket.commitment,
    }
    for place, what in personal.items():
        page = page.replace(place, what)
    return HttpResponse(page)


@lru_cache(maxsize=MOST)
def _render_board(
    language: str, prefix: str, rules: Ruleset | None, coach: str, closed: str
) -> str:
    """Return the first page, with placeholders for its tokens. Its links begin with ``prefix``."""
    card = make_new_board(None, rules=rules, coach=coach, newcomer=True)
    board = replace(card, ticket=PlaceOfTicket(""))
    context = {"board": board, "csrf_token": TOKEN, "tab": TAB}
    request = HttpRequest()
    request.user = AnonymousUser()
    request.resolver_match = resolve("/")
    return render_to_string("pages/play.html", context, request=request)


@never_cache
@require_POST
def hint(request: PlayRequest, game_id: str) -> HttpResponse:
    try:
        played = count_hint(game_id=game_id, player=request.visitor.player)
    except Refused as refusal:
        return refuse(request, game_id, refusal)
    held = HeldSlotsForm(request.POST).slots
    if not request.htmx:
        slots = ",".join(map(str, sorted(held)))
        return redirect(f"{reverse('game', args=[game_id])}?hint={sign_hint(played)}&held={slots}")
    board = own_board(request, played, held=held, hint=True)
    return answer(request, board)


@never_cache
@require_safe
def chance(request: PlayRequest, game_id: str) -> HttpResponse:
    played = replay_game(own_game(request, game_id))
    line = make_target_line(played, at_once=False)
    return render(request, "pages/_target.html", {"target": line})


@never_cache
@require_safe
def panel(request: PlayRequest, game_id: str) -> HttpResponse:
    """Return the progress of missing tables, or the board with its coach if the tables are ready.
    The request has the held dice, so that the new board holds them too."""
    held = HeldSlotsForm(request.GET).slots
    played = judge_if_finished(replay_game(own_game(request, game_id)))
    board = own_board(request, played, held=held)
    if board.waiting is None:
        response = answer(request, board)
        response["HX-Retarget"] = "#board"
        return response
    context = {"board": board, "waiting": board.waiting}
    return render(request, "coach/_talk_waiting.html", context)


class ActionForm(Protocol):
    @property
    def action(self) -> Mapping[str, object]: ...
    def is_valid(self) -> bool: ...


def own_game(request: PlayRequest, game_id: str) -> Game:
    return access.find_own_game(game_id, request.visitor.player)


def own_board(
    request: PlayRequest,
    played: Played,
    *,
    hint: bool = False,
    coach_asks: bool = False,
    **notes: Unpack[BoardNotes],
) -> Board:
    visitor = request.visitor
    return make_played_board(
        played,
        viewer=visitor.player,
        newcomer=visitor.newcomer,
        hint=hint,
        coach_asks=coach_asks,
        **notes,
    )


def answer_page(request: PlayRequest, board: Board, status: int = 200) -> HttpResponse:
    return render(request, "pages/play.html", {"board": board}, status=status)


def answer(request: PlayRequest, board: Board, status: int = 200) -> HttpResponse:
    template = "pages/_update.html" if request.htmx else "pages/play.html"
    return render(request, template, {"board": board}, status=status)


def act(
    request: PlayRequest, game_id: str, form: ActionForm, service: Callable[..., Played]
) -> HttpResponse:
    """Carry out the form's action and show the board. If the action is refused, show the reason."""
    try:
        if not form.is_valid():
            raise NotUnderstood
        played = service(game_id=game_id, player=request.visitor.player, **form.action)
    except Refused as refusal:
        return refuse(request, game_id, refusal)
    elsewhere = load_pages(played.game.mode).elsewhere(request, played.game, None)
    if elsewhere is not None:
        return elsewhere
    if request.htmx:
        return answer(request, own_board(request, played))
    return redirect("game", played.game.pk)


def refuse(request: PlayRequest, game_id: str, refusal: Refused) -> HttpResponse:
    game = own_game(request, game_id)
    elsewhere = load_pages(game.mode).elsewhere(request, game, refusal)
    if elsewhere is not None:
        return elsewhere
    played = replay_game(game)
    board = own_board(
        request,
        played,
        message=refusal.message,
        doubted=refusal.action if isinstance(refusal, AskFirst) else None,
        coach_asks=isinstance(refusal, AskFirst) and refusal.coach,
        typed=request.POST.get("faces", "")[:20],
    )
    return answer(request, board, refusal.status)
