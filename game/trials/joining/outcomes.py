"""The codes and addresses for people who joined by the open link and leave the trial."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import quote

from game.trials.design.people import find_recruitment
from game.trials.design.ways_out import WAYS_OUT, WayOut, is_address
from game.trials.joining.recruiting import NAME_IN_ADDRESS
from game.trials.models import Participant, Recruitment
from game.trials.questions.reading import load_questionnaire


@dataclass(frozen=True, slots=True)
class Outcome:
    """The code to show or the address to open at the end; the researcher may set neither."""

    code: str = ""
    address: str = ""


def make_outcome(recruitment: Recruitment, way: str, labels: Mapping[str, str]) -> Outcome:
    """Return the code, or the address in which external IDs replace ``{NAME}``."""
    ending: str = recruitment.ways_out.get(way, "")
    if not is_address(ending):
        return Outcome(code=ending)
    for name in recruitment.names:
        ending = ending.replace(f"{{{name}}}", quote(labels.get(name, ""), safe=""))
    return Outcome(address=ending)


def find_own_outcome(participant: Participant, way: str) -> Outcome | None:
    """Return the code or address for a participant. Return None if the participant has no outcome
    yet (``way`` is ""), or has a personal link."""
    recruitment = find_recruitment(participant.trial) if way and participant.recruited else None
    arrival = getattr(participant, "arrival", None)
    return (
        make_outcome(recruitment, way, arrival.latest if arrival else {}) if recruitment else None
    )


@dataclass(frozen=True, slots=True)
class Passage:
    """A way out of the trial. ``missing`` lists the faults of its code or address. ``shut``
    explains why no one can leave by this way; "" if people can."""

    way: WayOut
    shown: str = ""
    missing: tuple[str, ...] = ()
    shut: str = ""


def list_ways_out(recruitment: Recruitment) -> list[Passage]:
    """Return every way out of the trial. Made-up external IDs fill the addresses, as a preview."""
    expected = recruitment.expectations
    labels = {name: min(expected.get(name, {"made-up"})) for name in recruitment.names}
    ways = []
    for name, way in WAYS_OUT.items():
        if shut := _explain_shut(recruitment, name):
            ways.append(Passage(way, shut=shut))
        else:
            ending = make_outcome(recruitment, name, labels)
            missing = tuple(_list_faults(ending.code or ending.address))
            ways.append(Passage(way, ending.code or ending.address, missing))
    return ways


def _list_faults(shown: str) -> Iterator[str]:
    if not shown:
        yield "No code or address is set, so this page sends no one back."
    if is_address(shown):
        for name in NAME_IN_ADDRESS.findall(shown):
            yield f"“{{{name}}}” is not filled in."
        if not shown.startswith("https://"):
            yield "The address is not encrypted: it should begin with https."


def _explain_shut(recruitment: Recruitment, name: str) -> str:
    asked_questions = load_questionnaire(recruitment.trial)
    questions = (
        [question for page in asked_questions.pages for question in page.questions]
        if asked_questions
        else []
    )
    if name == "first_sitting" and not recruitment.trial.games_follow_up:
        return "This trial has no follow-up."
    limits = recruitment.minutes, recruitment.trial.hours_away
    if name == "timed_out" and limits == (None, None):
        return "This trial has no time limit."
    if name == "screened_out" and not any(question.screens_out for question in questions):
        return "No answer screens anyone out."
    checks = recruitment.checks is not None
    if name == "failed_check" and not any(
        question.right or (checks and question.attention) for question in questions
    ):
        return "No check can end participation."
    return ""
