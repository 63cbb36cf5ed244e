"""The coach lock of a running trial.

A trial measures how people play without help. Until the trial is closed, its participants get no
value, no hint and no review, anywhere on the site. If an arm of the trial has a coach, this coach
helps only in the training games. ``game.core.access`` decides with these functions.

While a trial runs, the coach is also closed in every browser in which a person agreed to take part,
even if somebody else uses the browser later. A trial can close the coach for everyone on the site.
If a person opens a link but has not agreed yet, the browser remembers the trial for its session; if
the person declines, the browser forgets the trial.
"""

from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass

from django.core import signing
from django.core.exceptions import PermissionDenied
from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from game.core.studies import RunningStudy, get_studies
from game.core.words.times import LONG, format_day
from game.models import Player
from game.models.tokens import browser_code

SALT = "game.browser"
MOST = 40  # the most trials that a browser remembers
READ = "r"  # prefix of a trial's number if a person read its consent text without answering


@dataclass(frozen=True, slots=True)
class BrowserMark:
    """A browser's mark: a random name, the trials that a person joined in this browser, and the
    trials whose consent text a person only read."""

    device: str
    trials: tuple[int, ...] = ()
    read: tuple[int, ...] = ()

    @property
    def signed(self) -> str:
        read = (f"{READ}{pk}" for pk in self.read)
        return signing.Signer(salt=SALT).sign(
            ".".join([self.device, *map(str, self.trials), *read])
        )

    def with_trial(self, pk: int) -> "BrowserMark":
        return BrowserMark(self.device, _move_to_end(self.trials, pk), _remove_trial(self.read, pk))

    def with_read_trial(self, pk: int) -> "BrowserMark":
        if pk in self.trials:
            return self
        return BrowserMark(self.device, self.trials, _move_to_end(self.read, pk))

    def without_read_trial(self, pk: int) -> "BrowserMark":
        return BrowserMark(self.device, self.trials, _remove_trial(self.read, pk))


def _remove_trial(trials: tuple[int, ...], pk: int) -> tuple[int, ...]:
    return tuple(trial for trial in trials if trial != pk)


def _move_to_end(trials: tuple[int, ...], pk: int) -> tuple[int, ...]:
    return (*_remove_trial(trials, pk), pk)[-MOST:]


def parse_mark(cookie: str) -> BrowserMark:
    """Return the mark in the cookie, or a new mark if the cookie is missing or forged."""
    try:
        device, *named = signing.Signer(salt=SALT).unsign(cookie).split(".")
        trials = tuple(int(part) for part in named if not part.startswith(READ))
        read = tuple(int(part[len(READ) :]) for part in named if part.startswith(READ))
        return BrowserMark(device, trials, read)
    except (signing.BadSignature, ValueError):
        return BrowserMark(browser_code())


class CurrentBrowser:
    """The browser of a request or push message, known by its cookie."""

    def __init__(self, cookie: str) -> None:
        self.cookie = cookie

    @cached_property
    def trials(self) -> tuple[int, ...]:
        mark = parse_mark(self.cookie) if self.cookie else BrowserMark("")
        return mark.trials + mark.read

    @cached_property
    def running(self) -> Sequence[RunningStudy]:
        return get_studies().list_running()

    @property
    def joined_trial(self) -> RunningStudy | None:
        """The running trial that a person in this browser joined, or None."""
        if not self.trials:
            return None
        return next((trial for trial in self.running if trial.pk in self.trials), None)

    @property
    def closing_trial(self) -> RunningStudy | None:
        site = (trial for trial in self.running if trial.coach_closed)
        return next(site, None) or self.joined_trial


# The current browser, set for each request and socket. Only this module reads the variable.
browser: ContextVar[CurrentBrowser | None] = ContextVar("browser", default=None)


def _find_browser() -> CurrentBrowser:
    return browser.get() or CurrentBrowser("")


class ClosedByTrial(PermissionDenied):
    def __init__(self, trial: RunningStudy) -> None:
        super().__init__(f"{_explain_closing(trial)} {_format_end(trial)}")


def is_in_trial(player: Player) -> bool:
    """Return whether a running trial includes this player. Make no query if no trial runs."""
    return bool(_find_browser().running) and get_studies().include(player)


def find_closing_trial() -> RunningStudy | None:
    return _find_browser().closing_trial


def find_trial_here() -> RunningStudy | None:
    """Return the trial that closes the coach in this browser, also in games begun with a coach."""
    return _find_browser().joined_trial


def is_closed_here() -> bool:
    return find_trial_here() is not None


def explain_coach_lock() -> str:
    """Return why the game continues without a coach; empty if the coach is open."""
    trial = find_closing_trial()
    return f"{_explain_closing(trial)} {_format_end(trial)}" if trial else ""


def _explain_closing(trial: RunningStudy) -> str:
    if trial.coach_closed:
        return _(
            "This site is running a trial of how people play. The coach, reviews, drill, explorer "
            "and lab are closed for everyone, because participants could learn from them."
        )
    return _("You opened a trial link in this browser, so parts of this site are closed.")


def _format_end(trial: RunningStudy) -> str:
    if trial.expected_end is None:
        return _("All parts of this site open again when the trial is closed.")
    sentence = _("All parts of this site open again when the trial is closed, probably on %(day)s.")
    return sentence % {"day": format_day(trial.expected_end, LONG)}
