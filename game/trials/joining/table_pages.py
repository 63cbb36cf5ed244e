"""A device that goes round: the browser plays as whose turn it is, and somebody may leave it."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from game.models import Participant
from game.services import Refused
from game.trials.joining.pages import participants_only, stay_with
from game.trials.joining.presence import participant_left
from game.trials.joining.table import others_at_table, table_of
from game.trials.joining.writing import participant_release, trial_game_start
from game.web.visitors import PlayRequest


@require_POST
@participants_only
def pass_on(request: PlayRequest, participant: Participant) -> HttpResponse:
    """To whose turn it is now, whatever the page had shown; what they are asked comes first."""
    table = table_of(participant)
    if table is None or table.turn is None:
        return redirect("take_part")
    request.visitor.take_part(table.turn)
    try:
        return redirect("game", trial_game_start(participant=table.turn).game.pk)
    except Refused:
        return redirect("take_part")


@require_POST
@participants_only
def leave(request: PlayRequest, participant: Participant) -> HttpResponse:
    """Nothing is lost: the link leads back, here or elsewhere. Others at the table stay."""
    others = others_at_table(participant)
    participant_release(participant=participant)
    participant_left(participant=participant)
    stay_with(request, others)
    messages.success(request, _("You have left this device. Your link leads back to your games."))
    return redirect("take_part" if others else "play")
