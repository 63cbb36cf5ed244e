"""Queries about trials and their participants."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db.models import Avg, Count, Exists, F, Max, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce

from game.core.game_queries import OPEN, query_games
from game.core.prepared import Prepared
from game.core.words.labels import find_ruleset_name
from game.models import Consent, Game, Participant, Player, Trial, TrialEvent, TrialGame, TrialStaff

PLACED = ("trial_game__participant", "trial_game__arm")
PLANNED = Coalesce(
    F("planned"),
    F("trial__games_before")
    + F("trial__games_each")
    + F("trial__games_after")
    + F("trial__games_follow_up"),
)


@dataclass(frozen=True, slots=True)
class ListedTrial:
    """A trial in the list; ``seen`` is True if the user may see it (team or superuser)."""

    trial: Trial
    rules: str
    owners: str
    seen: bool


def list_trials(user: User) -> list[ListedTrial]:
    return [
        _make_listed_trial(trial, user) for trial in _query_trials().prefetch_related("team__user")
    ]


def _make_listed_trial(trial: Trial, user: User) -> ListedTrial:
    team = trial.team.all()
    owners = [member.user.get_username() for member in team if member.role == TrialStaff.Role.OWN]
    seen = user.is_superuser or any(member.user_id == user.pk for member in team)
    return ListedTrial(trial, find_ruleset_name(trial.rules), ", ".join(owners), seen)


def _query_trials() -> QuerySet[Trial]:
    """Return all trials with the numbers of participants (``joined``) and of finished games."""
    taking_part = Q(participants__consent__isnull=False, participants__withdrawn_at__isnull=True)
    finished = Q(participants__games__game__finished_at__isnull=False)
    return Trial.objects.annotate(
        joined=Count("participants", filter=taking_part, distinct=True),
        finished=Count("participants__games", filter=finished, distinct=True),
    )


PARTICIPANT = Prepared(
    lambda code: Participant.objects.filter(code=code),
    values=1,
    related=lambda: ["trial", "player", "consent"],
)


def find_participant_by_code(code: str) -> Participant | None:
    return PARTICIPANT.first(code)


@dataclass(frozen=True, slots=True)
class Finished:
    games: int = 0
    mean: float | None = None
    last_at: datetime | None = None


def map_finished(trial: Trial) -> Mapping[int, Finished]:
    rows = (
        TrialGame.objects.filter(participant__trial=trial, game__finished_at__isnull=False)
        .values("participant")
        .annotate(n=Count("pk"), mean=Avg("game__final_score"), last_at=Max("game__finished_at"))
    )
    return {row["participant"]: Finished(row["n"], row["mean"], row["last_at"]) for row in rows}


def query_games_of(participant: Participant) -> QuerySet[Game]:
    return query_games().filter(trial_game__participant=participant)


def map_open_games(trial: Trial) -> Mapping[int, Game]:
    """Return each participant's game under way, with the last move's time (``last_at``)."""
    games = Game.objects.filter(OPEN, trial_game__participant__trial=trial)
    games = games.select_related("trial_game__arm")
    games = games.annotate(last_at=Coalesce(Max("decisions__created_at"), F("started_at")))
    return {game.trial_game.participant_id: game for game in games}


def find_latest_consent(participant: Participant) -> Consent:
    """Return the latest consent text, to which a participant must have agreed."""
    return participant.trial.consents.latest("version")


def query_shared_browser(until: datetime) -> Exists:
    """Return a query expression: true if a participant has shared a browser by ``until``."""
    noted = TrialEvent.objects.filter(kind=TrialEvent.Kind.SHARED, at__lte=until)
    return Exists(noted.filter(participant=OuterRef("pk")))


def has_later_games(place: TrialGame) -> bool:
    later = TrialGame.objects.filter(participant=place.participant, number__gt=place.number)
    return later.exists()


def _query_waiting(player: int) -> QuerySet[Participant]:
    waiting = Participant.objects.filter(
        player=player,
        trial__opened_at__isnull=False,
        trial__closed_at__isnull=True,
        screened_out_at__isnull=True,
    ).annotate(done=Count("games", filter=Q(games__game__finished_at__isnull=False)))
    return waiting.filter(done__lt=PLANNED)


WAITING = Prepared(_query_waiting, values=1)


def is_in_trial(player: Player) -> bool:
    """Return whether a trial waits for games of this player, whom no coach may help meanwhile."""
    return WAITING.first(player.pk) is not None
