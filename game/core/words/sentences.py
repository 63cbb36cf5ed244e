"""Sentences about a game: what just happened, and why an action is impossible."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from game.core.words import labels
from game.core.words.speech import TABLE, say
from game.core.words.times import render_moment, render_sentence
from game.models import Game
from solver.rules import Action, Joker, Ruleset, Score, State


class Event(NamedTuple):
    """An event of a game, in plain JSON. ``act`` names the player's next move, usually a text of
    ``coach.json``; ``facts`` are for pages that draw the event."""

    event: str
    says: str
    act: str = ""
    facts: Mapping[str, Any] = {}

    @property
    def weight(self) -> int:
        return int(TABLE["events"][self.event])

    def as_json(self) -> dict[str, Any]:
        return self._asdict() | {"weight": self.weight}

    @property
    def json(self) -> str:
        return json.dumps(self.as_json(), ensure_ascii=False)


def describe_status(state: State, game: Game | None, last: Action | None, owner: bool) -> str:
    """Return the line above the dice: what just happened, or what the player must do now."""
    if game is not None and game.abandoned_at is not None:
        return say("end_early", state.total, total=state.total)
    if state.finished:
        return say("end", state.total, total=state.total)
    if game is not None and game.real_dice and owner and (state.waiting or not state.dice):
        if state.held:
            kept = (face for slot, face in enumerate(state.dice) if state.held >> slot & 1)
            text = _("You hold %(dice)s. Roll the others, then type in what they show.")
            return text % {"dice": labels.join_faces(kept)}
        text = _("Roll all %(count)s dice, then type in what they show.")
        return text % {"count": labels.count(state.rules.dice)}
    if not state.dice and isinstance(last, Score):
        number = state.rules.index[last.category]
        box = state.boxes[number]
        points = box.points if box else 0
        return say(
            "box" if owner else "box_watched",
            points,
            name=labels.find_category_name(state.rules.categories[number]),
            points=points,
            turn=state.turn + 1,
            turns=len(state.boxes),
        )
    if not state.dice:
        return _("Roll the dice to begin.") if owner else _("The game has not started yet.")
    left, dice = state.throws_left, labels.join_faces(state.dice)
    if left:
        return say("dice", left, dice=dice, left=left)
    return say("dice_last" if owner else "dice_watched", dice=dice)


def refuse_typed_dice(state: State, thrown: int) -> str:
    if state.held:
        return say("type_again", thrown, count=thrown)
    text = _("A roll has %(count)s dice, each from 1 to 6. Please type all %(count)s.")
    return text % {"count": labels.count(state.rules.dice)}


def explain_step(phase: str, throw: int) -> str:
    """Return a beginner's guide to this step of the first turn, or "" if the step has none."""
    if phase == "roll":
        return _("Roll the dice.")
    if phase == "decide" and throw == 1:
        return _("Choose the dice you want to hold. Then roll the others.")
    if phase == "decide":
        return _("Hold the dice you want and roll again, or choose a box now.")
    if phase == "score":
        return _("Choose a box: it scores the number shown in it.")
    return ""


def refuse_second_game(rules: Ruleset) -> str:
    return _("You have an unfinished game of %(game)s: finish it or give it up first.") % {
        "game": labels.find_ruleset_name(rules)
    }


def explain_refusal(state: State, action: Action) -> str:
    """Return why the rules forbid this action in this state."""
    if state.waiting:
        return _("Roll the dice and type them in first.")
    if not isinstance(action, Score):
        if state.throws_left:
            return _("You cannot hold these dice.")
        return _("You have no rolls left in this turn: choose a box.")
    number = state.rules.index.get(action.category)
    if number is None:
        return _("There is no such box on this card.")
    if not state.dice:
        return _("Roll the dice first.")
    name = labels.find_category_name(state.rules.categories[number])
    if state.boxes[number] is not None:
        return _("%(name)s is already filled: choose another box.") % {"name": name}
    joker = state.joker
    if joker is not None and joker.allowed == "own":
        text = _("These dice are a joker: while %(own)s is open, you must score them there.")
        return text % {"own": labels.find_category_name(state.rules.categories[joker.upper_box])}
    text = _(
        "These dice are a joker: while a lower box is open, you cannot score them in %(name)s."
    )
    return text % {"name": name}


def explain_joker(state: State) -> str:
    """Explain in which boxes the player may score a joker. Return "" if the dice are no joker."""
    joker = state.joker
    if joker is None:
        return ""
    facts = {"own": labels.find_category_name(state.rules.categories[joker.upper_box])}
    if joker.allowed == "own":
        return _("A joker: %(own)s is open, so you must score these dice there.") % facts
    if (
        all(state.rules.categories[number].face for number in joker.boxes)
        and not joker.is_upper_box_open
    ):
        return _("A joker, but only upper boxes are open: it scores 0 in one of them.")
    if joker.allowed == "lower":
        return (
            _("A joker: %(own)s is filled, so these dice score full points in any lower box.")
            % facts
        )
    if joker.is_upper_box_open:
        text = _(
            "A joker: you can use any open box. Lower boxes score full points once %(own)s is "
            "filled."
        )
        return text % facts
    return _("A joker: you can use any open box; lower boxes score full points.")


def describe_bonus(state: State) -> str:
    """Return what the upper boxes still need for the bonus, or that it is won or lost."""
    goal = state.rules.bonus_threshold
    facts = {"sum": state.upper, "missing": goal - state.upper, "points": state.rules.bonus_points}
    if state.bonus:
        return _("Upper boxes: %(sum)s") % facts
    if state.upper_most == state.upper:  # each upper box is filled, or cannot score any more
        return _("%(missing)s short of the bonus") % facts
    if state.upper_most < goal:
        return _("out of reach")
    return _("%(missing)s more for a bonus of %(points)s") % facts


def describe_chips(state: State, joker: Joker, *, mentions_dice: bool = True) -> str:
    """Describe the bonus chips still possible, and with ``mentions_dice`` the current roll's."""
    facts = {"name": labels.CATEGORIES[joker.box], "points": joker.chip}
    if state.boxes[state.rules.index[joker.box]] is not None and not state.chips_won:
        return _("no bonus, because %(name)s is 0") % facts
    if state.finished:
        return f"{state.chips // joker.chip} × {joker.chip}"
    if mentions_dice and state.joker is not None and state.joker.chip:
        return _("%(points)s for these dice") % facts
    return _("%(points)s per extra %(name)s") % facts


def format_opening(opens: datetime) -> SafeString:
    text = _("You cannot play the next game before %(moment)s.")
    return render_sentence(text, moment=render_moment(opens))
