"""The flow of people, counted anew from what is stored: one after the other, step by step."""

from collections.abc import Callable, Iterator, Sequence

from django.utils import timezone

from game.models import Game
from game.trials.design.reading import build_design
from game.trials.files.export_table import Cell
from game.trials.models import ArrivalCount, Participant, Preregistration, Trial
from game.trials.reading import query_games_of
from game.trials.results.exclusions import EXCLUSIONS

Counted = dict[str, int]
SELDOM = ("screened_out", "failed_check", "left_out")


def flow(trial: Trial) -> Iterator[dict[str, Cell]]:
    agreed = [one for one in trial.participants.order_by("number") if one.consent_id]
    arms = [arm.name for arm in trial.arms.order_by("position")]
    yield from rows("", coming(trial, agreed) | {"agreed": len(agreed)})
    if not arms:
        yield from rows("", lane(trial, agreed))
        return
    waiting = [one for one in agreed if one.arm_id is None]
    stopped = {"screened_out": 0, "failed_check": 0, "withdrew": 0, "on_the_way": 0}
    for one in waiting:
        stopped[end(one)] += 1
    yield from rows("", stopped | {"drawn": len(agreed) - len(waiting)})
    design = build_design(trial)
    for order in map(design.find_arm_order, range(design.conditions)):
        given = [one for one in agreed if one.arm_id and one.order == order]
        name = " → ".join(arms[place] for place in order)
        yield from rows(name, {"given": len(given)} | lane(trial, given))


def rows(arm: str, counted: Counted) -> Iterator[dict[str, Cell]]:
    for step, people in counted.items():
        yield {"arm": arm or None, "step": step, "people": people}


def coming(trial: Trial, agreed: Sequence[Participant]) -> Counted:
    places = [one for one in trial.participants.all() if one.label.startswith("P")]
    by_link = [one for one in agreed if one.label.startswith("R")]
    unused = {"unused": sum(one.consent_id is None for one in places)}
    counts = dict.fromkeys(("opened", "no_place", "declined"), 0)
    for count in ArrivalCount.objects.filter(trial=trial):
        counts[count.kind] += count.people
    if not by_link and not any(counts.values()):
        return {"places": len(places)} | unused
    rest = counts["opened"] - counts["declined"] - len(by_link)
    unanswered = {"unanswered": rest} if rest >= 0 else {}
    return {"places": len(places)} | counts | unanswered | unused


def end(one: Participant) -> str:
    if one.withdrawn_at:
        return "withdrew"
    if not one.screened_out_at:
        return "on_the_way"
    return "failed_check" if one.failed_check else "screened_out"


def lane(trial: Trial, people: Sequence[Participant]) -> Counted:
    stayed = [one for one in people if not one.withdrawn_at]
    out = left_out(trial)
    asked = "after" if trial.games_after and not trial.within else "training"
    phase = asked if trial.designed else ""

    def those(which: Callable[[Participant], bool]) -> int:
        return sum(which(one) for one in stayed)

    counted = {
        "withdrew": len(people) - len(stayed),
        "screened_out": those(lambda one: end(one) == "screened_out"),
        "failed_check": those(lambda one: end(one) == "failed_check"),
        "began": those(
            lambda one: any(game.trial_game.phase in ("", "training") for game in games(one))
        ),
        "finished": those(lambda one: len(ended(one)) >= one.games_planned),
        "left_out": those(lambda one: one.pk in out),
        "analysed": those(
            lambda one: (
                one.pk not in out and any(game.trial_game.phase == phase for game in ended(one))
            )
        ),
    }
    return {step: n for step, n in counted.items() if n or step not in SELDOM}


def games(one: Participant) -> list[Game]:
    return list(query_games_of(one))


def ended(one: Participant) -> list[Game]:
    return [game for game in games(one) if game.finished_at]


def left_out(trial: Trial) -> set[int]:
    locked = Preregistration.objects.filter(trial=trial, locked_at__isnull=False).first()
    if locked is None:
        return set()
    rules = locked.exclusions.items()
    return {key for name, n in rules for key in EXCLUSIONS[name].finds(trial, timezone.now(), n)}
