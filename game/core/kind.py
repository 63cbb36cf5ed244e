"""The kind of a game, such as solo, daily or duel: the rules that differ between these kinds.

The defaults here apply to most kinds. Each kind has a file with a ``KIND`` that overrides some
defaults; ``game/apps.py`` lists these files. The database stores only the mode of a game. The
file's ``PAGES`` describes how pages show the kind (``game/pages/presentation.py``).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cache
from importlib import import_module
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import PermissionDenied
from django.urls import reverse

from game.core.words import labels
from game.models import Game, Player
from game.models.duel import MOST_ADDED
from solver.rules import Action


@dataclass(frozen=True)
class Kind:
    """A game and its kind; some attributes depend only on the kind."""

    game: Game

    mode: ClassVar[str]  # the stored mode

    counted: ClassVar[bool] = True  # true if games count for the player's average and best score
    ranked: ClassVar[bool] = False  # true if players are ranked by their games on the same dice
    compared: ClassVar[bool] = False  # true if other players play the same dice
    personal: ClassVar[bool] = True  # true if the player alone makes all decisions
    watched: ClassVar[bool] = True  # true if the game page offers a link for spectators
    # True if a trial compares the decisions: the browser times each decision, no question delays
    # it, and no page shows its cost. Staff can only delete the whole trial, not one game.
    measured: ClassVar[bool] = False
    wishes_coach: ClassVar[bool] = False  # true if the player chooses the coach level
    beats: ClassVar[bool] = False  # true if the player tries to beat another player's score
    thrown: ClassVar[bool] = True  # true if the server makes the first roll at the start
    related: ClassVar[tuple[str, ...]] = ()  # relations that are read with each game

    @property
    def label(self) -> str:
        return str(Game.Mode(self.mode).label)

    @property
    def player_label(self) -> str:
        return labels.format_player(self.game.player)

    @property
    def title(self) -> str:
        return labels.find_ruleset_name(self.game.rules)

    @property
    def dice_from(self) -> str:
        """The published source from which the dice come; empty if the dice are secret."""
        return ""

    @property
    def withheld(self) -> PermissionDenied | None:
        """The reason to hide the game while others still have to play its dice; else None."""
        return None

    @property
    def dice_withheld(self) -> PermissionDenied | None:
        """The reason why only the player may see the dice; None if others may see them too."""
        return self.withheld

    @property
    def open_day(self) -> date | None:
        """The day whose dice the game has, while others can still be ranked on them; else None."""
        return None

    @property
    def only_result(self) -> bool:
        """True if viewers may see only the final score, because others still play its dice."""
        return self.game.finished_at is not None and self.open_day is not None

    @property
    def challengeable(self) -> bool:
        """True if the player may challenge others: the game is over, and only it has its dice."""
        return False

    @property
    def shown_seed(self) -> str:
        """The seed of the dice, once the game is over and its dice are public; else empty."""
        return "" if not self.game.over or self.dice_withheld else self.game.seed

    @property
    def roll_limit(self) -> tuple[int, int] | None:
        """The first (turn, roll) that stays hidden while other players decide, or None."""
        return None

    @property
    def coached(self) -> bool | None:
        """True if games of this kind have a coach, False if not, None if the player decides."""
        return None

    @property
    def silent(self) -> bool:
        """True if the game has no coach and its end shows no values."""
        return self.coached is False and self.measured

    @property
    def points_hidden(self) -> bool:
        """True if the card hides the possible scores of the rolled dice, as a paper card does."""
        return False

    @property
    def waits(self) -> str:
        """The reason why the player cannot act now although the game is not over, or ""."""
        return ""

    @property
    def results_url(self) -> str:
        """The address of a page that compares this game with others, or "" if there is none."""
        return ""

    def make_share_url(self, *, owner: bool) -> str:
        """Return the address of the shared result; empty if it must not be shared."""
        return reverse("review_shared", args=[self.game.share_token])

    def goal(self) -> int | None:
        return self.game.target

    def react_to_review(self, participant: Any) -> None:
        """Do what this kind of game needs when a person opens the review."""

    @property
    def must_go_on(self) -> str:
        """The reason why the player must not give up this game, or "" if that is allowed."""
        return ""

    def can_take_back(self, actions: Sequence[Action]) -> bool:
        """Return whether the player may empty the box that was filled last."""
        return False

    def check_open(self) -> None:
        """Raise ``Refused`` if no action in the game is possible now."""

    def check_turn(self) -> None:
        """Raise ``Refused`` if it is not the player's turn."""

    def react_to_decision(self, action: Action) -> None:
        """Do what this kind of game needs after a decision, in the transaction that stores it."""

    def react_to_finish(self, now: datetime) -> None:
        """Do what this kind of game needs after the last box, before the game is saved."""

    def notify_pages(self) -> None:
        pass


# The player's text for the seed: typed, or drawn by the browser.
ADDED = forms.CharField(required=False, max_length=MOST_ADDED)


@dataclass(frozen=True, slots=True)
class Wish:
    """A request for a new game. ``ticket`` is the one-time token of the page that sent the request.
    ``more`` maps the form fields that only this kind of game has to their values."""

    ruleset: str = ""
    coach: str = ""
    nonce: str = ""
    more: Mapping[str, Any] = field(default_factory=dict)


class StartedKind(Kind, ABC):
    """A kind of game that a player begins with a form."""

    fields: ClassVar[Mapping[str, forms.Field]] = {}  # the form fields that the kind adds

    @classmethod
    def needs_ticket(cls, player: Player | None, wish: Wish) -> bool:
        """Return whether the request must contain the one-time token (ticket) of a page."""
        return True

    @classmethod
    def check(cls, wish: Wish) -> None:
        """Raise ``Refused`` if the player cannot begin this game now."""

    @classmethod
    @abstractmethod
    def card(cls, owner: Player | None, wish: Wish) -> Game:
        """Return a new game, or the unfinished game that the player continues instead."""


_files: list[str] = []


def register_kinds(*files: str) -> None:
    """Register modules that define a ``KIND``. They are imported when a game is first used."""
    _files.extend(files)
    load_kinds.cache_clear()


@cache
def load_kinds() -> Mapping[str, type[Kind]]:
    return {kind.mode: kind for kind in (import_module(file).KIND for file in _files)}


def find_kind(game: Game) -> Kind:
    return load_kinds()[game.mode](game)


def load_started_kinds() -> Mapping[str, type[StartedKind]]:
    return {mode: kind for mode, kind in load_kinds().items() if issubclass(kind, StartedKind)}


def list_modes(test: Callable[[type[Kind]], bool]) -> list[str]:
    """Return the modes for which ``test(kind)`` is true. Queries use them."""
    return [mode for mode, kind in load_kinds().items() if test(kind)]
