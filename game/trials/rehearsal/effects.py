"""What a coach truly did to the bots, beside what the results say that it did."""

from collections.abc import Iterable, Iterator, Mapping
from statistics import fmean

from game.models import Trial
from game.trials.rehearsal.course import Rehearsal
from game.trials.results.reading_arms import arm_design, arm_games, arms_differ
from solver.statistics.arm_figures import ArmDifference
from solver.statistics.inference import Interval
from solver.statistics.randomisation import Randomised


def true_effects(trial: Trial, rehearsal: Rehearsal) -> Mapping[str, float]:
    """Points a decision by which an arm's bots err less for what they were taught, as negative
    numbers: the same decisions with and without it, a mean of people's means as in the results.

    Of the games that the results ask about. None where arms have other rules or dice, whose
    decisions are others, or where everybody has every arm, and what was taught outlasts it.
    """
    design = arm_design(trial)
    if design is None or design.within or trial.closed_at is None or arms_differ(trial):
        return {}
    pupils = {one.participant.label: one.bot for one in rehearsal.people}
    spared: dict[str, dict[str, list[float]]] = {arm: {} for arm in design.arms}
    for game in arm_games(trial, trial.closed_at):
        if game.finished and game.phase == design.outcome and game.decisions:
            saved = pupils[game.person].spared.get(game.number, 0.0) / game.decisions
            spared[game.arm].setdefault(game.person, []).append(saved)
    return {arm: -fmean(map(fmean, people.values())) for arm, people in spared.items() if people}


def effects_told(
    comparisons: Iterable[ArmDifference], effects: Mapping[str, float]
) -> Iterator[str]:
    """Each arm beside the first."""
    for found in comparisons:
        if found.arm in effects and found.beside in effects:
            yield _told(found, effects[found.arm] - effects[found.beside])


def _told(found: ArmDifference, true: float) -> str:
    ranges = [
        f"{of} {_range(one, true)}"
        for of, one in (("people like these", found.model), ("these people", found.lot))
    ]
    return (
        f"{found.arm} beside {found.beside}: the bots were taught {true:+.3f} points a decision;"
        f" reported is {found.difference:+.3f}; {'; '.join(ranges)}."
    )


def _range(one: Interval | Randomised | None, true: float) -> str:
    if one is None or one.low is None or one.high is None:
        return "have no range"
    return f"{one.low:+.3f} to {one.high:+.3f}, which {'holds' if true in one else 'misses'} it"
