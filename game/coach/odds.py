"""Chances as people say them: one time in six."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

RARE, SELDOM = 0.02, 0.09
SPOKEN: tuple[tuple[float, Promise], ...] = (
    (1 / 10, _("one time in ten")),
    (1 / 8, _("one time in eight")),
    (1 / 6, _("one time in six")),
    (1 / 5, _("one time in five")),
    (1 / 4, _("one time in four")),
    (1 / 3, _("one time in three")),
    (2 / 5, _("two times in five")),
    (1 / 2, _("every other time")),
    (3 / 5, _("three times in five")),
    (2 / 3, _("two times in three")),
    (3 / 4, _("three times in four")),
    (4 / 5, _("four times in five")),
    (9 / 10, _("nine times in ten")),
)


def odds(chance: float) -> str:
    """The nearest that has a name."""
    if chance < RARE:
        return str(_("very seldom"))
    if chance < SELDOM:
        return str(_("seldom"))
    return str(min(SPOKEN, key=lambda spoken: abs(spoken[0] - chance))[1])
