"""The pages of a participant, from the personal link and the consent to the end."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from django import forms
from django.conf import settings as site
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from game.core.refusals import NotUnderstood, Refused
from game.core.words import labels
from game.pages.requests.limits import TooMuch, check_link
from game.pages.requests.visitors import PlayRequest
from game.trials.design.reading import (
    EXPERIENCE,
    LAST_PLAYED,
    STRATEGY,
    find_next_game,
    is_draw_due,
)
from game.trials.joining.answering import ShownPage, show_page
from game.trials.joining.links import NoWayIn, find_linked_participant, make_invitations
from game.trials.joining.progress import find_table, list_others_at_table, read_progress
from game.trials.joining.recruiting import find_own_outcome
from game.trials.joining.withdrawing import withdraw_participant
from game.trials.joining.writing import (
    bind_participant,
    draw_arm,
    log_departure,
    log_page_state,
    parse_browser_kind,
    participant_here,
    start_trial_game,
    store_answers,
    store_consent,
    unbind_participant,
)
from game.trials.models import NoAnswer, Participant, Trial
from game.trials.reading import waits_for_browser


class AgreeForm(forms.Form):
    version = forms.IntegerField(min_value=1)
    agree = forms.BooleanField()


def read_agreement(request: HttpRequest) -> int:
    """Return the version of the consent text to which a person agrees by this form."""
    form = AgreeForm(request.POST)
    if not form.is_valid():
        raise Refused(_("Please confirm that you agree. If you do not agree, leave this page."))
    version: int = form.cleaned_data["version"]
    return version


class WithdrawForm(forms.Form):
    confirm = forms.BooleanField(
        label=gettext_lazy("Delete all my games and answers. They cannot be restored.")
    )


class AnswersForm(forms.Form):
    """The questions on experience with these names. A participant may skip or decline each."""

    def __init__(self, names: Sequence[str], data: Any = None) -> None:
        super().__init__(data)
        for name, label, choices in (
            (EXPERIENCE, _("How well do you know Yatzy or Yahtzee?"), Participant.Experience),
            (LAST_PLAYED, _("When did you last play Yatzy or Yahtzee?"), Participant.LastPlayed),
            (STRATEGY, _("Have you studied how to play the game well?"), Participant.Strategy),
        ):
            if name in names:
                options = [("", "–"), *choices.choices, NoAnswer.choices[0]]
                self.fields[name] = forms.ChoiceField(label=label, choices=options, required=False)


View = Callable[[PlayRequest, Participant], HttpResponse]


def require_participant(view: View) -> Callable[[PlayRequest], HttpResponse]:
    """Let only participants use a view. If the view raises Refused, show the participant's page. A
    participant who was released from a browser must confirm the new browser: programs that preview
    mail follow links, and must not take the participant's place."""

    @wraps(view)
    def checked(request: PlayRequest) -> HttpResponse:
        participant = request.visitor.participant
        if participant is None:
            raise NoWayIn(_("Please open the personal link that you got for this trial."))
        try:
            if request.method == "POST":
                participant = bind_participant(participant=participant)
                enter_trial(request, participant)
            elif waits_for_browser(participant):
                context = {"trial": participant.trial, "participant": None}
                return render(request, "trials/go_on.html", context)
            return view(request, participant)
        except Refused as refusal:
            messages.warning(request, refusal.message)
            return home_page(request, participant, refusal.status)

    return never_cache(checked)


def enter_trial(request: PlayRequest, participant: Participant, way: str = "") -> None:
    request.visitor.take_part(participant, way)
    participant_here(
        participant=participant,
        device=request.visitor.mark.device,
        way=request.visitor.way,
        browser=parse_browser_kind(request.headers.get("user-agent", "")),
    )


@never_cache
@require_safe
def link(request: PlayRequest, signed: str) -> HttpResponse:
    """Let in the holder of a personal link. Store nothing, because mail previews open links too."""
    try:
        check_link(request)
    except TooMuch as refusal:
        return render(request, "429.html", {"text": refusal.message}, status=refusal.status)
    participant = find_linked_participant(signed)
    return let_in(request, participant, "link")


def let_in(request: PlayRequest, participant: Participant, way: str) -> HttpResponse:
    check_way_in(request, participant)
    request.visitor.take_part(participant, way)
    return set_trial_language(redirect("take_part"), participant.trial)


def check_way_in(request: PlayRequest, participant: Participant) -> None:
    if participant.withdrawn_at is not None:
        kept = _("You have withdrawn from this trial. We have deleted your games and answers.")
        backups = _("Deleted data can remain in backups until newer backups replace them.")
        raise NoWayIn(f"{kept} {backups}")
    check_nobody_else(request, participant)
    only_one = participant.trial.resume == Trial.Resume.ONE_BROWSER
    if only_one and participant.browser and request.visitor.participant is None:
        raise NoWayIn(
            _("You began with this link in another browser. You can go on only in that browser.")
        )


