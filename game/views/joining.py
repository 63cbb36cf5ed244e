"""The open link of a trial: strangers read the text and agree; nothing is stored before that."""

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import translation
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from game.models import Participant, Recruitment
from game.selectors.recruitment import participant_of_label, places_left, recruitment_of_token
from game.services import Refused
from game.services.recruiting import NoPlaceLeft, recruit_agree
from game.trials.forms import AgreeForm
from game.trials.outcomes import outcome
from game.views.participation import NoWayIn, SomebodyElse, check_way_in, in_language
from game.web.limits import check_new_player
from game.web.visitors import PlayRequest
from game.words import labels

LONGEST = 200  # characters of a label


@never_cache
@require_safe
def join(request: PlayRequest, token: str) -> HttpResponse:
    """Whoever has a place already goes on; opening the link, as previews do, changes nothing."""
    found = _recruitment(token)
    told = _parameters(request, found)
    if known := _known(request, found, told):
        check_way_in(request, known)
        request.visitor.take_part(known)
        return in_language(redirect("take_part"), found.trial)
    if not found.trial.is_open or not found.open:
        raise NoWayIn(_("This trial takes nobody in now. Please ask whoever gave you the link."))
    if not places_left(found):
        return _sent_away(request, found, told, "screened_out", NoPlaceLeft().message)
    request.visitor.read_of(found.trial_id)
    return in_language(_asked(request, found, told), found.trial)


@never_cache
@require_POST
def join_agree(request: PlayRequest, token: str) -> HttpResponse:
    found = _recruitment(token)
    told = _parameters(request, found)
    form = AgreeForm(request.POST)
    try:
        if not form.is_valid():
            raise Refused(_("Please say that you agree, or leave this page if you do not."))
        check_new_player(request)
        known = _known(request, found, told)
        if known is not None:
            check_way_in(request, known)
        version = form.cleaned_data["version"]
        one = recruit_agree(recruitment=found, version=version, parameters=told)
    except NoPlaceLeft as refusal:
        return _sent_away(request, found, told, "screened_out", refusal.message)
    except Refused as refusal:
        return _asked(request, found, told, refusal)
    request.visitor.take_part(one)
    return redirect("take_part")


@never_cache
@require_safe
def join_decline(request: PlayRequest, token: str) -> HttpResponse:
    """Nothing is stored of somebody who does not agree."""
    found = _recruitment(token)
    message = _("You have not agreed, and nothing about you is stored. Thank you for coming!")
    return _sent_away(request, found, _parameters(request, found), "no_consent", message)


def _recruitment(token: str) -> Recruitment:
    found = recruitment_of_token(token)
    if found is None:
        text = _("This link is not one of ours. Please copy the whole link and try again.")
        raise NoWayIn(text)
    return found


def _parameters(request: PlayRequest, found: Recruitment) -> dict[str, str]:
    """The labels of the address; the first has to be there, since it says who comes."""
    told = {name: request.GET.get(name, "").strip()[:LONGEST] for name in found.names}
    if found.names and not told[found.names[0]]:
        text = _("The address lacks “%(name)s”. Please open the link again where you found it.")
        raise NoWayIn(text % {"name": found.names[0]})
    return told


def _known(request: PlayRequest, found: Recruitment, told: dict[str, str]) -> Participant | None:
    """By the label, or, where nobody is asked for one, by this browser."""
    here = request.visitor.participant
    if not found.names:
        mine = here is not None and here.trial_id == found.trial_id and here.recruited
        known = here if mine else None
    else:
        known = participant_of_label(found.trial, told[found.names[0]])
    if known is None and here is not None:
        raise SomebodyElse(here)
    return known


def _asked(
    request: PlayRequest, found: Recruitment, told: dict[str, str], refusal: Refused | None = None
) -> HttpResponse:
    query = f"?{urlencode(told)}" if told else ""
    context = {
        "trial": found.trial,
        "game_name": labels.ruleset_name(found.trial.rules),
        "consent": found.trial.consents.latest("version"),
        "agree": reverse("join_agree", args=[found.token]) + query,
        "decline": reverse("join_decline", args=[found.token]) + query,
        "message": refusal.message if refusal else "",
    }
    status = refusal.status if refusal else 200
    with translation.override(found.trial.language or translation.get_language()):
        return render(request, "trials/join.html", context, status=status)


def _sent_away(
    request: PlayRequest, found: Recruitment, told: dict[str, str], name: str, message: str
) -> HttpResponse:
    context = {"trial": found.trial, "message": message, "outcome": outcome(found, name, told)}
    return render(request, "trials/sent_away.html", context)
