"""Views of duels: the list of challenges, and a page for each duel."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from django import forms
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from game.core.access import check_may_play
from game.core.coach_lock import find_closing_trial
from game.core.refusals import AskFirst, NotUnderstood, Refused
from game.core.words import labels
from game.core.words import opponent_words as characters
from game.duels import duel_words as words
from game.duels.duel_ends import call_off_duel, leave_duel, remove_late_players
from game.duels.duel_look import view_duel
from game.duels.duel_queries import Challenge, list_own_duels, open_challenges
from game.duels.duels import (
    DAYS,
    MINUTES,
    USUAL_DAYS,
    create_duel,
    enter_duel,
    find_or_create_rematch,
    send_greeting,
)
from game.duels.opponents import (
    ERRING,
    LOST,
    USUAL_LOST,
    build_ladder,
    find_own_skill,
    list_opponents,
)
from game.duels.record_board import build_player_standing
from game.duels.reminders import make_public_key
from game.models import Duel, Game
from game.models.duel import MOST_ADDED, MOST_SEATS
from game.pages.requests.forms import AddedForm, HeldForm, set_choices
from game.pages.requests.limits import check_rate, check_start
from game.pages.requests.visitors import PlayRequest
from game.pages.rulesets import list_rules_links, rules_asked
from solver.players import PLAYERS
from solver.rules import PLAYED, Ruleset

OPEN, LINK = "open", "link"
FRIEND, STRANGER = "friend", "stranger"  # the opponent: someone with the link, or anyone


class DuelForm(forms.Form):
    """The form for a new duel with one ruleset, because not every bot plays every ruleset. Only the
    opponent is required."""

    ruleset = forms.CharField(widget=forms.HiddenInput)
    opponent = forms.ChoiceField(required=False)
    points_lost = forms.IntegerField(
        required=False, min_value=min(LOST), max_value=max(LOST), step_size=LOST.step
    )
    bots = forms.MultipleChoiceField(
        label=_("More bots"), required=False, widget=forms.CheckboxSelectMultiple
    )
    people = forms.TypedChoiceField(label=_("Number of people, including you"), coerce=int)
    minutes = forms.TypedChoiceField(label=_("Clock per player"), coerce=int)
    days = forms.TypedChoiceField(
        label=_("Time per move, if the duel has no clock"), required=False, coerce=int
    )
    own_pace = forms.BooleanField(
        label=_("Each player sets their own pace (friends only): later players may know the dice."),
        required=False,
    )
    added = forms.CharField(
        label=_("Your text for the dice (optional)"), required=False, max_length=MOST_ADDED
    )
    listed = forms.ChoiceField(
        label=_("Who may join"),
        required=False,
        choices=[(LINK, _("Anyone with the link")), (OPEN, _("Anyone: list the duel publicly"))],
        widget=forms.RadioSelect,
    )

    def __init__(
        self, rules: Ruleset, data: Mapping[str, Any] | None = None, opponent: str = ""
    ) -> None:
        first = {"ruleset": rules.id, "opponent": opponent, "people": 1, "minutes": 0}
        super().__init__(data, initial={**first, "listed": LINK, "days": USUAL_DAYS})
        bots = []
        for bot in (entry.id for entry in PLAYERS.values() if entry.plays(rules)):
            name, strategy = characters.find_bot_name(bot), characters.translate_strategy(bot)
            bots.append((bot, name if name == strategy else f"{name}: {strategy}"))
        others = range(1, MOST_SEATS)
        people = [
            ngettext("You and %(count)s other player", "You and %(count)s other players", n)
            % {"count": n}
            for n in others
        ]
        set_choices(
            self, "opponent", [*bots, *((name, name) for name in (ERRING.id, FRIEND, STRANGER))]
        )
        set_choices(self, "bots", bots)
        set_choices(self, "people", list(enumerate([_("Only you"), *people], start=1)))
        set_choices(
            self, "minutes", [(minutes, words.format_clock(minutes)) for minutes in MINUTES]
        )
        set_choices(
            self,
            "days",
            [(n, ngettext("%(count)s day", "%(count)s days", n) % {"count": n}) for n in DAYS],
        )

    @property
    def setting(self) -> dict[str, Any]:
        setting = dict(self.cleaned_data)
        chosen = setting.pop("opponent")
        points_lost = setting.pop("points_lost") or USUAL_LOST
        invites = chosen in {FRIEND, STRANGER}
        if chosen == ERRING.id:
            chosen = f"{chosen}:{points_lost}"
        bots = setting["bots"] if invites or not chosen else [chosen, *setting["bots"]]
        lockstep = not setting.pop("own_pace")
        return {
            **setting,
            "lockstep": lockstep,
            "days": setting["days"] or USUAL_DAYS,
            "bots": list(dict.fromkeys(bots)),
            "people": max(setting["people"], 2) if invites else setting["people"],
            "listed": setting["listed"] == OPEN or chosen == STRANGER,
        }


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def lobby(request: PlayRequest) -> HttpResponse:
    player = request.visitor.player
    check_may_play(player)
    rules = rules_asked(request)
    if request.method != "POST":
        return _render_lobby(request, rules)
    rules = PLAYED.get(request.POST.get("ruleset", ""), rules)
    form = DuelForm(rules, request.POST)
    if not form.is_valid():
        return _render_lobby(request, rules, form, status=400)
    try:
        check_start(request, player)
        duel, owner = create_duel(player=player, **form.setting)
    except Refused as refusal:
        form.add_error(None, refusal.message)
        return _render_lobby(request, rules, form, status=refusal.status)
    request.visitor.become(owner)
    return redirect("duel", duel.token)


def _render_lobby(
    request: PlayRequest, rules: Ruleset, form: DuelForm | None = None, status: int = 200
) -> HttpResponse:
    player = request.visitor.player
    level = None if find_closing_trial() else find_own_skill(player, rules)
    programs = list_opponents(rules)
    wanted = (request.POST or request.GET).get("opponent", "")
    ranked = build_ladder(programs, level, wanted) if programs else None
    awaited = request.visitor.awaited
    rows = [
        _make_row(duel) | {"mine": duel.duel.token in awaited} for duel in list_own_duels(player)
    ]
    rows.sort(key=lambda row: not row["mine"])
    context = {
        "form": form or DuelForm(rules, opponent=ranked.first.id if ranked else FRIEND),
        "ladder": ranked,
        "choices": list_rules_links(rules),
        "challenges": list(map(_make_row, open_challenges(player, timezone.now()))),
        "under_way": [row for row in rows if row["state"] != "finished"],
        "standing": build_player_standing(player, rules, judged=not find_closing_trial())
        if player
        else None,
        "over": [row for row in rows if row["state"] == "finished"],
        "push_key": make_public_key(),
    }
    return render(request, "duels/lobby.html", context, status=status)


def _make_row(challenge: Challenge) -> dict[str, object]:
    duel = challenge.duel
    return {
        "token": duel.token,
        "state": duel.state,
        "created": duel.created_at,
        "game_name": labels.find_ruleset_name(duel.rules),
        "players": ", ".join(map(labels.format_player, challenge.players)),
        "faces": [characters.find_player_face(player) for player in challenge.players],
        "free": challenge.free,
        "clock": words.describe_pace(duel, challenge.people),
    }


@never_cache
@require_safe
def duel(request: PlayRequest, token: str) -> HttpResponse:
    return duel_page(request, token, held=HeldForm(request.GET).slots)


def answer_refusals(act: Callable[[PlayRequest, str], HttpResponse]) -> Any:
    """Answer POST requests. If an action is refused, show the duel's page with the reason."""

    @never_cache
    @require_POST
    @wraps(act)
    def answer_post(request: PlayRequest, token: str) -> HttpResponse:
        try:
            return act(request, token)
        except Refused as refusal:
            if request.htmx:  # the page shows the message and keeps its board
                return HttpResponse(refusal.message, "text/plain; charset=utf-8", refusal.status)
            return duel_page(request, token, message=refusal.message, status=refusal.status)

    return answer_post