def check_nobody_else(request: PlayRequest, participant: Participant | None) -> None:
    """Raise NoWayIn if another participant uses this browser, unless both share the device."""
    here = request.visitor.participant
    if here is None or here == participant:
        return
    same_trial = participant is not None and participant.trial_id == here.trial_id
    if not same_trial or not here.trial.round_table:
        text = _(
            "Another participant, %(code)s, uses this browser. They must leave this"
            " device first, on their own page."
        )
        raise NoWayIn(text % {"code": here.label})


def set_trial_language(response: HttpResponse, trial: Trial) -> HttpResponse:
    if trial.language:
        response.set_cookie(site.LANGUAGE_COOKIE_NAME, trial.language, samesite="Lax")
    return response


@require_safe
@require_participant
def home(request: PlayRequest, participant: Participant) -> HttpResponse:
    return home_page(request, participant)


def home_page(
    request: PlayRequest,
    participant: Participant,
    status: int = 200,
    shown_page: ShownPage | None = None,
) -> HttpResponse:
    """Show the participant's page. ``shown_page`` has any questions, with answers and faults."""
    progress = read_progress(participant)
    if shown_page is None and progress.due and progress.phase == "asked":
        shown_page = show_page(participant, progress.due)
    invitation = None  # for a participant who joined by the open link and agreed
    if participant.recruited and participant.consent_id is not None:
        invitation = next(make_invitations([participant], request.build_absolute_uri("/")))
    context = {
        "progress": progress,
        "trial": progress.trial,
        "coming_back": invitation,
        "answers": AnswersForm(progress.answers),
        "asked": shown_page,
        "table": find_table(participant),
        "outcome": find_own_outcome(participant, progress.way_out),
        "game_name": labels.find_ruleset_name(progress.rules),
    }
    return render(request, "trials/take_part.html", context, status=status)


@require_POST
@require_participant
def agree(request: PlayRequest, participant: Participant) -> HttpResponse:
    version = read_agreement(request)
    enter_trial(request, store_consent(participant=participant, version=version))
    return redirect("take_part")


@require_POST
@require_participant
def go_on(request: PlayRequest, participant: Participant) -> HttpResponse:
    """Redirect to the participant's page; ``require_participant`` has bound this browser."""
    return redirect("take_part")


@require_POST
@require_participant
def answers(request: PlayRequest, participant: Participant) -> HttpResponse:
    form = AnswersForm(read_progress(participant).answers, request.POST)
    if not form.is_valid():
        raise NotUnderstood
    store_answers(participant=participant, **form.cleaned_data)
    return redirect("take_part")


@require_POST
@require_participant
def next_game(request: PlayRequest, participant: Participant) -> HttpResponse:
    """Start the next game. Before a new arm or phase, first show the page that introduces it."""
    if is_draw_due(participant):
        draw_arm(participant=participant)
        return redirect("take_part")
    if request.POST.get("after") == "game":
        last = participant.games.order_by("number").last()
        following = find_next_game(participant)
        if last and following and (last.arm, last.phase) != (following.arm, following.phase):
            return redirect("take_part")
    played = start_trial_game(participant=participant)
    return redirect("game", played.game.pk)


def stay_with(request: PlayRequest, others: Sequence[Participant]) -> None:
    """Let the first of ``others`` play next. Without others, return to the site's own player."""
    if others:
        request.visitor.take_part(others[0])
    else:
        request.visitor.take_part_no_more()


@require_POST
@require_participant
def page(request: PlayRequest, participant: Participant) -> HttpResponse:
    """Log that the page was hidden or shown. A script on the page sends this request."""
    log_page_state(participant=participant, state=request.POST.get("state", ""))
    return HttpResponse(status=204)


@require_http_methods(["GET", "HEAD", "POST"])
@require_participant
def withdraw(request: PlayRequest, participant: Participant) -> HttpResponse:
    form = WithdrawForm(request.POST or None)
    if not form.is_valid():
        context = {"form": form, "trial": participant.trial, "participant": participant}
        return render(request, "trials/withdraw.html", context)
    others, outcome = list_others_at_table(participant), find_own_outcome(participant, "withdrawn")
    withdraw_participant(participant=participant)
    stay_with(request, others)
    context = {"trial": participant.trial, "outcome": outcome}
    return render(request, "trials/withdrawn.html", context)


@require_POST
@require_participant
def pass_on(request: PlayRequest, participant: Participant) -> HttpResponse:
    """Give the device to the person whose turn it is; first, show the questions due."""
    table = find_table(participant)
    if table is None or table.turn is None:
        return redirect("take_part")
    request.visitor.take_part(table.turn)
    try:
        return redirect("game", start_trial_game(participant=table.turn).game.pk)
    except Refused:
        return redirect("take_part")


@require_POST
@require_participant
def leave(request: PlayRequest, participant: Participant) -> HttpResponse:
    """Remove the participant from this device. Their personal link still opens their games."""
    others = list_others_at_table(participant)
    unbind_participant(participant=participant)
    log_departure(participant=participant)
    stay_with(request, others)
    messages.success(request, _("You have left this device. Your link leads back to your games."))
    return redirect("take_part" if others else "play")
