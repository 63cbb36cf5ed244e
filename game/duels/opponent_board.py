"""The cards of the opponents: one proposed, the others by strength, the reader among them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from game.core.words import opponent_words as words
from game.core.words import phrases
from game.duels.opponent_queries import Opponent, OwnLevel, next_opponent


@dataclass(frozen=True, slots=True)
class OpponentCard:
    """``mean`` is empty where it is not known; ``why`` is said of the one that is proposed."""

    id: str
    name: str
    face: str
    strategy: str
    manner: str
    mean: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class OwnRung:
    """Where the reader stands on the ladder."""

    points: str
    games: int


@dataclass(frozen=True, slots=True)
class Ladder:
    first: OpponentCard
    rungs: Sequence[OpponentCard | OwnRung]  # the strongest first
    mine: OwnRung | None


def ladder(found: Sequence[Opponent], level: OwnLevel | None, asked: str = "") -> Ladder:
    """``asked`` is whom an address names; it is nobody's where it is not one of them."""
    proposed = next((one for one in found if one.id == asked), None)
    first = proposed or next_opponent(found, level)
    others = [one for one in found if one is not first]
    mine = OwnRung(phrases.points(level.points, 0), level.games) if level else None
    return Ladder(
        first=_card(first, "" if proposed else _why(first, level)),
        rungs=list(_rungs(others, level, mine)),
        mine=mine,
    )


def _rungs(
    others: Sequence[Opponent], level: OwnLevel | None, mine: OwnRung | None
) -> Iterator[OpponentCard | OwnRung]:
    for one in others:
        if level and mine and (one.mean is None or one.mean <= level.points):
            yield mine
            mine = None
        yield _card(one)
    if mine:
        yield mine


def _card(one: Opponent, why: str = "") -> OpponentCard:
    return OpponentCard(
        id=one.id,
        name=words.name_of(one.id),
        face=words.face_of(one.id),
        strategy=words.strategy_of(one.id),
        manner=words.manner_of(one.id),
        mean="" if one.mean is None else phrases.points(one.mean),
        why=why,
    )


def _why(first: Opponent, level: OwnLevel | None) -> str:
    if level is None or first.mean is None:
        return _("To begin with")
    return _("One step above you") if first.mean > level.points else _("The strongest")
