"""Where people are found, and how each place writes that a label is to be put into an address."""

from collections.abc import Sequence
from dataclasses import dataclass

from game.models import Recruitment

Letters = Recruitment.Letters


@dataclass(frozen=True, slots=True)
class PanelAddress:
    """``placeholder`` has ``NAME`` where the name stands; an empty one is added by the panel."""

    title: str
    names: tuple[str, ...]
    letters: str = Letters.ANY.value
    length: int | None = None
    placeholder: str = "{NAME}"
    written: tuple[str, ...] = ()  # what stands for NAME, where that is another word

    def query(self, names: Sequence[str]) -> str:
        words = self.written or names
        pairs = zip(names, words, strict=True)
        told = [f"{name}={self.placeholder.replace('NAME', word)}" for name, word in pairs]
        return f"?{'&'.join(told)}" if told and self.placeholder else ""


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
    """That was chosen, or that has the same labels, as older links do."""
    alike = (one for one in PANELS.values() if list(one.names) == recruitment.names)
    return PANELS.get(recruitment.panel) or next(alike, FREE)
