"""What a trial closes beside its own games, and until when.

For everybody on this site, where the trial says so; and in every browser in which one of its links
was opened, whoever uses it and whether or not they left since: until the trial is closed.
"""

from contextvars import ContextVar
from dataclasses import dataclass

from django.core import signing
from django.core.exceptions import PermissionDenied
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from game.models import Trial
from game.models.tokens import browser_code
from game.selectors.trials import trial_closing

SALT = "game.browser"
MOST = 40  # trials that a browser remembers

# What the browser that asks has as its cookie; set for a request or a socket, and read here alone.
browser: ContextVar[str] = ContextVar("browser", default="")


@dataclass(frozen=True, slots=True)
class BrowserMark:
    """A browser in which links were opened: a random name, and the trials they are of."""

    device: str
    trials: tuple[int, ...] = ()

    @property
    def signed(self) -> str:
        value = ".".join([self.device, *map(str, self.trials)])
        return signing.Signer(salt=SALT).sign(value)

    def with_trial(self, pk: int) -> "BrowserMark":
        others = tuple(one for one in self.trials if one != pk)
        return BrowserMark(self.device, (*others, pk)[-MOST:])


def mark_of(cookie: str) -> BrowserMark:
    """Of a browser without one, or with one that was not made here: a new name."""
    try:
        device, *trials = signing.Signer(salt=SALT).unsign(cookie).split(".")
        return BrowserMark(device, tuple(map(int, trials)))
    except (signing.BadSignature, ValueError):
        return BrowserMark(browser_code())


class ClosedByTrial(PermissionDenied):
    """A page of the coach, while a trial runs that must not be taught."""

    def __init__(self, trial: Trial) -> None:
        super().__init__(f"{_why(trial)} {_until(trial)}")


def closed_by() -> Trial | None:
    """The open trial that closes the coach to whoever asks now."""
    return trial_closing(_marked(), site=True)


def closed_here() -> bool:
    """Whether it is closed in this very browser, also in games that had a coach before."""
    marked = _marked()
    return bool(marked) and trial_closing(marked, site=False) is not None


def check_open_here() -> None:
    marked = _marked()
    if marked and (trial := trial_closing(marked, site=False)):
        raise ClosedByTrial(trial)


def closed_note() -> str:
    """For a page that goes on without a coach; empty where nothing is closed."""
    trial = closed_by()
    return f"{_why(trial)} {_until(trial)}" if trial else ""


def _marked() -> tuple[int, ...]:
    cookie = browser.get()
    return mark_of(cookie).trials if cookie else ()


def _why(trial: Trial) -> str:
    if trial.coach_closed:
        return _(
            "A trial of how people play runs on this site, and so that nobody in it is taught, the"
            " coach, reviews, drill, explore and lab are closed for everybody."
        )
    return _(
        "A link to a trial was opened in this browser, and so that nobody in it is taught, the"
        " coach, reviews, drill, explore and lab are closed here."
    )


def _until(trial: Trial) -> str:
    if trial.expected_end is None:
        return _("They open again when the trial is closed.")
    day = date_format(trial.expected_end, "DATE_FORMAT")
    return _("They open again when the trial is closed, which is expected on %(day)s.") % {
        "day": day
    }
