"""What a board is made of. Dice and boxes have what is drawn of them, and nothing else."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from game.words import labels


@dataclass(frozen=True, slots=True)
class Die:
    slot: int
    face: int  # 0 before the first throw of a turn
    held: bool
    fresh: bool  # thrown by the last action
    marked: bool = False  # by a hint
    dropped: bool = False  # let go, by that hint
    past: int = 0  # what it showed when the last box was filled, until the next throw

    @property
    def key(self) -> str:
        return str(self.slot + 1)

    @property
    def label(self) -> str:
        return self.label_held if self.held else self.label_free

    @property
    def hint(self) -> str:
        """What the hint says of it, after its label."""
        return f", {_('Hold')}" if self.marked else f", {_('Let go')}" if self.dropped else ""

    @property
    def label_held(self) -> str:
        return labels.die_held(self.slot + 1, self.face)

    @property
    def label_free(self) -> str:
        return labels.die_free(self.slot + 1, self.face)


@dataclass(frozen=True, slots=True)
class Row:
    """One box of the card; ``offer`` is what the dice would score in it now."""

    id: str
    name: str
    hint: str
    key: str
    maximum: int
    points: int | None
    dice: tuple[int, ...]
    offer: int | None
    playable: bool
    just_filled: bool
    best: bool = False  # as the coach sees it
    cost: str = ""  # what the live coach says of it, and the same in one figure
    price: str = ""

    @property
    def label(self) -> str:
        return self.name if self.offer is None else labels.row_offer(self.name, self.offer)

    @property
    def used_label(self) -> str:
        return labels.row_used(self.name, self.points or 0, self.dice)


@dataclass(frozen=True, slots=True)
class Result:
    """How a finished game compares with the player's others and with the day's."""

    total: int
    bonus: int
    is_best: bool
    best: int | None
    average: float | None
    games: int
    rank: int | None = None
    players: int | None = None


@dataclass(frozen=True, slots=True)
class Chips:
    """The line of the bonus chips: what they have brought, and what they could."""

    name: str
    points: int
    hint: str
    offered: bool  # by the dice on the table
