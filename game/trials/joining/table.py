"""Participants who share one device. Their games determine whose turn it is.

A participant belongs to the device that last opened the participant's link. A participant who has
begun a turn finishes the turn first. Then the participant who has waited longest since filling a
box plays next. A break, a late start or fewer games therefore delay nobody.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from game.models import Decision
from game.trials.design.people import has_expired
from game.trials.models import Participant
from game.trials.reading import PLANNED

FINISHED = Q(games__game__finished_at__isnull=False)


@dataclass(frozen=True, slots=True)
class TrialTable:
    """The participants who share a device and have games left, in the order of their turns."""

    me: Participant
    seats: Sequence[Participant]

    @property
    def turn(self) -> Participant | None:
        return self.seats[0] if self.seats else None

    @property
    def others_turn(self) -> str:
        """The label of the participant whose turn it is; "" if it is this participant's turn."""
        return self.turn.label if self.turn and self.turn.pk != self.me.pk else ""

    @property
    def labels(self) -> list[str]:
        return [seat.label for seat in sorted(self.seats, key=lambda seat: seat.number)]


def find_table(participant: Participant) -> TrialTable | None:
    """Return the participants who share this participant's device; None if no device is shared."""
    if not participant.trial.round_table or not participant.table:
        return None
    seated = [seat for seat in _list_seated(participant) if not has_expired(seat)]
    return TrialTable(participant, sorted(seated, key=_get_turn_key))


def list_others_at_table(participant: Participant) -> list[Participant]:
    """Return the other participants at this device, in the order of their turns."""
    table = find_table(participant)
    return [seat for seat in table.seats if seat.pk != participant.pk] if table else []


def _get_turn_key(seat: Any) -> Any:
    """Return a sort key: a begun turn comes first, then the longest wait since filling a box."""
    return seat.last_hold is None, seat.last_box


def _list_seated(participant: Participant) -> QuerySet[Participant]:
    """Return the participants at this device who have games left. A participant who has filled no
    box yet has waited since the last game or the consent."""
    open_game = Q(game__trial_game__participant=OuterRef("pk"), game__finished_at__isnull=True)
    latest = Decision.objects.filter(open_game).order_by("-seq")
    box = latest.filter(hold__isnull=True).values("created_at")[:1]
    table = participant.trial.participants.filter(
        table=participant.table, screened_out_at__isnull=True
    )
    return (
        table.select_related("trial")
        .annotate(
            done=Count("games", filter=FINISHED),
            last_hold=Subquery(latest.values("hold")[:1]),
            last_box=Coalesce(Subquery(box), Max("games__game__finished_at"), "consented_at"),
        )
        .filter(done__lt=PLANNED)
    )