@answer_refusals
def join(request: PlayRequest, token: str) -> HttpResponse:
    player = request.visitor.player
    check_start(request, player)
    _, owner = enter_duel(token=token, player=player, added=_read_added_text(request))
    request.visitor.become(owner)
    return redirect("duel", token)


def _read_added_text(request: PlayRequest) -> str:
    form = AddedForm(request.POST)
    if not form.is_valid():
        raise NotUnderstood
    return str(form.cleaned_data["added"])


@answer_refusals
def leave(request: PlayRequest, token: str) -> HttpResponse:
    still_there = leave_duel(token=token, player=request.visitor.player)
    return redirect("duels") if still_there.state == "withdrawn" else redirect("duel", token)


@answer_refusals
def claim(request: PlayRequest, token: str) -> HttpResponse:
    remove_late_players(token=token, player=request.visitor.player)
    return redirect("duel", token)


@answer_refusals
def call_off(request: PlayRequest, token: str) -> HttpResponse:
    call_off_duel(token=token, player=request.visitor.player)
    return redirect("duel", token)


@answer_refusals
def greet(request: PlayRequest, token: str) -> HttpResponse:
    check_rate(request, "greeting")
    greeting = request.POST.get("greeting", "")
    send_greeting(token=token, player=request.visitor.player, greeting=greeting)
    return duel_page(request, token, part="_table") if request.htmx else redirect("duel", token)


@answer_refusals
def rematch(request: PlayRequest, token: str) -> HttpResponse:
    player = request.visitor.player
    check_start(request, player)
    again = find_or_create_rematch(token=token, player=player, added=_read_added_text(request))
    return redirect("duel", again.token)


def duel_page(
    request: PlayRequest, token: str, *, status: int = 200, part: str = "duel", **notes: Any
) -> HttpResponse:
    """Show the duel's page with notes for this viewer; with ``part``, only what has changed."""
    view = view_duel(token, request.visitor.player, **notes)
    context = {"view": view, "board": view.board, "message": notes.get("message", "")}
    return render(request, f"duels/{part}.html", context, status=status)


def answer(request: PlayRequest, game: Game, refusal: Refused | None) -> HttpResponse:
    """Show the duel's page after a move, or after the server refused a move."""
    token = Duel.objects.values_list("token", flat=True).get(seats__game=game)
    part = "_update" if request.htmx else "duel"
    if refusal is not None:
        confirm = refusal.action if isinstance(refusal, AskFirst) else None
        notes = {"message": refusal.message, "confirm": confirm}
        return duel_page(request, token, status=refusal.status, part=part, **notes)
    if request.htmx and request.method != "GET":
        return duel_page(request, token, part=part)
    query, address = request.GET.urlencode(), reverse("duel", args=[token])
    return redirect(f"{address}?{query}" if query else address)
