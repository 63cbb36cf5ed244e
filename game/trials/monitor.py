"""A running trial: who plays, how many games they finished, and who has not moved for long."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.db import models
from django.db.models.functions import Coalesce
from django.utils import timezone

from game.core.game_queries import OPEN, replay_games
from game.models import Game
from game.trials.design.masking import map_arm_names
from game.trials.design.people import add_outcomes
from game.trials.joining.links import return_code
from game.trials.models import Participant, Trial, TrialGame
from game.trials.reading import query_shared_browser

STATES: dict[str, str] = {
    "invited": "Not begun",
    "playing": "Playing",
    "away": "Away",
    "done": "Finished",
    "timed_out": "Out of time",
    "screened_out": "Screened out",
    "withdrawn": "Withdrawn",
}


@dataclass(frozen=True, slots=True)
class Finished:
    games: int = 0
    mean: float | None = None
    last_at: datetime | None = None


GONE = {"withdrawn", "screened_out", "timed_out"}
OUTCOME_STATES = {
    **{state: state for state in GONE},
    "failed_check": "screened_out",
    "complete": "done",
}


@dataclass(frozen=True, slots=True)
class ParticipantRow:
    """A participant's row in the monitor; ``card`` is set only in the rows that a page shows."""

    participant: Participant
    finished: Finished
    under_way: Game | None
    state: str
    since: str
    shared: bool = False  # True if another participant used the same browser
    arm: str = ""  # arm of the current game, or else the assigned arm; a letter while blinded
    card: str = ""  # turn and points of the current game; only the turn while blinded

    @property
    def state_name(self) -> str:
        return STATES[self.state]

    @property
    def may_withdraw(self) -> bool:
        return self.state not in {"invited", "withdrawn"}

    @property
    def changeable(self) -> bool:
        return self.may_withdraw or self.bound

    @property
    def condition(self) -> str:
        """The arm and phase of the current game. Between games, only the assigned arm, if any."""
        played = self.under_way.trial_game.phase if self.under_way else ""
        phase = TrialGame.Phase(played).label if played else ""
        return ", ".join(filter(None, (self.arm, phase)))

    @property
    def return_code(self) -> str:
        needs_code = self.participant.recruited and not self.participant.link_revoked
        return return_code(self.participant) if needs_code and self.may_withdraw else ""

    @property
    def bound(self) -> bool:
        """True if the participant is tied to a browser, and a researcher may release them."""
        only_one = self.participant.trial.resume == Trial.Resume.ONE_BROWSER
        return only_one and bool(self.participant.browser)


@dataclass(frozen=True, slots=True)
class Monitor:
    trial: Trial
    rows: tuple[ParticipantRow, ...]
    designed: bool

    @property
    def counts(self) -> list[tuple[str, int]]:
        states = [row.state for row in self.rows]
        return [(name, states.count(state)) for state, name in STATES.items()]

    @property
    def finished(self) -> int:
        return sum(row.finished.games for row in self.rows)

    @property
    def planned(self) -> int:
        """The number of games. People who left count only with their finished games."""
        return sum(
            row.finished.games if row.state in GONE else row.participant.games_planned
            for row in self.rows
        )

    @property
    def mean(self) -> float | None:
        sums = [row.finished.games * (row.finished.mean or 0) for row in self.rows]
        return sum(sums) / self.finished if self.finished else None

    def drawn(self) -> list[ParticipantRow]:
        """Return all rows. Set ``card`` in the rows of participants who have a game under way."""
        cards = {}
        for played in replay_games([row.under_way for row in self.rows if row.under_way]):
            state = played.state
            card, points = f"turn {min(state.turn + 1, len(state.boxes))}", state.total
            if not self.trial.masked:
                card += f", {points} point{'' if points == 1 else 's'}"
            cards[played.game.pk] = card
        return [
            replace(row, card=cards[row.under_way.pk]) if row.under_way else row
            for row in self.rows
        ]


def monitor(trial: Trial) -> Monitor:
    """Read the progress of all participants with four database queries (five with arms)."""
    arm_names = map_arm_names(trial) if trial.designed else None
    ended = TrialGame.objects.filter(participant__trial=trial, game__finished_at__isnull=False)
    counts = ended.values_list("participant").annotate(
        models.Count("pk"), models.Avg("game__final_score"), models.Max("game__finished_at")
    )
    finished = {participant: Finished(*figures) for participant, *figures in counts}
    unfinished = Game.objects.filter(OPEN, trial_game__participant__trial=trial)
    unfinished = unfinished.select_related("trial_game__arm").annotate(
        last_at=Coalesce(models.Max("decisions__created_at"), models.F("started_at"))
    )
    playing = {game.trial_game.participant_id: game for game in unfinished}
    now, rows = timezone.now(), []
    everybody = trial.participants.select_related("arm").annotate(shared=query_shared_browser(now))
    for participant, outcome in add_outcomes(everybody, trial, now):
        games, game = finished.get(participant.pk, Finished()), playing.get(participant.pk)
        moments = (participant.seen_at, games.last_at, getattr(game, "last_at", None))
        last_at = max((moment for moment in moments if moment is not None), default=None)
        idle = last_at is None or now - last_at > timedelta(minutes=trial.idle_minutes)
        state = OUTCOME_STATES.get(outcome, "away" if idle or not trial.is_open else "playing")
        if outcome != "withdrawn" and (participant.consent_id is None or last_at is None):
            state = "invited"
        arm = (game.trial_game.arm if game else None) or participant.arm
        rows.append(
            ParticipantRow(
                participant=participant,
                finished=games,
                under_way=game,
                state=state,
                since=format_ago(now - last_at) if last_at else "",
                shared=participant.shared,  # type: ignore[attr-defined]
                arm=arm_names[arm.position] if arm and arm_names else "",
            )
        )
    return Monitor(trial, tuple(rows), arm_names is not None)


def format_ago(passed: timedelta) -> str:
    minutes = int(passed.total_seconds()) // 60
    if minutes < 1:
        return "just now"
    unit, number = "minute", minutes
    if minutes >= 60:
        unit, number = ("hour", minutes // 60) if passed.days < 2 else ("day", passed.days)
    return f"{number} {unit}{'' if number == 1 else 's'} ago"
