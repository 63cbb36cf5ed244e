"""Where a participant stands, and so what the next page asks for."""

from dataclasses import dataclass
from typing import Literal

from game.models import Consent, Game, Participant, Trial
from game.questions.questionnaire import DuePage
from game.selectors.games import OPEN
from game.selectors.questions import page_due
from game.selectors.trials import participant_consent

Phase = Literal["soon", "consent", "questions", "asked", "screened_out", "play", "done", "closed"]


@dataclass(frozen=True, slots=True)
class ParticipantProgress:
    participant: Participant
    consent: Consent
    finished: int
    under_way: Game | None
    due: DuePage | None = None  # what the researcher's file asks now

    @property
    def trial(self) -> Trial:
        return self.participant.trial

    @property
    def games(self) -> int:
        return self.trial.games_each

    @property
    def left(self) -> int:
        return max(0, self.games - self.finished)

    @property
    def number(self) -> int:
        """Of the game to be played next."""
        return self.finished + 1

    @property
    def agreed(self) -> bool:
        return self.participant.consent_id == self.consent.pk

    @property
    def asked_again(self) -> bool:
        """The text was changed after this participant had agreed to an earlier one."""
        return self.participant.consent_id is not None and not self.agreed

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
        if trial.questionnaire and self.participant.answered_at is None:
            return "questions"
        if self.due is not None:
            return "asked"
        return "play" if self.left else "done"


def progress_of(participant: Participant) -> ParticipantProgress:
    return ParticipantProgress(
        participant,
        participant_consent(participant),
        participant.games.filter(finished_at__isnull=False).count(),
        participant.games.filter(OPEN).first(),
        page_due(participant),
    )
