"""Who may be told what. A trial measures how people play by themselves: until it is over, its
participants get no value, no hint and no review, neither in the game nor anywhere beside it. Where
an arm of the trial has a coach, they have that coach in the games of its training, and no more.

What a trial closes beside its own games: for everybody on this site, where the trial says so; and
in every browser in which somebody agreed to take part, whoever uses it and whether or not they left
since: until the trial is closed. Before that a browser in which a link was opened remembers it for
its session, and forgets it when its reader does not agree.
"""

from contextvars import ContextVar
from dataclasses import dataclass

from django.core import signing
from django.core.exceptions import PermissionDenied
from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from game.core.kind import kind_of
from game.core.studies import studies, trials_running
from game.core.words.times import LONG, day_text
from game.models import Game, Player, Trial
from game.models.tokens import browser_code

SALT = "game.browser"
MOST = 40  # trials that a browser remembers
READ = "r"  # before the number of a trial whose text was only read


@dataclass(frozen=True, slots=True)
class BrowserMark:
    """A browser in which links were opened: a random name, the trials that somebody agreed to take
    part in here, and those whose text was only read."""

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
        return BrowserMark(self.device, _last(self.trials, pk), _without(self.read, pk))

    def with_read(self, pk: int) -> "BrowserMark":
        if pk in self.trials:
            return self
        return BrowserMark(self.device, self.trials, _last(self.read, pk))

    def without_read(self, pk: int) -> "BrowserMark":
        return BrowserMark(self.device, self.trials, _without(self.read, pk))


def _without(trials: tuple[int, ...], pk: int) -> tuple[int, ...]:
    return tuple(one for one in trials if one != pk)


def _last(trials: tuple[int, ...], pk: int) -> tuple[int, ...]:
    return (*_without(trials, pk), pk)[-MOST:]


def mark_of(cookie: str) -> BrowserMark:
    """Return the mark of a browser, or a new one if its cookie is missing or forged."""
    try:
        device, *named = signing.Signer(salt=SALT).unsign(cookie).split(".")
        trials = tuple(int(one) for one in named if not one.startswith(READ))
        read = tuple(int(one[len(READ) :]) for one in named if one.startswith(READ))
        return BrowserMark(device, trials, read)
    except (signing.BadSignature, ValueError):
        return BrowserMark(browser_code())


class Asking:
    """A request or a push, by the cookie of its browser; the database is asked once for it."""

    def __init__(self, cookie: str) -> None:
        self.cookie = cookie

    @cached_property
    def trials(self) -> tuple[int, ...]:
        mark = mark_of(self.cookie) if self.cookie else BrowserMark("")
        return mark.trials + mark.read

    @cached_property
    def running(self) -> list[Trial]:
        return trials_running()

    @property
    def here(self) -> Trial | None:
        """The running trial of this browser, or None; a browser without a mark needs no
        database."""
        if not self.trials:
            return None
        return next((trial for trial in self.running if trial.pk in self.trials), None)

    @property
    def anywhere(self) -> Trial | None:
        site = (trial for trial in self.running if trial.coach_closed)
        return next(site, None) or self.here


# Set for a request or a socket, and read here alone.
browser: ContextVar[Asking | None] = ContextVar("browser", default=None)


def _asking() -> Asking:
    return browser.get() or Asking("")


class ClosedByTrial(PermissionDenied):
    """A page of the coach, while a trial runs that must not be taught."""

    def __init__(self, trial: Trial) -> None:
        super().__init__(f"{_why(trial)} {_until(trial)}")


def in_trial(player: Player) -> bool:
    """Return whether a running trial includes this player. Without running trials nothing is
    queried."""
    return bool(_asking().running) and studies().include(player)


def closed_by() -> Trial | None:
    """The open trial that closes the coach to whoever asks now."""
    return _asking().anywhere


def closed_here() -> bool:
    """Return whether the coach is closed in this browser, even in games that began with a coach."""
    return _asking().here is not None


def check_open_here() -> None:
    if trial := _asking().here:
        raise ClosedByTrial(trial)


def closed_note() -> str:
    """For a page that goes on without a coach; empty where nothing is closed."""
    trial = closed_by()
    return f"{_why(trial)} {_until(trial)}" if trial else ""


def _why(trial: Trial) -> str:
    if trial.coach_closed:
        return _(
            "A trial of how people play is running on this site. So that no participant"
            " is taught, the coach, reviews, drill, explorer and lab are closed for "
            "everyone."
        )
    return _("A link to a trial was opened in this browser, so parts of this site are closed here.")


def _until(trial: Trial) -> str:
    if trial.expected_end is None:
        return _("They open again when the trial is closed.")
    said = _("They open again when the trial is closed, probably on %(day)s.")
    return said % {"day": day_text(trial.expected_end, LONG)}


class Blinded(PermissionDenied):
    def __init__(self) -> None:
        super().__init__(
            _("You are taking part in a trial: until it is over, only its own pages are open here.")
        )


class CoachIsOff(PermissionDenied):
    def __init__(self) -> None:
        super().__init__(_("The coach is switched off in this game."))


class StillPlaying(PermissionDenied):
    def __init__(self) -> None:
        super().__init__(_("This game is still being played. You can review it when it is over."))


def check_not_in_trial(player: Player | None) -> None:
    if player is not None and in_trial(player):
        raise Blinded


def check_not_blinded(player: Player | None) -> None:
    """For whatever teaches: closed to participants, and to others where a trial says so."""
    check_not_in_trial(player)
    if trial := closed_by():
        raise ClosedByTrial(trial)


def silent(player: Player | None) -> bool:
    """Return whether pages that are open to everyone leave out what would teach this player."""
    return (player is not None and in_trial(player)) or closed_by() is not None


def check_hint(game: Game) -> None:
    """A hint within a game: its coach must be on, and nothing may close it."""
    coached_by_kind = kind_of(game).coached
    if coached_by_kind is None:
        check_not_in_trial(game.player)
        check_open_here()
    elif not coached_by_kind:
        raise Blinded
    if game.coach == Game.Coach.OFF:
        raise CoachIsOff


def check_review(game: Game, viewer: Player | None) -> None:
    kind = kind_of(game)
    check_not_in_trial(viewer)
    if withheld := kind.withheld:
        raise withheld
    check_not_blinded(viewer)
    if game.finished_at is None:
        raise StillPlaying
    if not _own(game, viewer) and (withheld := kind.dice_withheld):
        raise withheld


def _own(game: Game, viewer: Player | None) -> bool:
    return viewer is not None and game.player_id == viewer.pk


def tells_worth(game: Game) -> bool:
    """Return whether the end of a game may show what its decisions cost."""
    told = kind_of(game).teaches and game.finished_at is not None
    return told and not silent(game.player)


def coached(game: Game | None) -> bool:
    """Return whether the board of this game has a coach."""
    if game is None or game.coach == Game.Coach.OFF:
        return False
    coached_by_kind = kind_of(game).coached
    if coached_by_kind is not None:
        return coached_by_kind
    return not in_trial(game.player) and not (closed_by() if game.over else closed_here())


def check_drill(player: Player | None) -> bool:
    """Return whether an arm of a trial opens the drill to this player between training games.
    Raise Blinded if it does not."""
    if player is None or not in_trial(player):
        check_not_blinded(player)
        return False
    if not studies().open_drill(player):
        raise Blinded
    return True
