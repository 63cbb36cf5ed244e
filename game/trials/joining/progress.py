"""A participant's progress, which determines the next page, and participants who share one device.

A participant belongs to the device that last opened the participant's link. A participant who has
begun a turn finishes the turn first. Then the participant who has waited longest since filling a
box plays next. A break, a late start or fewer games therefore delay nobody.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from django.db.models import Count, Max, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from game.core.game_queries import OPEN
from game.core.words.sentences import format_opening
from game.models import Decision, Game
from game.trials.design.consent import END, INSTRUCTIONS, find_text
from game.trials.design.people import find_outcome, has_expired, is_expired, summarise_play
from game.trials.design.phases import TRAINING
from game.trials.design.reading import (
    NextGame,
    build_design,
    count_planned_games,
    find_next_game,
    list_due_answers,
)
from game.trials.joining.writing import format_expiry
from game.trials.models import Arm, Consent, Participant, Trial, TrialGame
from game.trials.questions.questionnaire import DuePage
from game.trials.questions.reading import find_due_page
from game.trials.reading import PLANNED, find_latest_consent, query_games_of
from solver.rules import PLAYED, Ruleset, find_ruleset


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
    """Return the participants who share this participant's device and have games left; None if no
    device is shared. A participant who has filled no box yet has waited since the last game or the
    consent."""
    if not participant.trial.round_table or not participant.table:
        return None
    open_game = Q(game__trial_game__participant=OuterRef("pk"), game__finished_at__isnull=True)
    latest = Decision.objects.filter(open_game).order_by("-seq")
    box = latest.filter(hold__isnull=True).values("created_at")[:1]
    table = participant.trial.participants.filter(
        table=participant.table, screened_out_at__isnull=True
    )
    people = (
        table.select_related("trial")
        .annotate(
            done=Count("games__game__finished_at"),
            last_hold=Subquery(latest.values("hold")[:1]),
            last_box=Coalesce(Subquery(box), Max("games__game__finished_at"), "consented_at"),
        )
        .filter(done__lt=PLANNED)
    )

    turns: list[Any] = [person for person in people if not has_expired(person)]
    turns.sort(key=lambda person: (person.last_hold is None, person.last_box))
    return TrialTable(participant, turns)


def list_others_at_table(participant: Participant) -> list[Participant]:
    """Return the other participants at this device, in the order of their turns."""
    table = find_table(participant)
    return [seat for seat in table.seats if seat.pk != participant.pk] if table else []


Phase = Literal[
    "soon",
    "consent",
    "questions",
    "asked",
    "screened_out",
    "lot",
    "play",
    "wait",
    "late",
    "done",
    "closed",
]

NOTHING_SETTLED: tuple[Phase, ...] = ("soon", "consent", "questions", "asked")


@dataclass(frozen=True, slots=True)
class ParticipantProgress:
    participant: Participant
    consent: Consent
    finished: int
    under_way: Game | None
    following: NextGame | None
    due: DuePage | None  # the page of questions that is due now
    games: int | None  # number of all games; None while the arm is unknown
    outcome: str  # a key of WAYS_OUT; empty until the outcome is settled
    expired: str = ""  # the text for a participant who was away too long

    @property
    def trial(self) -> Trial:
        return self.participant.trial

    @property
    def left(self) -> int:
        return max(0, self.participant.games_planned - self.finished)

    @property
    def number(self) -> int:
        return self.finished + 1

    @property
    def agreed(self) -> bool:
        return self.participant.consent_id == self.consent.pk

    @property
    def asked_again(self) -> bool:
        return self.participant.consent_id is not None and not self.agreed

    @property
    def answers(self) -> tuple[str, ...]:
        return list_due_answers(self.participant, played=not self.left)

    @property
    def phase(self) -> Phase:
        trial = self.trial
        if not trial.is_open:
            return "soon" if trial.opened_at is None else "closed"
        if self.participant.screened_out_at is not None:
            return "screened_out"
        if self.expired:
            return "late"
        if not self.agreed:
            return "consent"
        if self.answers and self.participant.answered_at is None:
            return "questions"
        if self.due is not None:
            return "asked"
        if not self.left:
            return "questions" if self.answers else "done"
        if not self.under_way and self.outcome == "timed_out":
            return "late"
        if self.following is None and self.under_way is None:
            return "lot"  # the next game needs an arm, which must be drawn now
        return "wait" if self.opens_at is not None else "play"

    @property
    def way_out(self) -> str:
        """The outcome to show (a key of WAYS_OUT); "" while the participant has something to do."""
        if self.phase in NOTHING_SETTLED or (self.phase == "play" and self.under_way):
            return ""
        return self.outcome

    @property
    def opens_at(self) -> datetime | None:
        """The time at which the next game can begin; None if the game can begin now."""
        opens = self.following.opens_at if self.following and not self.under_way else None
        return opens if opens is not None and timezone.now() < opens else None

    @property
    def wait(self) -> str:
        return format_opening(self.opens_at) if self.opens_at else ""

    @property
    def _game(self) -> TrialGame | NextGame | None:
        return self.under_way.trial_game if self.under_way else self.following

    @property
    def arm(self) -> Arm | None:
        return self._game.arm if self._game else None

    @property
    def in_training(self) -> bool:
        return self._game is not None and self._game.phase == TRAINING

    @property
    def instructions(self) -> str:
        """The researcher's instructions before the next game; "" if the standard text applies."""
        plain = self._game is not None and not self._game.phase  # a trial without phases
        return find_text(self.trial, self.arm, INSTRUCTIONS) if plain or self.in_training else ""

    @property
    def end(self) -> str:
        """The researcher's text at the end; older trials may have a text per arm."""
        arm = None if self.trial.within else self.participant.arm
        return find_text(self.trial, arm, END) or find_text(self.trial, None, END)

    @property
    def coached(self) -> bool:
        return self.arm is not None and self.in_training and self.arm.coach != Game.Coach.OFF

    @property
    def drill(self) -> bool:
        between = self.under_way is None and self.in_training
        return between and self.arm is not None and self.arm.drill

    @property
    def rules(self) -> Ruleset:
        return find_ruleset((self.arm and self.arm.ruleset) or self.trial.ruleset, PLAYED)

    @property
    def real_dice(self) -> bool:
        return ((self.arm and self.arm.dice) or self.trial.dice) == Trial.Dice.REAL


def read_progress(participant: Participant) -> ParticipantProgress:
    played, now = summarise_play(participant), timezone.now()
    design = build_design(participant.trial)
    return ParticipantProgress(
        participant,
        find_latest_consent(participant),
        played.done,
        query_games_of(participant).filter(OPEN).first(),
        find_next_game(participant, design) if participant.player_id else None,
        find_due_page(participant),
        count_planned_games(participant, design),
        find_outcome(participant, played, now),
        format_expiry(participant.trial) if is_expired(participant, played, now) else "",
    )
