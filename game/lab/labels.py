"""What the players of the lab are called and do, in the reader's language."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from solver.players import PLAYERS as REGISTERED


@dataclass(frozen=True, slots=True)
class PlayerWords:
    name: Promise
    summary: Promise
    reading: Promise | None  # what is taken where the source's words leave room


# The registry has the words in English, marked for translators.
PLAYERS: Mapping[str, PlayerWords] = MappingProxyType(
    {
        one.id: PlayerWords(_(one.title), _(one.summary), _(one.taken) if one.taken else None)
        for one in REGISTERED.values()
    }
)
