"""A game that is played for a number: the line beside the total, and what came of it."""

from dataclasses import dataclass

from django.urls import reverse

from game.core.blinding import silent
from game.core.game_queries import Played
from game.core.kind import kind_of
from game.core.worth.winning import Reach, reach
from game.models import Game
from game.pages.board import target_words


@dataclass(frozen=True, slots=True)
class TargetLine:
    """``goal`` is the score that is enough. ``chance`` is empty where none may be told, or none is
    known; the exact one is at the address ``later``, where it is not said at once."""

    goal: int
    name: str
    chance: str = ""
    share: str = ""  # the same for a program that reads the page
    later: str = ""

    @property
    def aloud(self) -> str:
        return f"{self.name}: {self.chance}." if self.chance else f"{self.name}."


def target_line(played: Played, *, at_once: bool = True) -> TargetLine | None:
    """For its player, while the game goes on. No move is told by it, so it asks for no coach; but
    in a trial, and where one closes the coach, nobody is told a chance."""
    game = played.game
    if game.target is None or game.over:
        return None
    name = target_words.name(game.target, beats=kind_of(game).beats)
    found = None if silent(game.player) else reach(played.state, game.target, at_once=at_once)
    if found is None:
        return TargetLine(game.target, name)
    return _told(game, name, found)


def _told(game: Game, name: str, found: Reach) -> TargetLine:
    return TargetLine(
        goal=game.target or 0,
        name=name,
        chance=target_words.chance(found.chance, exact=found.exact)
        if found.chance is not None
        else "",
        share=f"{found.chance:.3f}" if found.chance is not None else "",
        later=reverse("game_chance", args=[game.pk]) if found.later else "",
    )


def target_outcome(game: Game) -> str:
    """Of a finished game; empty where it was played for no number."""
    if game.target is None or game.final_score is None:
        return ""
    return target_words.outcome(game.target, game.final_score, beats=kind_of(game).beats)
