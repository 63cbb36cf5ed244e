"""The address by which a person arrives at a trial: whom it names, and whether to trust it.

An external ID is no secret: many people may know a student's number. If a trial relies on it, only
the panel can make an address, which it signs with a key from the researcher.
"""

import hmac
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from game.core.refusals import Refused
from game.models import Recruitment
from game.models.recruitment import LONGEST_LABEL, canonical_label

Letters = Recruitment.Letters


@dataclass(frozen=True, slots=True)
class PanelAddress:
    """How a panel writes its address: ``placeholder`` has ``NAME`` in place of the name; if it
    is empty, the panel adds the ID itself."""

    title: str
    names: tuple[str, ...]
    letters: str = Letters.ANY.value
    length: int | None = None
    placeholder: str = "{NAME}"
    written: tuple[str, ...] = ()  # the panel's own word for a name, if it differs

    def query(self, names: Sequence[str]) -> str:
        words = self.written or names
        pairs = zip(names, words, strict=True)
        parameters = [f"{name}={self.placeholder.replace('NAME', word)}" for name, word in pairs]
        return f"?{'&'.join(parameters)}" if parameters and self.placeholder else ""


PANELS = {
    "prolific": PanelAddress(
        "Prolific",
        ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID"),
        Letters.HEX.value,
        24,
        "{{%NAME%}}",
    ),
    "sona": PanelAddress(
        "SONA",
        ("survey_code",),
        Letters.DIGITS.value,
        placeholder="%NAME%",
        written=("SURVEY_CODE",),
    ),
    "mturk": PanelAddress(
        "Mechanical Turk (adds the labels itself)",
        ("workerId", "assignmentId", "hitId"),
        Letters.PLAIN.value,
        placeholder="",
    ),
    "class": PanelAddress("A class", ("student",)),
}
FREE = PanelAddress("Another one, with the labels below", ())


def panel_of(recruitment: Recruitment) -> PanelAddress:
    """Return the chosen panel, or one with the same external IDs."""
    alike = (panel for panel in PANELS.values() if list(panel.names) == recruitment.names)
    return PANELS.get(recruitment.panel) or next(alike, FREE)


SIGNATURE = "signature"
# Placeholders of panels, which the panel replaces by the external ID.
PLACEHOLDER = re.compile(r"\{.*\}|\[.*\]|<.*>|%|ASSIGNMENT_ID_NOT_AVAILABLE", re.DOTALL)
LETTERS = {
    Recruitment.Letters.HEX.value: re.compile(r"[0-9A-Fa-f]+"),
    Recruitment.Letters.DIGITS.value: re.compile(r"[0-9]+"),
    Recruitment.Letters.PLAIN.value: re.compile(r"[0-9A-Za-z]+"),
}


class BadAddress(Refused):
    """The error for an address by which nobody can join; its message says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Address:
    labels: dict[str, str] = field(default_factory=dict)
    signature: str = ""

    @property
    def person(self) -> str:
        """The first external ID; empty if the trial asks for none."""
        return next(iter(self.labels.values()), "")

    @property
    def query(self) -> str:
        """The query string of the same address, for a form."""
        signed = {SIGNATURE: self.signature} if self.signature else {}
        return f"?{urlencode(self.labels | signed)}" if self.labels else ""


def address_of(recruitment: Recruitment, parameters: Mapping[str, str]) -> Address:
    names = recruitment.names
    labels = {name: parameters.get(name, "").strip()[:LONGEST_LABEL] for name in names}
    address = Address(labels, parameters.get(SIGNATURE, ""))
    _check_filled_in(recruitment, labels)
    _check_expected(recruitment, labels)
    if names:
        _check_form(recruitment, names[0], address.person)
    if recruitment.entry == Recruitment.Entry.SIGNED:
        _check_signed(recruitment, address)
    return address


def panel_key(recruitment: Recruitment) -> str:
    """Return the key of this open link; it changes with the server's key, as personal links do."""
    made = salted_hmac("game.trials.joining.arriving", recruitment.token, algorithm="sha256")
    return made.hexdigest()


def signature_of(recruitment: Recruitment, labels: Mapping[str, str]) -> str:
    """Return the HMAC-SHA-256 of the external IDs in the address, in the order of the setting."""
    key = panel_key(recruitment).encode()
    return hmac.new(key, urlencode(labels).encode(), sha256).hexdigest()


def _check_filled_in(recruitment: Recruitment, labels: Mapping[str, str]) -> None:
    """Refuse an arrival without an external ID, or without what the chosen panel sends."""
    needed = recruitment.names if recruitment.panel in PANELS else recruitment.names[:1]
    for name, label in labels.items():
        if not canonical_label(label) and name in needed:
            text = _("The address lacks “%(name)s”. Please open the link again where you found it.")
            raise BadAddress(text % {"name": name})
        if PLACEHOLDER.search(label):
            text = _(
                "The address contains “%(label)s” instead of your ID. Please open the "
                "link where you found it, or tell the person who gave it to you."
            )
            raise BadAddress(text % {"label": label})


def _check_expected(recruitment: Recruitment, labels: Mapping[str, str]) -> None:
    """Refuse external IDs of another study."""
    for name, values in recruitment.expectations.items():
        if labels.get(name) not in values:
            text = _(
                "This address belongs to another study: “%(name)s” is “%(label)s”, but "
                "it is different in this trial. Please open the link again where you "
                "found it."
            )
            raise BadAddress(text % {"name": name, "label": labels.get(name, "")})


def _check_form(recruitment: Recruitment, name: str, label: str) -> None:
    letters = LETTERS.get(recruitment.letters)
    wrong_length = recruitment.length is not None and len(label) != recruitment.length
    if wrong_length or (letters is not None and not letters.fullmatch(label)):
        text = _(
            "In this trial “%(name)s” does not look like “%(label)s”. Please open the "
            "link again where you found it."
        )
        raise BadAddress(text % {"label": label, "name": name})


def _check_signed(recruitment: Recruitment, address: Address) -> None:
    if not constant_time_compare(
        signature_of(recruitment, address.labels), address.signature.lower()
    ):
        raise BadAddress(
            _(
                "The signature of this address is not from the people who run this trial. "
                "Please open the link where you found it."
            )
        )
