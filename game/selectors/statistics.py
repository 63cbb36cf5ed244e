"""What a player's finished games made, box by box and one after the other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from game.models import Game, Player
from game.selectors.games import counted, games_played
from solver.rules import Ruleset

LATEST = 100  # games that are replayed for their boxes
SHOWN = 300  # scores in the trend


@dataclass(frozen=True, slots=True)
class Boxes:
    """Averages over so many games; ``bonus`` is the upper one. All but the total add up to it."""

    games: int
    points: Mapping[str, float]
    bonus: float
    chips: float
    total: float


def statistics_boxes(player: Player, rules: Ruleset) -> Boxes | None:
    found = Game.objects.filter(counted(), player=player, ruleset=rules.id)
    latest = list(found.order_by("-finished_at", "-pk")[:LATEST])
    ends = [played.state for played in games_played(latest)]
    if not ends:
        return None
    sums = [
        sum(box.points if box else 0 for box in boxes)
        for boxes in zip(*(end.boxes for end in ends), strict=True)
    ]
    means = [total / len(ends) for total in sums]
    names = [category.id for category in rules.categories]
    return Boxes(
        len(ends),
        dict(zip(names, means, strict=True)),
        bonus=sum(end.bonus for end in ends) / len(ends),
        chips=sum(end.chips for end in ends) / len(ends),
        total=sum(end.total for end in ends) / len(ends),
    )


def statistics_scores(player: Player, rules: Ruleset) -> Sequence[int]:
    """The latest, the oldest first."""
    found = Game.objects.filter(counted(), player=player, ruleset=rules.id)
    latest = found.order_by("-finished_at", "-pk").values_list("final_score", flat=True)[:SHOWN]
    return [score for score in latest if score is not None][::-1]
