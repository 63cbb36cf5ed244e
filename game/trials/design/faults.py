"""What is wrong with a design, in words for the one who makes it."""

from collections.abc import Iterator
from itertools import combinations

from game.trials.design.phases import ArmSettings, TrialDesign

MOST_ARMS = 12


def faults_of(design: TrialDesign, *, dice: str, shared_dice: bool, most: int) -> list[str]:
    """``dice`` and ``shared_dice`` are what the trial says, ``most`` the games of one person."""
    found = list(_faults(design, most))
    for arm in design.arms:
        found += _of_dice(arm, dice, shared_dice)
    return found


def _faults(design: TrialDesign, most: int) -> Iterator[str]:
    if len(design.arms) > MOST_ARMS:
        yield f"A trial has at most {MOST_ARMS} arms."
    for one, other in combinations(design.arms, 2):
        if one.name == other.name:
            yield f"Two arms are called “{one.name}”."
    if design.within and len(design.arms) < 2:
        yield "Each participant can play every arm where there are two arms at least."
    if design.follow_up_days and not design.follow_up:
        yield "A follow-up after some days needs games that are played in it."
    if _longest(design) > most:
        yield f"Nobody can be asked to play more than {most} games."


def _longest(design: TrialDesign) -> int:
    training = [design.training(arm) for arm in range(len(design.arms))] or [design.games_each]
    games = sum(training) if design.within else max(training)
    return games + design.before + design.after + design.follow_up


def _of_dice(arm: ArmSettings, dice: str, shared_dice: bool) -> Iterator[str]:
    shared = shared_dice if arm.shared_dice is None else arm.shared_dice
    if (arm.dice or dice) == "real" and shared:
        yield f"Real dice cannot be the same for everyone: arm “{arm.name}”."
