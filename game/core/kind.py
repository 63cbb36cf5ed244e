"""The kind of a game: its rules, which everything asks instead of looking at the game's mode.

The answers here are those of most kinds. Each has a file with a ``KIND`` of what is different with
it, and ``game/apps.py`` lists the files. What is stored with a game is the mode alone. How pages
show a kind is its ``PAGES``: see ``game/pages/presentation.py``.
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
from game.models import Game, Participant, Player
from game.models.duel import MOST_ADDED
from solver.rules import Action


@dataclass(frozen=True)
class Kind:
    """A game, as one of its kind. Most answers are facts of the kind, the others of this game."""

    game: Game

    mode: ClassVar[str]  # as it is stored

    counted: ClassVar[bool] = True  # in what its player has made on average, and at best
    ranked: ClassVar[bool] = False  # has a place among all who played its dice
    compared: ClassVar[bool] = False  # others have its dice: it shows how well its player plays
    personal: ClassVar[bool] = True  # its player decided, and not who sat beside
    watched: ClassVar[bool] = True  # its page offers a link for anyone who wants to watch
    # A trial compares its decisions: the browser times them, no question comes before one, and its
    # end and the drill do not show what they were worth. Only the whole trial can be deleted.
    measured: ClassVar[bool] = False
    wishes_coach: ClassVar[bool] = False  # its player chooses which coach it has
    beats: ClassVar[bool] = False  # what it is to come to is one more than somebody had
    thrown: ClassVar[bool] = True  # the first throw is made when it begins, not by its player

    @property
    def label(self) -> str:
        return str(Game.Mode(self.mode).label)

    @property
    def player_label(self) -> str:
        return labels.player(self.game.player)

    @property
    def title(self) -> str:
        """The heading of a result."""
        return labels.ruleset_name(self.game.rules)

    @property
    def dice_from(self) -> str:
        """For dice that anybody can work out: what they are; nothing where they are secret."""
        return ""

    @property
    def withheld(self) -> PermissionDenied | None:
        """The refusal to show the game, if others have yet to play its dice."""
        return None

    @property
    def dice_withheld(self) -> PermissionDenied | None:
        """The refusal to show the game's dice, including those never rolled, to anyone but its
        player."""
        return self.withheld

    @property
    def open_day(self) -> date | None:
        """The day whose dice it has, while they can still bring others a place."""
        return None

    @property
    def only_result(self) -> bool:
        """It is over while others play its dice: they see what it came to, and no more."""
        return self.game.finished_at is not None and self.open_day is not None

    @property
    def challengeable(self) -> bool:
        """True if the player may challenge others with these dice: the game is over, and the
        dice belong to it alone."""
        return False

    @property
    def shown_seed(self) -> str:
        """The seed of the dice once it can do no harm: after the game, when no one else will
        play them."""
        return "" if not self.game.over or self.dice_withheld else self.game.seed

    @property
    def fallen(self) -> tuple[int, int] | None:
        """Up to where its dice lie open, a turn and how many of its throws: others decide on them
        too. None where a throw falls when its player asks for it."""
        return None

    @property
    def coached(self) -> bool | None:
        """True or False if games of this kind always, or never, have a coach; else None."""
        return None

    @property
    def silent(self) -> bool:
        """True if the game has no coach and its end shows the value of no decision."""
        return self.coached is False and self.measured

    @property
    def waits(self) -> str:
        """Why the player cannot act now, though the game is not over; else empty."""
        return ""

    @property
    def results_url(self) -> str:
        """The address of a page that compares the game with others; else empty."""
        return ""

    def share_url(self, *, owner: bool) -> str:
        """Return the address for a shared result; empty if it is not to be shared."""
        return reverse("review_shared", args=[self.game.share_token])

    def goal(self) -> int | None:
        """Return the final score that it is to come to, where it is played for one."""
        return self.game.target

    def review_seen(self, participant: Participant | None) -> None:
        """Somebody reads what its decisions were worth."""

    @property
    def must_go_on(self) -> str:
        """Why the game cannot be given up here; else empty."""
        return ""

    def can_take_back(self, actions: Sequence[Action]) -> bool:
        """Return whether the player may empty the last box, which was filled just now."""
        return False

    def check_open(self) -> None:
        """Refuse every action in the game."""

    def check_turn(self) -> None:
        """Refuses the next decision."""

    def decided(self, action: Action) -> None:
        """Take note of a decision that was stored, in the transaction under way."""

    def finishing(self, now: datetime) -> None:
        """Take note that the last box is filled; the game is saved after this."""

    def changed(self) -> None:
        """Notify pages that show more than this game."""


# What a player adds to the dice: typed, or drawn by the browser.
ADDED = forms.CharField(required=False, max_length=MOST_ADDED)


@dataclass(frozen=True, slots=True)
class Wish:
    """A request for a new game, with the ticket of its page. ``more`` has the fields of its
    kind, by name."""

    ruleset: str = ""
    coach: str = ""
    nonce: str = ""
    more: Mapping[str, Any] = field(default_factory=dict)


class StartedKind(Kind, ABC):
    """A kind that anyone begins by a form, not by a page of its own."""

    fields: ClassVar[Mapping[str, forms.Field]] = {}  # of its form, beside those of all

    @classmethod
    def needs_ticket(cls, player: Player | None, wish: Wish) -> bool:
        """Return whether the game must begin from a card that a page offered, once."""
        return True

    @classmethod
    def check(cls, wish: Wish) -> None:
        """Refuses what cannot be wished for now."""

    @classmethod
    @abstractmethod
    def card(cls, owner: Player | None, wish: Wish) -> Game:
        """Return a game to be begun, or the stored one that is to be gone on with."""


_files: list[str] = []


def name_kinds(files: Sequence[str]) -> None:
    """Modules with a ``KIND`` each. They are loaded when a game is first asked about."""
    _files[:] = files
    kinds.cache_clear()


@cache
def kinds() -> Mapping[str, type[Kind]]:
    return {kind.mode: kind for kind in (import_module(file).KIND for file in _files)}


def kind_of(game: Game) -> Kind:
    return kinds()[game.mode](game)


def started_kinds() -> Mapping[str, type[StartedKind]]:
    return {mode: kind for mode, kind in kinds().items() if issubclass(kind, StartedKind)}


def modes(test: Callable[[type[Kind]], bool]) -> list[str]:
    """Return the names of the kinds that pass the test, for queries."""
    return [mode for mode, kind in kinds().items() if test(kind)]
