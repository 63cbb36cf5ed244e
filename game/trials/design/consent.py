"""The usual text to agree to, in which only the researcher knows who asks and where to ask."""

from django.utils.translation import gettext as _

from game.trials.design.writing import CONTACT, RESEARCHER
from game.words import labels
from solver.rules import Ruleset


def standard_consent(rules: Ruleset, researcher: str = "", contact: str = "") -> str:
    text = _(
        "This study is about how people play %(game)s. You play a number of games alone. Every move"
        " and its time is stored under a code; your name, your address and anything about your"
        " device are not. You may stop at any time and go on later. You may also withdraw at any"
        " time: everything that you played and answered is then deleted."
    ) % {"game": labels.ruleset_name(rules)}
    kept = _(
        "If you came by a label, as panels give them, a keyed hash of it is kept until the study is"
        " closed, so that nobody takes part again after withdrawing."
    )
    who = _("It is run by %(researcher)s. Questions and complaints: %(contact)s.") % {
        "researcher": researcher or RESEARCHER,
        "contact": contact or CONTACT,
    }
    return f"{text} {kept}\n\n{who}"
