"""Who may be told what. A trial measures how people play by themselves: until it is over, its
participants get no value, no hint and no review, neither in the game nor anywhere beside it. Where
an arm of the trial has a coach, they have that coach in the games of its training, and no more."""

from django.core.exceptions import PermissionDenied
from django.utils.translation import gettext as _

from game.coach.closing import ClosedByTrial, check_open_here, closed_by, closed_here, in_trial
from game.fair import days
from game.fair.seeds import dice_in_play
from game.models import Game, Player
from game.selectors.designs import drill_between_games
from game.selectors.trials import games_later


class Blinded(PermissionDenied):
    def __init__(self) -> None:
        super().__init__(
            _("You are taking part in a trial: until its games are finished there is no coach.")
        )


class TrialRuns(PermissionDenied):
    def __init__(self) -> None:
        super().__init__(
            _("What the games of a trial were worth is told when the whole trial is closed.")
        )


class DayRuns(PermissionDenied):
    """Its review shows the dice that others are still to play."""

    def __init__(self) -> None:
        super().__init__(
            _("The review of a day's game can be read by others when that day is over.")
        )


class DiceInDuel(PermissionDenied):
    def __init__(self) -> None:
        super().__init__(
            _("Others still play on these dice: this game is shown when the duel is over.")
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
    """A hint within a game: its coach must be on, and it must not be a trial's."""
    if game.mode == Game.Mode.TRIAL:
        if not _coached_by_arm(game):
            raise Blinded
    else:
        check_not_in_trial(game.player)
        check_open_here()
    if game.coach == Game.Coach.OFF:
        raise CoachIsOff


def check_review(game: Game, viewer: Player | None) -> None:
    check_not_in_trial(viewer)
    check_trial_closed(game)
    check_not_blinded(viewer)
    if game.finished_at is None or dice_in_play(game):
        raise StillPlaying
    if game.day is not None and not days.closed(game.day) and not _own(game, viewer):
        raise DayRuns


def _own(game: Game, viewer: Player | None) -> bool:
    return viewer is not None and game.player_id == viewer.pk


def tells_worth(game: Game) -> bool:
    """Whether the end of a game may say what its decisions were worth."""
    told = game.mode != Game.Mode.TRIAL and game.finished_at is not None
    return told and not silent(game.player)


def check_trial_closed(game: Game) -> None:
    """Others may still have to play the same dice, or this participant the next game."""
    if trial_runs(game):
        raise TrialRuns


def check_may_watch(game: Game) -> None:
    """Whoever watched could tell others what they are still to throw."""
    check_trial_closed(game)
    if dice_in_play(game):
        raise DiceInDuel


def trial_runs(game: Game) -> bool:
    return game.participant is not None and game.participant.trial.closed_at is None


def coached(game: Game | None) -> bool:
    """Whether the board of this game has a coach beside it."""
    if game is None or game.coach == Game.Coach.OFF:
        return False
    if game.mode == Game.Mode.TRIAL:
        return _coached_by_arm(game)
    return not in_trial(game.player) and not (closed_by() if game.over else closed_here())


def _coached_by_arm(game: Game) -> bool:
    """In a trial an arm alone gives a coach: its own, in its training, until the next game."""
    if game.arm is None or not game.in_training or game.coach != game.arm.coach:
        return False
    return not (game.over and games_later(game))


def check_drill(player: Player | None) -> bool:
    """Whether it is an arm that opens the drill: between the games of its training, and nothing
    else beside it."""
    if player is None or not in_trial(player):
        check_not_blinded(player)
        return False
    if not drill_between_games(player):
        raise Blinded
    return True
