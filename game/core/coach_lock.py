"""The coach lock of a running trial.

A trial measures how people play by themselves. Until it is closed, its participants get no value,
no hint and no review, anywhere on the site. If an arm of the trial has a coach, it helps in the
games of the training only. ``game.core.access`` calls these functions and decides.

Besides its own games a trial can close the coach for everyone on the site. It closes the coach in
every browser in which a person agreed to take part, also for later users, until the trial closes.
A browser in which a person opened a link, but has not agreed yet, remembers it for its session and
forgets it if the person declines.
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
READ = "r"  # prefix of a trial whose consent text a person read but did not answer


@dataclass(frozen=True, slots=True)
class BrowserMark:
    """A browser's mark: a random name, the trials that a person joined in this browser, and the
    trials of which a person only read the consent text."""

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


class Asking:
    """A request or push message with its browser's cookie; reads the running trials only once."""

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
    def here(self) -> RunningStudy | None:
        """The running trial that this browser joined, or None. A browser without a mark causes no
        query."""
        if not self.trials:
            return None
        return next((trial for trial in self.running if trial.pk in self.trials), None)

    @property
    def anywhere(self) -> RunningStudy | None:
        site = (trial for trial in self.running if trial.coach_closed)
        return next(site, None) or self.here


# The current browser, set for each request and socket; only this module reads the value.
browser: ContextVar[Asking | None] = ContextVar("browser", default=None)


def _find_asking() -> Asking:
    return browser.get() or Asking("")


class ClosedByTrial(PermissionDenied):
    def __init__(self, trial: RunningStudy) -> None:
        super().__init__(f"{_explain_closing(trial)} {_format_end(trial)}")


def is_in_trial(player: Player) -> bool:
    """Return whether a running trial includes this player; without trials there is no query."""
    return bool(_find_asking().running) and get_studies().include(player)


def find_closing_trial() -> RunningStudy | None:
    return _find_asking().anywhere


def find_trial_here() -> RunningStudy | None:
    """Return the trial that closes the coach in this browser, even in games begun with a coach."""
    return _find_asking().here


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
