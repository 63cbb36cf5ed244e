"""The codes and addresses for people who joined by the open link and leave the trial."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import quote

from game.trials.design.people import find_recruitment
from game.trials.design.ways_out import WAYS_OUT, WayOut, is_address
from game.trials.joining.progress import ParticipantProgress
from game.trials.joining.recruiting import NAME_IN_ADDRESS
from game.trials.joining.withdrawing import find_withdrawn_labels
from game.trials.models import Participant, Recruitment
from game.trials.questions.reading import load_questionnaire


@dataclass(frozen=True, slots=True)
class Outcome:
    """The code to show or the address to open at the end; both are empty if neither is set."""

    code: str = ""
    address: str = ""


def make_outcome(recruitment: Recruitment, way: str, labels: Mapping[str, str]) -> Outcome:
    """Return the code, or the address with external IDs in place of ``{NAME}``."""
    ending: str = recruitment.ways_out.get(way, "")
    if not is_address(ending):
        return Outcome(code=ending)
    for name in recruitment.names:
        ending = ending.replace(f"{{{name}}}", quote(labels.get(name, ""), safe=""))
    return Outcome(address=ending)


def find_progress_outcome(progress: ParticipantProgress) -> Outcome | None:
    """Return the participant's outcome. Return None while there is no outcome, and for people with
    a personal link."""
    return _find_outcome(progress.participant, progress.way_out, _find_labels)


def find_withdrawn_outcome(participant: Participant) -> Outcome | None:
    return _find_outcome(participant, "withdrawn", find_withdrawn_labels)


def _find_labels(participant: Participant) -> Mapping[str, str]:
    arrival = getattr(participant, "arrival", None)
    return arrival.latest if arrival else {}


def _find_outcome(
    participant: Participant, way: str, labels: Callable[[Participant], Mapping[str, str]]
) -> Outcome | None:
    recruitment = find_recruitment(participant.trial) if way and participant.recruited else None
    return make_outcome(recruitment, way, labels(participant)) if recruitment else None


@dataclass(frozen=True, slots=True)
class Passage:
    """A way out of the trial. ``missing`` lists the faults of its code or address. ``shut`` is the
    reason why this way is closed."""

    way: WayOut
    shown: str = ""
    missing: tuple[str, ...] = ()
    shut: str = ""


def list_ways_out(recruitment: Recruitment) -> list[Passage]:
    """Return every way out. The addresses contain made-up external IDs."""
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
    if name == "timed_out" and recruitment.minutes is None:
        return "This trial has no time limit."
    if name == "screened_out" and not any(question.screens_out for question in questions):
        return "No answer screens anyone out."
    checks = recruitment.checks is not None
    if name == "failed_check" and not any(
        question.right or (checks and question.attention) for question in questions
    ):
        return "No check can end participation."
    return ""
