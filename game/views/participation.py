"""What a participant of a trial sees: the link, the text to agree to, the games, the way out."""

from collections.abc import Callable
from functools import wraps

from django.conf import settings as site
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from game import services
from game.models import Participant, Trial
from game.services import Refused
from game.trials.forms import AgreeForm, AnswersForm, WithdrawForm
from game.trials.links import BadLink, OldLink, participant_of
from game.trials.progress import progress_of
from game.web.visitors import PlayRequest
from game.words import labels

View = Callable[[PlayRequest, Participant], HttpResponse]


class NoWayIn(PermissionDenied):
    """A link that cannot be used here; the message says why and what to do."""


def participants_only(view: View) -> Callable[[PlayRequest], HttpResponse]:
    """For whoever came by a personal link; a refusal is told on the participant's own page."""

    @wraps(view)
    def checked(request: PlayRequest) -> HttpResponse:
        participant = request.visitor.participant
        if participant is None:
            raise NoWayIn(_("Please open the personal link that you were given for this trial."))
        try:
            if request.method == "POST":
                participant = services.participant_bind(participant=participant)
                request.visitor.take_part(participant)
                _here(request, participant)
            return view(request, participant)
        except Refused as refusal:
            messages.warning(request, refusal.message)
            return _home(request, participant, refusal.status)

    return never_cache(checked)


def _here(request: PlayRequest, participant: Participant) -> None:
    device = request.visitor.mark.device
    services.participant_here(participant=participant, device=device)


@never_cache
@require_safe
def link(request: PlayRequest, signed: str) -> HttpResponse:
    """A personal link. Opening it, as programs that preview mail do, changes nothing stored."""
    try:
        participant = participant_of(signed)
    except BadLink:
        text = _("This link is not one of ours. Please copy the whole link and try again.")
        raise NoWayIn(text) from None
    except OldLink:
        raise NoWayIn(
            _(
                "This link has been revoked. Please ask whoever gave it to you for the new one:"
                " your games are kept."
            )
        ) from None
    _check_way_in(request, participant)
    request.visitor.take_part(participant)
    return _in_language(redirect("take_part"), participant.trial)


def _check_way_in(request: PlayRequest, participant: Participant) -> None:
    if participant.withdrawn_at is not None:
        raise NoWayIn(
            _("You have withdrawn from this trial. Nothing that you played or answered is kept.")
        )
    here = request.visitor.participant
    if here is not None and here.pk != participant.pk:
        raise NoWayIn(
            _(
                "Somebody else takes part in this browser, as %(code)s. They must leave this"
                " device first, on their own page."
            )
            % {"code": here.label}
        )
    only_one = participant.trial.resume == Trial.Resume.ONE_BROWSER
    if only_one and participant.browser and here is None:
        raise NoWayIn(
            _("This link was begun in another browser, and this trial goes on only there.")
        )


def _in_language(response: HttpResponse, trial: Trial) -> HttpResponse:
    if trial.language:
        response.set_cookie(site.LANGUAGE_COOKIE_NAME, trial.language, samesite="Lax")
    return response


@require_safe
@participants_only
def home(request: PlayRequest, participant: Participant) -> HttpResponse:
    return _home(request, participant)


def _home(request: PlayRequest, participant: Participant, status: int = 200) -> HttpResponse:
    progress = progress_of(participant)
    context = {"progress": progress, "trial": progress.trial, "answers": AnswersForm()}
    context["game_name"] = labels.ruleset_name(progress.trial.rules)
    return render(request, "trials/take_part.html", context, status=status)


@require_POST
@participants_only
def agree(request: PlayRequest, participant: Participant) -> HttpResponse:
    form = AgreeForm(request.POST)
    if not form.is_valid():
        raise Refused(_("Please say that you agree, or leave this page if you do not."))
    version = form.cleaned_data["version"]
    participant = services.participant_agree(participant=participant, version=version)
    request.visitor.take_part(participant)
    _here(request, participant)
    return redirect("take_part")


@require_POST
@participants_only
def answers(request: PlayRequest, participant: Participant) -> HttpResponse:
    form = AnswersForm(request.POST)
    if not form.is_valid():
        raise services.NotUnderstood
    services.participant_answer(participant=participant, **form.cleaned_data)
    return redirect("take_part")


@require_POST
@participants_only
def next_game(request: PlayRequest, participant: Participant) -> HttpResponse:
    played = services.trial_game_start(participant=participant)
    return redirect("game", played.game.pk)


@require_POST
@participants_only
def leave(request: PlayRequest, participant: Participant) -> HttpResponse:
    """Nothing is lost: the link leads back, here or elsewhere."""
    services.participant_release(participant=participant)
    services.participant_left(participant=participant)
    request.visitor.take_part_no_more()
    messages.success(request, _("You have left this device. Your link leads back to your games."))
    return redirect("play")


@require_POST
@participants_only
def page(request: PlayRequest, participant: Participant) -> HttpResponse:
    """A script says that the page was hidden or shown; nothing is answered."""
    services.participant_page(participant=participant, state=request.POST.get("state", ""))
    return HttpResponse(status=204)


@require_http_methods(["GET", "HEAD", "POST"])
@participants_only
def withdraw(request: PlayRequest, participant: Participant) -> HttpResponse:
    form = WithdrawForm(request.POST or None)
    if request.method != "POST" or not form.is_valid():
        context = {"form": form, "trial": participant.trial, "participant": participant}
        return render(request, "trials/withdraw.html", context)
    services.participant_withdraw(participant=participant)
    request.visitor.take_part_no_more()
    messages.success(
        request, _("You have withdrawn. Everything that you played and answered is deleted.")
    )
    return redirect("play")
