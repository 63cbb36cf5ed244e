"""The progress of a participant, and so the next page."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from django.utils import timezone

from game.core.game_queries import OPEN
from game.core.words.sentences import not_before
from game.models import Arm, Consent, Game, Participant, Trial
from game.trials.design.people import outcome_of, played_so_far
from game.trials.design.reading import NextGame, answers_due, design_of, games_in_all, next_game
from game.trials.design.texts import end_text, instructions
from game.trials.questions.questionnaire import DuePage
from game.trials.questions.reading import page_due
from game.trials.reading import participant_consent
from solver.rules import PLAYED, Ruleset, find_ruleset

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
    due: DuePage | None  # what the researcher's file asks now
    games: int | None  # in all; None while that depends on the lot
    outcome: str  # a name of WAYS_OUT; empty while nothing is settled

    @property
    def trial(self) -> Trial:
        return self.participant.trial

    @property
    def left(self) -> int:
        return max(0, self.participant.games_planned - self.finished)

    @property
    def lot_due(self) -> bool:
        """Games are left, and which they are nobody knows yet."""
        return bool(self.left) and self.following is None and self.under_way is None

    @property
    def number(self) -> int:
        return self.finished + 1

    @property
    def agreed(self) -> bool:
        return self.participant.consent_id == self.consent.pk

    @property
    def asked_again(self) -> bool:
        """The text was changed after this participant had agreed to an earlier one."""
        return self.participant.consent_id is not None and not self.agreed

    @property
    def answers(self) -> tuple[str, ...]:
        """The questions on experience that are due."""
        return answers_due(self.participant, played=not self.left)

    @property
    def phase(self) -> Phase:
        trial = self.trial
        if trial.opened_at is None:
            return "soon"
        if trial.closed_at is not None:
            return "closed"
        if self.participant.screened_out_at is not None:
            return "screened_out"
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
        if self.lot_due:
            return "lot"
        return "wait" if self.opens_at is not None else "play"

    @property
    def way_out(self) -> str:
        """The name of WAYS_OUT that the page tells of; the last questions come first."""
        if self.phase in NOTHING_SETTLED or (self.phase == "play" and self.under_way):
            return ""
        return self.outcome

    @property
    def opens_at(self) -> datetime | None:
        """When the next game can be begun, where that is later than now."""
        opens = self.following.opens_at if self.following and not self.under_way else None
        return opens if opens is not None and timezone.now() < opens else None

    @property
    def wait(self) -> str:
        return not_before(self.opens_at) if self.opens_at else ""

    @property
    def arm(self) -> Arm | None:
        if self.under_way:
            return self.under_way.arm
        return self.following.arm if self.following else None

    @property
    def in_training(self) -> bool:
        of = self.under_way or self.following
        return of is not None and of.phase == Game.Phase.TRAINING

    @property
    def instructions(self) -> str:
        """The researcher's instructions before that game; empty for the usual ones."""
        of = self.under_way or self.following
        return instructions(self.trial, self.arm, of.phase) if of else ""

    @property
    def end(self) -> str:
        """The end that everyone sees who has played all games."""
        return end_text(self.participant)

    @property
    def coached(self) -> bool:
        return self.arm is not None and self.in_training and self.arm.coach != Game.Coach.OFF

    @property
    def drill(self) -> bool:
        """Whether the drill is open until that game begins."""
        between = self.under_way is None and self.in_training
        return between and self.arm is not None and self.arm.drill

    @property
    def rules(self) -> Ruleset:
        return find_ruleset((self.arm and self.arm.ruleset) or self.trial.ruleset, PLAYED)

    @property
    def real_dice(self) -> bool:
        return ((self.arm and self.arm.dice) or self.trial.dice) == Trial.Dice.REAL


def progress_of(participant: Participant) -> ParticipantProgress:
    played = played_so_far(participant)
    design = design_of(participant.trial)
    return ParticipantProgress(
        participant,
        participant_consent(participant),
        played.done,
        participant.games.filter(OPEN).select_related("arm").first(),
        next_game(participant, design) if participant.player_id else None,
        page_due(participant),
        games_in_all(participant, design),
        outcome_of(participant, played, timezone.now()),
    )
