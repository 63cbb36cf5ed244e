"""What those who came by the open link are sent away with: a code, or an address to go back to."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import quote

from game.models import Participant, Recruitment
from game.trials.design.people import recruitment_of
from game.trials.design.ways_out import is_address
from game.trials.joining.progress import ParticipantProgress
from game.trials.joining.withdrawing import labels_withdrawn


@dataclass(frozen=True, slots=True)
class Outcome:
    """One of the two is empty, or both where nothing was laid down."""

    code: str = ""
    address: str = ""


def outcome(recruitment: Recruitment, way: str, labels: Mapping[str, str]) -> Outcome:
    """``{NAME}`` in an address stands for the label of that name."""
    told: str = recruitment.ways_out.get(way, "")
    if not is_address(told):
        return Outcome(code=told)
    for name in recruitment.names:
        told = told.replace(f"{{{name}}}", quote(labels.get(name, ""), safe=""))
    return Outcome(address=told)


def outcome_of_progress(progress: ParticipantProgress) -> Outcome | None:
    """Of somebody who came by the open link and is done in one way or another."""
    return _outcome(progress.participant, progress.way_out, _labels)


def outcome_of_withdrawn(participant: Participant) -> Outcome | None:
    return _outcome(participant, "withdrawn", labels_withdrawn)


def _labels(participant: Participant) -> Mapping[str, str]:
    arrival = getattr(participant, "arrival", None)
    return arrival.latest if arrival else {}


def _outcome(
    participant: Participant, way: str, labels: Callable[[Participant], Mapping[str, str]]
) -> Outcome | None:
    found = recruitment_of(participant.trial) if way and participant.recruited else None
    return outcome(found, way, labels(participant)) if found else None
