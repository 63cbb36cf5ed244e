"""What those who came by the open link are sent away with: a code, or an address to go back to."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

from game.models import Recruitment
from game.trials.joining.progress import ParticipantProgress


@dataclass(frozen=True, slots=True)
class Outcome:
    """One of the two is empty, or both where nothing was laid down."""

    code: str = ""
    address: str = ""


def outcome(recruitment: Recruitment, name: str, parameters: Mapping[str, str]) -> Outcome:
    """``{NAME}`` in an address stands for the label of that name."""
    told: str = getattr(recruitment, name)
    if not told.startswith(("https://", "http://")):
        return Outcome(code=told)
    for key in recruitment.names:
        told = told.replace(f"{{{key}}}", quote(parameters.get(key, ""), safe=""))
    return Outcome(address=told)


def outcome_of_progress(progress: ParticipantProgress) -> Outcome | None:
    """Of somebody who came by the open link and is done in one way or another."""
    participant = progress.participant
    name = "" if progress.phase == "asked" else progress.outcome  # the last questions come first
    found = Recruitment.objects.filter(trial=progress.trial).first() if name else None
    if found is None or not participant.recruited:
        return None
    arrival = getattr(participant, "arrival", None)
    return outcome(found, name, arrival.parameters if arrival else {})
