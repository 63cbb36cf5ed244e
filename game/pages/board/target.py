"""The chance to reach a target score in the last turns, and sentences about the target."""

from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _

from game.core.access import hides_advice_from
from game.core.game_queries import Played
from game.core.kind import find_kind
from game.core.words import phrases
from game.core.words.speech import say
from game.core.worth.winning import find_reach
from game.models import Game


@dataclass(frozen=True, slots=True)
class TargetLine:
    """The line about the target score ``goal``. ``chance`` is "" if unknown or hidden. If the exact
    chance takes long, ``later`` is the address that calculates it."""

    goal: int
    name: str
    chance: str = ""
    share: str = ""  # the chance as a number, which a script reads
    later: str = ""

    @property
    def aloud(self) -> str:
        return f"{self.name}: {self.chance}." if self.chance else f"{self.name}."


def make_target_line(played: Played, *, at_once: bool = True) -> TargetLine | None:
    """Return the line with the chance to reach the target; None without a target or after the game.
    The line reveals no move, so games without a coach show it too. It shows no chance to
    participants, or while a trial closes the coach."""
    game = played.game
    if game.target is None or game.over:
        return None
    if find_kind(game).beats:
        name = phrases.keep_on_one_line(_("%(points)s to beat") % {"points": game.target - 1})
    else:
        name = phrases.keep_on_one_line(_("%(points)s to reach") % {"points": game.target})
    reach_now = (
        None
        if hides_advice_from(game.player)
        else find_reach(played.state, game.target, at_once=at_once)
    )
    if reach_now is None:
        return TargetLine(game.target, name)
    chance = reach_now.chance
    return TargetLine(
        goal=game.target,
        name=name,
        chance="" if chance is None else format_chance(chance, exact=reach_now.exact),
        share="" if chance is None else f"{chance:.3f}",
        later=reverse("game_chance", args=[game.pk]) if reach_now.later else "",
    )


def describe_target(game: Game) -> str:
    """Describe whether the player reached the target; return "" without a target."""
    if game.target is None or game.final_score is None:
        return ""
    beats, score = find_kind(game).beats, game.final_score
    goal = game.target - 1 if beats else game.target
    if score < goal:
        text = say("missed", goal - score, goal=goal, points=goal - score)
    elif not beats:
        text = _("%(goal)s reached.") % {"goal": goal}
    elif score == goal:
        text = _("A tie at %(total)s.") % {"total": score}
    else:
        text = _("%(goal)s beaten.") % {"goal": goal}
    return phrases.keep_on_one_line(text)


STEP = 5  # per cent; approximate chances are rounded to multiples of this number


def format_chance(share: float, *, exact: bool) -> str:
    if exact:
        return phrases.format_percent(share)
    near = STEP * round(100 * share / STEP)
    if near < STEP:
        return phrases.keep_on_one_line(_("under %(percent)s %%") % {"percent": STEP})
    if near > 100 - STEP:
        return phrases.keep_on_one_line(_("over %(percent)s %%") % {"percent": 100 - STEP})
    return phrases.keep_on_one_line(_("about %(percent)s %%") % {"percent": near})
