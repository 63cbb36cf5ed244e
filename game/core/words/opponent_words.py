"""The bots as opponents: each has a person's name, a face, and a sentence about how it plays."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from game.models import Player
from solver.players import find_player

SOMEBODY = "somebody"  # the face of a bot without a drawing
PERSON = "person"


@dataclass(frozen=True, slots=True)
class Character:
    """A bot as an opponent: an untranslated name, and a ``face`` from ``duels/_faces.html``."""

    name: str
    face: str
    manner: Promise


_SELF_TAUGHT = Character("Saga", "saga", gettext_lazy("Taught herself; does not know the odds."))
_KNOWS_DICE = Character(
    "Runa", "runa", gettext_lazy("Knows the odds, and taught herself the value of every card.")
)
CHARACTERS: Mapping[str, Character] = MappingProxyType(
    {
        "optimal": Character("Vera", "vera", gettext_lazy("Plays perfectly. Can lose to luck.")),
        "to-win": Character(
            "Sigrid", "sigrid", gettext_lazy("Watches your card, and plays to win.")
        ),
        "td-yatzy": _KNOWS_DICE,
        "td-yahtzee": _KNOWS_DICE,
        "learned-yatzy": _SELF_TAUGHT,
        "learned-yahtzee": _SELF_TAUGHT,
        "erring": Character("Tove", "tove", gettext_lazy("Errs as much as you choose.")),
        "greedy": Character("Gry", "gry", gettext_lazy("Takes the most points in each turn.")),
        "scorecard-based": Character(
            "Ingrid", "ingrid", gettext_lazy("Looks at the card first, and aims for the bonus.")
        ),
        "upper-first": Character(
            "Sixten", "sixten", gettext_lazy("Aims for three of each number, ones to sixes.")
        ),
        "dice-based": Character(
            "Dag", "dag", gettext_lazy("Looks at the dice first, then chooses a box.")
        ),
        "playbook-10": Character("Bo", "bo", gettext_lazy("Follows ten rules.")),
        "playbook-20": Character("Boel", "boel", gettext_lazy("Follows twenty rules.")),
        "playbook-30": Character("Bodil", "bodil", gettext_lazy("Follows thirty rules.")),
        "forced-scoring": Character(
            "Otto", "otto", gettext_lazy("Fills the card from top to bottom.")
        ),
        "AcesAndEights": Character(
            "Åse", "ase", gettext_lazy("Holds sets and runs, or rerolls everything.")
        ),
        "DummyPlayer": Character(
            "Nils", "nils", gettext_lazy("Never rerolls, and scores the first roll in any box.")
        ),
        "random": Character("Slump", "slump", gettext_lazy("Shrugs and fills any box.")),
    }
)


def find_bot_name(player_id: str) -> str:
    """Return a bot's name as an opponent, with the points it loses, or else its name in the lab."""
    kind, _colon, points = player_id.partition(":")
    character = CHARACTERS.get(kind)
    return f"{character.name} {points}".rstrip() if character else translate_strategy(player_id)


def find_bot_face(player_id: str) -> str:
    character = CHARACTERS.get(player_id.partition(":")[0])
    return character.face if character else SOMEBODY


def find_player_face(player: Player | None) -> str:
    return find_bot_face(player.bot) if player and player.bot else PERSON


def translate_strategy(player_id: str) -> str:
    return _(find_player(player_id).title)
