"""Whole sentences about a game: what just happened, and why something cannot be done."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game.models import Game
from game.words import labels
from solver.rules import Action, Score, State


def status(state: State, *, game: Game | None, last: Action | None, owner: bool) -> str:
    """One sentence for the live region, after the last action."""
    if game is not None and game.abandoned_at is not None:
        return _over_abandoned(state)
    if state.finished:
        return _over(state)
    if game is not None and game.real_dice and owner and (state.waiting or not state.dice):
        return _to_enter(state)
    if not state.dice:
        return _turn(state, last, owner)
    return _dice(state, owner)


def _to_enter(state: State) -> str:
    """Real dice: what is to be thrown, and that it is to be typed in."""
    if state.held:
        kept = (face for slot, face in enumerate(state.dice) if state.held >> slot & 1)
        text = _("You keep %(dice)s. Throw the others, then type in all five.")
        return text % {"dice": labels.faces(kept)}
    return _("Throw all five dice, then type in what they show.")


def _over(state: State) -> str:
    return ngettext(
        "The game is over with %(total)s point.",
        "The game is over with %(total)s points.",
        state.total,
    ) % {"total": state.total}


def _over_abandoned(state: State) -> str:
    return ngettext(
        "The game was given up at %(total)s point.",
        "The game was given up at %(total)s points.",
        state.total,
    ) % {"total": state.total}


def _turn(state: State, last: Action | None, owner: bool) -> str:
    facts: dict[str, object] = {"turn": state.turn + 1, "turns": len(state.boxes)}
    box = state.boxes[state.rules.index[last.category]] if isinstance(last, Score) else None
    if box is None or not isinstance(last, Score):
        return _("Roll the dice to begin.") if owner else _("The game has not begun yet.")
    category = state.rules.categories[state.rules.index[last.category]]
    facts |= {"name": labels.category_name(category), "points": box.points}
    if owner:
        text = ngettext(
            "%(name)s: %(points)s point; roll for turn %(turn)s of %(turns)s.",
            "%(name)s: %(points)s points; roll for turn %(turn)s of %(turns)s.",
            box.points,
        )
    else:
        text = ngettext(
            "%(name)s: %(points)s point; turn %(turn)s of %(turns)s is next.",
            "%(name)s: %(points)s points; turn %(turn)s of %(turns)s is next.",
            box.points,
        )
    return text % facts


def _dice(state: State, owner: bool) -> str:
    facts = {"dice": labels.faces(state.dice), "left": state.throws_left}
    if state.throws_left:
        return (
            ngettext(
                "The dice show %(dice)s; %(left)s throw left.",
                "The dice show %(dice)s; %(left)s throws left.",
                state.throws_left,
            )
            % facts
        )
    if owner:
        return _("The dice show %(dice)s; choose a box.") % facts
    return _("The dice show %(dice)s; no throw is left.") % facts


def costly(name: str) -> str:
    return _("Really score nothing in %(name)s? Another open box would score.") % {"name": name}


def costs(points: str) -> str:
    return _("This costs %(points)s points on average. Are you sure?") % {"points": points}


def refusal(state: State, action: Action) -> str:
    """Why the rules forbid this action now."""
    if state.waiting:
        return _("Throw the dice and type them in first.")
    if not isinstance(action, Score):
        if state.throws_left:
            return _("These dice cannot be held.")
        return _("No throw is left in this turn: choose a box.")
    number = state.rules.index.get(action.category)
    if number is None:
        return _("There is no such box on this card.")
    if not state.dice:
        return _("Roll the dice first.")
    name = labels.category_name(state.rules.categories[number])
    if state.boxes[number] is not None:
        return _("%(name)s is filled already: choose another box.") % {"name": name}
    return _("These dice may not be scored in %(name)s now.") % {"name": name}
