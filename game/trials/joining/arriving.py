"""The address by which a person arrives at a trial, and the external ID in this address.

An external ID is not secret: many people may know a student's number. To continue as a participant,
a person therefore needs the participant code.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.utils.http import urlencode
from django.utils.translation import gettext as _

from game.core.refusals import Refused
from game.trials.models import Recruitment
from game.trials.models.recruitment import LONGEST_LABEL, normalise_label


@dataclass(frozen=True, slots=True)
class PanelAddress:
    """The URL parameters by which a panel sends its IDs. We write ``placeholder`` into the address
    (``NAME`` in it stands for the parameter), and the panel puts the ID in its place. If
    ``placeholder`` is empty, the panel adds the parameters itself."""

    title: str
    names: tuple[str, ...]
    placeholder: str = "{NAME}"

    def query(self, names: Sequence[str]) -> str:
        parameters = [f"{name}={self.placeholder.replace('NAME', name)}" for name in names]
        return f"?{'&'.join(parameters)}" if parameters and self.placeholder else ""


PANELS = {
    "prolific": PanelAddress("Prolific", ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID"), "{{%NAME%}}"),
    "sona": PanelAddress("SONA", ("survey_code",), placeholder="%SURVEY_CODE%"),
    "mturk": PanelAddress(
        "Mechanical Turk (adds the IDs itself)",
        ("workerId", "assignmentId", "hitId"),
        placeholder="",
    ),
    "class": PanelAddress("A class", ("student",)),
}
FREE = PanelAddress("Another panel, with the external IDs below", ())


def find_panel(recruitment: Recruitment) -> PanelAddress:
    """Return the chosen panel, else a panel whose external IDs have the same names, else FREE."""
    alike = (panel for panel in PANELS.values() if list(panel.names) == recruitment.names)
    return PANELS.get(recruitment.panel) or next(alike, FREE)


# Placeholders in an address that the panel should have replaced by an external ID.
PLACEHOLDER = re.compile(r"\{.*\}|\[.*\]|<.*>|%|ASSIGNMENT_ID_NOT_AVAILABLE", re.DOTALL)


class BadAddress(Refused):
    """The error if a person cannot join by the address; its message explains what is wrong."""


@dataclass(frozen=True, slots=True)
class Address:
    labels: dict[str, str] = field(default_factory=dict)

    @property
    def person(self) -> str:
        """The first external ID; "" if the trial asks for no external ID."""
        return next(iter(self.labels.values()), "")

    @property
    def query(self) -> str:
        """The external IDs as a query string, which forms add to their addresses."""
        return f"?{urlencode(self.labels)}" if self.labels else ""


def read_address(recruitment: Recruitment, parameters: Mapping[str, str]) -> Address:
    names = recruitment.names
    labels = {name: parameters.get(name, "").strip()[:LONGEST_LABEL] for name in names}
    _check_filled_in(recruitment, labels)
    _check_expected(recruitment, labels)
    return Address(labels)


def _check_filled_in(recruitment: Recruitment, labels: Mapping[str, str]) -> None:
    """Raise BadAddress if an ID is missing, or if the panel did not fill in a placeholder."""
    needed = recruitment.names if recruitment.panel in PANELS else recruitment.names[:1]
    for name, label in labels.items():
        if not normalise_label(label) and name in needed:
            text = _("The address lacks “%(name)s”. Please open the link again where you found it.")
            raise BadAddress(text % {"name": name})
        if PLACEHOLDER.search(label):
            text = _(
                "The address contains “%(label)s” instead of your ID. Please open the "
                "link where you found it, or tell the person who gave it to you."
            )
            raise BadAddress(text % {"label": label})


def _check_expected(recruitment: Recruitment, labels: Mapping[str, str]) -> None:
    """Raise BadAddress if an ID with a fixed value, such as the study's, has another value."""
    for name, values in recruitment.expectations.items():
        if labels.get(name) not in values:
            text = _(
                "This address belongs to another study: “%(name)s” is “%(label)s”, but this "
                "trial needs a different value. Please open the link again where you found it."
            )
            raise BadAddress(text % {"name": name, "label": labels.get(name, "")})
