"""What everybody made of each box: games of a trial replayed, for points are not stored by box."""

from dataclasses import dataclass

from django.db.models import QuerySet

from game.models import Game
from game.selectors.games import games_played
from solver.rules import Ruleset

MOST_REPLAYED = 600  # games, some two seconds; of more, the first of everybody


@dataclass(frozen=True, slots=True)
class PersonBoxes:
    """Mean points in the order of the card, and last the upper bonus."""

    participant: str
    games: int
    points: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class TrialBoxes:
    """``games`` of all the finished ones, ``of``, were replayed."""

    people: tuple[PersonBoxes, ...]
    games: int
    of: int


def trial_boxes(games: QuerySet[Game], rules: Ruleset, of: int) -> TrialBoxes:
    """``of``: how many games these are."""
    same = games.filter(ruleset=rules.id).select_related("participant")
    chosen = list(same.order_by("trial_number", "participant__number")[:MOST_REPLAYED])
    made: dict[int, list[tuple[float, ...]]] = {}
    labels: dict[int, str] = {}
    for played in games_played(chosen):
        participant = played.game.participant
        if participant is not None:
            labels[participant.number] = participant.label
            boxes = tuple(float(box.points if box else 0) for box in played.state.boxes)
            made.setdefault(participant.number, []).append((*boxes, float(played.state.bonus)))
    people = tuple(_person(labels[number], made[number]) for number in sorted(made))
    return TrialBoxes(people, len(chosen), of)


def _person(participant: str, games: list[tuple[float, ...]]) -> PersonBoxes:
    means = (sum(column) / len(games) for column in zip(*games, strict=True))
    return PersonBoxes(participant, len(games), tuple(means))


def everybody(of: TrialBoxes) -> tuple[float, ...]:
    """The mean of all games that were replayed."""
    weighted = ([one.games * points for points in one.points] for one in of.people)
    return tuple(sum(column) / of.games for column in zip(*weighted, strict=True))
