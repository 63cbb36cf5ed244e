"""What the players of the lab are called and do, in the reader's language."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True, slots=True)
class Words:
    name: Promise
    summary: Promise


PLAYERS: Mapping[str, Words] = MappingProxyType(
    {
        "optimal": Words(
            _("Perfect play"),
            _("Does what brings most points on average, the rest of the game included."),
        ),
        "scorecard-based": Words(
            _("Scorecard-based"),
            _("Plays each turn for the row that it can bring most in, the upper bonus in view."),
        ),
        "dice-based": Words(
            _("Dice-based"),
            _("Keeps what the dice show most of, and only then looks for a box."),
        ),
        "forced-scoring": Words(
            _("Forced scoring"),
            _("Fills the card from top to bottom, each turn for the next box alone."),
        ),
        "greedy": Words(
            _("Greedy"),
            _("As many points as possible in this turn, as if no other followed."),
        ),
        "random": Words(
            _("Random"),
            _("Keeps each die by the toss of a coin, and scores in any open box."),
        ),
    }
)
# What is taken where the study's words leave room: the first of a player's readings.
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
    }
)
