"""The way out for people who came by the open link: a code, or an address to go back to."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import quote

from game.models import Participant, Recruitment
from game.trials.design.people import recruitment_of
from game.trials.design.ways_out import WAYS_OUT, WayOut, is_address
from game.trials.joining.progress import ParticipantProgress
from game.trials.joining.recruiting import NAME_IN_ADDRESS
from game.trials.joining.withdrawing import labels_withdrawn
from game.trials.questions.reading import questionnaire


@dataclass(frozen=True, slots=True)
class Outcome:
    """A way out: a text or an address, or neither."""

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
    """Return the outcome of a participant of the open link who is done, or None."""
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


@dataclass(frozen=True, slots=True)
class Passage:
    """A way out as it is shown, with what is missing. ``shut`` says why no one can take it."""

    way: WayOut
    shown: str = ""
    missing: tuple[str, ...] = ()
    shut: str = ""


def passages(recruitment: Recruitment) -> list[Passage]:
    """Every way out of the trial, as somebody with made-up labels would go out by it."""
    expected = recruitment.expectations
    labels = {name: min(expected.get(name, {"made-up"})) for name in recruitment.names}
    found = []
    for name, way in WAYS_OUT.items():
        if shut := _shut(recruitment, name):
            found.append(Passage(way, shut=shut))
        else:
            told = outcome(recruitment, name, labels)
            missing = tuple(_missing(told.code or told.address))
            found.append(Passage(way, told.code or told.address, missing))
    return found


def _missing(shown: str) -> Iterator[str]:
    if not shown:
        yield "Nothing is laid down: this page sends nobody back."
    if is_address(shown):
        for name in NAME_IN_ADDRESS.findall(shown):
            yield f"“{{{name}}}” is not filled in."
        if not shown.startswith("https://"):
            yield "The address is not encrypted: it should begin with https."


def _shut(recruitment: Recruitment, name: str) -> str:
    asked = questionnaire(recruitment.trial)
    questions = [one for page in asked.pages for one in page.questions] if asked else []
    if name == "first_sitting" and not recruitment.trial.games_follow_up:
        return "This trial has no follow-up."
    if name == "timed_out" and recruitment.minutes is None:
        return "This trial has no time limit."
    if name == "screened_out" and not any(one.screens_out for one in questions):
        return "No answer screens anybody out."
    checks = recruitment.checks is not None
    if name == "failed_check" and not any(
        one.right or (checks and one.attention) for one in questions
    ):
        return "No check ends the part."
    return ""
