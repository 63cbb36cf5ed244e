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


# The registry has the words in English, marked for translators.
PLAYERS: Mapping[str, PlayerWords] = MappingProxyType(
    {one.id: PlayerWords(_(one.title), _(one.summary)) for one in REGISTERED.values()}
)
# What is taken where the source's words leave room: the first of a player's readings.
READINGS: Mapping[tuple[str, str], Promise] = MappingProxyType(
    {
        ("scorecard-based", "bonus"): _(
            "Three or more of a face in its upper box count the bonus as well."
        ),
        ("dice-based", "open-printed"): _(
            "Straights and full houses are kept only while their box is open, and straights go "
            "before a low pair whose box is filled, as in the rounds that the study prints."
        ),
        ("forced-scoring", "as-printed"): _("Every step of the pseudo code, as it is printed."),
        ("AcesAndEights", "priority"): _(
            "Of equal scores the box of the highest priority; two pairs are held, one pair is not."
        ),
    }
)
