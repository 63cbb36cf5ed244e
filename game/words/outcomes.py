"""Where those are who came to a trial by its open link."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

STATES: dict[str, Promise] = {
    "": _("Under way"),
    "complete": _("Complete"),
    "screened_out": _("Screened out"),
    "timed_out": _("Out of time"),
    "withdrawn": _("Withdrawn"),
}
