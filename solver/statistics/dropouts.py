"""Dropouts arm by arm: an arm that loses people is no longer a random one."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import comb

import numpy as np

from solver.statistics.arm_compare import ArmComparison
from solver.statistics.arm_figures import (
    FOLLOW_UP,
    ArmGame,
    ArmPerson,
    Dropouts,
    Staying,
)
from solver.statistics.shares import wilson

DRAWS = 20_000
TIE = 1e-9


def dropouts(games: Sequence[ArmGame], by: ArmComparison) -> Dropouts:
    """Return the dropouts of everyone who was assigned an arm; follow-up games are not included."""
    people, design = by.people, by.design
    played = [game for game in games if game.phase != FOLLOW_UP]
    began = {game.person for game in played}
    ended = stayed(played, people)
    arms = dict.fromkeys(one.arm for one in people.values()) if design.within else design.arms
    found = [_staying(arm, people, began, ended) for arm in arms]
    return Dropouts(tuple(found), _uneven([(one.given, one.given - one.ended) for one in found]))


def stayed(games: Sequence[ArmGame], people: Mapping[str, ArmPerson]) -> set[str]:
    """Return the people who finished all that was planned for them, up to the follow-up."""
    counted = Counter(game.person for game in games if game.finished and game.phase != FOLLOW_UP)
    return {who for who, one in people.items() if counted[who] >= one.planned}


def _staying(
    arm: str, people: Mapping[str, ArmPerson], began: set[str], ended: set[str]
) -> Staying:
    of = {one.person for one in people.values() if one.arm == arm}
    given, kept = len(of), len(of & ended)
    lost = (given - kept) / given if given else None
    return Staying(arm, given, len(of & began), kept, lost, wilson(given - kept, given))


def _uneven(arms: Sequence[tuple[int, int]]) -> float | None:
    """Return how often chance alone would spread so many dropouts at least as unevenly."""
    people, lost = (sum(column) for column in zip(*arms, strict=True)) if arms else (0, 0)
    if sum(given > 0 for given, _lost in arms) < 2 or lost in {0, people}:
        return None
    return _fisher(arms, people, lost) if len(arms) == 2 else _sampled(arms, people, lost)


def _fisher(arms: Sequence[tuple[int, int]], people: int, lost: int) -> float:
    (one, seen), (other, _lost) = arms
    ways = {
        count: comb(one, count) * comb(other, lost - count)
        for count in range(max(0, lost - other), min(one, lost) + 1)
    }
    return sum(way for way in ways.values() if way <= ways[seen]) / comb(people, lost)


def _sampled(arms: Sequence[tuple[int, int]], people: int, lost: int) -> float:
    given = np.array([of for of, _lost in arms])
    due = given * lost / people
    rng = np.random.default_rng(lost)
    drawn = rng.multivariate_hypergeometric(given, lost, DRAWS)
    sizes = ((drawn - due) ** 2 / np.maximum(due, TIE)).sum(1)
    seen = float(
        (((np.array([gone for _of, gone in arms])) - due) ** 2 / np.maximum(due, TIE)).sum()
    )
    return float((1 + int((sizes >= seen - TIE).sum())) / (1 + DRAWS))
