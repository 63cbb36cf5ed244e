"""Who may be told what. A trial measures how people play by themselves: until it is over, its
participants get no value, no hint and no review, neither in the game nor anywhere beside it. Where
an arm of the trial has a coach, they have that coach in the games of its training, and no more."""

from django.core.exceptions import PermissionDenied
from django.utils.translation import gettext as _

from game.coach.closing import ClosedByTrial, check_open_here, closed_by, closed_here, in_trial
from game.kind import kind_of
from game.models import Game, Player
from game.selectors.studies import studies


class Blinded(PermissionDenied):
    def __init__(self) -> None:
        super().__init__(
            _("You are taking part in a trial: until its games are finished there is no coach.")
        )


class CoachIsOff(PermissionDenied):
    def __init__(self) -> None:
        super().__init__(_("The coach is switched off in this game."))


class StillPlaying(PermissionDenied):
    def __init__(self) -> None:
        super().__init__(_("This game is still being played. Its review comes when it is over."))


def check_not_in_trial(player: Player | None) -> None:
    if player is not None and in_trial(player):
        raise Blinded


def check_not_blinded(player: Player | None) -> None:
    """For whatever teaches: closed to participants, and to others where a trial says so."""
    check_not_in_trial(player)
    if trial := closed_by():
        raise ClosedByTrial(trial)


def silent(player: Player | None) -> bool:
    """Whether pages that are open to everybody leave out what would teach."""
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
    """Whether the end of a game may say what its decisions were worth."""
    told = kind_of(game).teaches and game.finished_at is not None
    return told and not silent(game.player)


def coached(game: Game | None) -> bool:
    """Whether the board of this game has a coach beside it."""
    if game is None or game.coach == Game.Coach.OFF:
        return False
    coached_by_kind = kind_of(game).coached
    if coached_by_kind is not None:
        return coached_by_kind
    return not in_trial(game.player) and not (closed_by() if game.over else closed_here())


def check_drill(player: Player | None) -> bool:
    """Whether it is an arm that opens the drill: between the games of its training, and nothing
    else beside it."""
    if player is None or not in_trial(player):
        check_not_blinded(player)
        return False
    if not studies().open_drill(player):
        raise Blinded
    return True
