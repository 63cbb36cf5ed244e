"""The results page of a blinded trial, with counts of people and games per arm, but without
outcomes and times."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from statistics import median
from typing import NamedTuple

from django.db.models import F
from django.utils import timezone

from game.trials.design.masking import count_finished_people, find_stopping_rule, map_arm_names
from game.trials.design.reading import ArmCount, list_arm_counts
from game.trials.files.export_queries import STAYED
from game.trials.models import Trial, TrialGame
from game.trials.results.data import TakingPart, count_people
from game.trials.results.exclusions import find_inattentive_people
from game.trials.results.preregistration import describe_stopping

MINUTE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class PlayQuality:
    games: int
    failed: int


@dataclass(frozen=True, slots=True)
class MaskedArm:
    """An arm without times. Games with a coach take longer, so times would reveal the arm."""

    count: ArmCount
    quality: PlayQuality


@dataclass(frozen=True, slots=True)
class MaskedResults:
    """Results without outcomes. ``stopping`` is "" without a locked stopping rule. ``done`` people
    have played all games. ``minutes`` is the median time of finished games."""

    people: TakingPart
    quality: PlayQuality
    minutes: float | None
    arms: Sequence[MaskedArm]
    stopping: str
    done: int


class _Ended(NamedTuple):
    arm: int | None  # position of the arm in the trial
    took: timedelta


def make_blinded_results(trial: Trial) -> MaskedResults:
    now = timezone.now()
    ended, failed = _list_ended(trial), find_inattentive_people(trial, now)
    rule = find_stopping_rule(trial)
    return MaskedResults(
        people=count_people(trial, now),
        quality=PlayQuality(len(ended), len(failed)),
        minutes=median(game.took / MINUTE for game in ended) if ended else None,
        arms=_count_by_arm(trial, ended, failed),
        stopping=describe_stopping(rule) if rule else "",
        done=count_finished_people(trial, now),
    )


def _list_ended(trial: Trial) -> list[_Ended]:
    stayed = trial.participants.filter(STAYED)
    games = TrialGame.objects.filter(participant__in=stayed, game__finished_at__isnull=False)
    took = F("game__finished_at") - F("game__started_at")
    rows = games.values_list("participant__arm__position", took)
    return [_Ended(*row) for row in rows]


def _count_by_arm(trial: Trial, ended: Sequence[_Ended], failed: set[int]) -> list[MaskedArm]:
    """Return the counts of each arm, starting with arm A."""
    given = dict(trial.participants.values_list("pk", "arm__position"))
    return [
        MaskedArm(
            count,
            PlayQuality(
                sum(game.arm == position for game in ended),
                sum(given[key] == position for key in failed),
            ),
        )
        for position, count in zip(map_arm_names(trial), list_arm_counts(trial), strict=True)
    ]
