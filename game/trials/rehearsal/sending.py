"""What each way out of a trial shows whoever goes out by it, and what is still missing."""

from collections.abc import Iterator
from dataclasses import dataclass

from game.models import Trial
from game.trials.design.people import recruitment_of
from game.trials.design.stopping import stopping_out_of_reach
from game.trials.design.ways_out import WAYS_OUT, WayOut, is_address
from game.trials.joining.contradictions import NAME_IN_ADDRESS, contradictions
from game.trials.questions.reading import questionnaire
from game.trials.rehearsal.browser import RehearsalFailed
from game.trials.rehearsal.passages import walk


@dataclass(frozen=True, slots=True)
class Passage:
    """A way out, walked. ``shut`` says why nobody can go out by it, and then it was not."""

    way: WayOut
    shown: str = ""
    missing: tuple[str, ...] = ()
    shut: str = ""


def passages(trial: Trial) -> list[Passage]:
    """Of a trial that has an open link; nothing of it stays."""
    return [_passage(trial, name, way) for name, way in WAYS_OUT.items()]


def faults(trial: Trial) -> list[str]:
    """Of the settings as they are stored: what came before they were compared, or changed since."""
    recruitment = recruitment_of(trial)
    found = [text for _field, text in contradictions(recruitment)] if recruitment else []
    return [text for text in (*found, stopping_out_of_reach(trial)) if text]


def _passage(trial: Trial, name: str, way: WayOut) -> Passage:
    if shut := _shut(trial, name):
        return Passage(way, shut=shut)
    try:
        shown, wanted = walk(trial, name)
    except RehearsalFailed as failure:
        return Passage(way, missing=(str(failure),))
    return Passage(way, shown, tuple(_missing(shown, wanted)))


def _missing(shown: str, wanted: str) -> Iterator[str]:
    if not wanted:
        yield "Nothing is laid down: this page sends nobody back."
    elif shown != wanted:
        yield "The page shows something else than what was laid down."
    if is_address(shown):
        for name in NAME_IN_ADDRESS.findall(shown):
            yield f"“{{{name}}}” is not filled in."
        if not shown.startswith("https://"):
            yield "The address is not encrypted: it should begin with https."


def _shut(trial: Trial, name: str) -> str:
    recruitment, asked = recruitment_of(trial), questionnaire(trial)
    questions = [one for page in asked.pages for one in page.questions] if asked else []
    if name == "first_sitting" and not trial.games_follow_up:
        return "This trial has no follow-up."
    if name == "timed_out" and (recruitment is None or recruitment.minutes is None):
        return "This trial has no time limit."
    if name == "screened_out" and not any(one.screens_out for one in questions):
        return "No answer screens anybody out."
    checks = recruitment is not None and recruitment.checks is not None
    ending = [one for one in questions if one.right or (checks and one.attention)]
    if name == "failed_check" and not ending:
        return "No check ends the part."
    return ""
