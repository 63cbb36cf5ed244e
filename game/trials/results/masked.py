"""What is told of a trial that is masked: how many, how long, who left; never what came of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from statistics import median

from django.db.models import F
from django.utils import timezone

from game.models import Game, Trial
from game.trials.design.masking import people_done, shown_arms, stopping_rule
from game.trials.design.reading import ArmCount, arm_counts
from game.trials.files.export_queries import STAYED
from game.trials.results.exclusions import who_failed_attention
from game.trials.results.preregistration import stopping_words
from game.trials.results.reading import TakingPart, trial_people

MINUTE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class PlayQuality:
    """Of finished games how many there are and what half of them took at least; of people, how
    many have failed a check of attention."""

    games: int
    minutes: float | None
    failed: int


@dataclass(frozen=True, slots=True)
class MaskedArm:
    count: ArmCount
    quality: PlayQuality


@dataclass(frozen=True, slots=True)
class MaskedResults:
    """``stopping`` is empty where no rule was locked, ``done`` have played all their games."""

    people: TakingPart
    quality: PlayQuality
    arms: Sequence[MaskedArm]
    stopping: str
    done: int


@dataclass(frozen=True, slots=True)
class _Ended:
    participant: int
    arm: int | None  # by its position
    took: timedelta


def masked_results(trial: Trial) -> MaskedResults:
    now = timezone.now()
    ended, failed = _ended(trial), who_failed_attention(trial, now)
    rule = stopping_rule(trial)
    return MaskedResults(
        people=trial_people(trial, now),
        quality=_quality(ended, failed),
        arms=_arms(trial, ended, failed),
        stopping=stopping_words(rule) if rule else "",
        done=people_done(trial, now),
    )


def _ended(trial: Trial) -> list[_Ended]:
    stayed = trial.participants.filter(STAYED)
    games = Game.objects.filter(participant__in=stayed, finished_at__isnull=False)
    rows = games.values_list(
        "participant", "participant__arm__position", F("finished_at") - F("started_at")
    )
    return [_Ended(*row) for row in rows]


def _arms(trial: Trial, ended: Sequence[_Ended], failed: set[int]) -> list[MaskedArm]:
    """A first."""
    given = dict(trial.participants.values_list("pk", "arm__position"))
    return [
        MaskedArm(
            count,
            _quality(
                [one for one in ended if one.arm == position],
                {key for key in failed if given[key] == position},
            ),
        )
        for position, count in zip(shown_arms(trial), arm_counts(trial), strict=True)
    ]


def _quality(ended: Sequence[_Ended], failed: set[int]) -> PlayQuality:
    took = [one.took / MINUTE for one in ended]
    return PlayQuality(len(took), median(took) if took else None, len(failed))
