"""Positions and advice as JSON, in the format that the command line and the web API share.

{"filled": ["ones", "twos"], "upper": 9, "dice": [1, 1, 2, 2, 5], "rolls_left": 2}

In rulesets with saved rolls, "stock" is the number of saved rolls, and "rolls_left" excludes them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any, cast

from solver import Refusal
from solver.advice.options import Advice, Option
from solver.advice.winning import Chances, WinOption
from solver.rules import Ruleset
from solver.rules.dice import FACES
from solver.rules.position import BadPosition, Position, check_position

KEYS = frozenset({"filled", "upper", "dice", "rolls_left", "chips_won"})


def list_keys(rules: Ruleset) -> frozenset[str]:
    return KEYS | {"stock"} if rules.stock else KEYS


class BadInput(Refusal, ValueError):
    """The error for invalid input. The message gives the reason, ``field`` the wrong key or ""."""

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field


def parse_position(rules: Ruleset, facts: Mapping[str, Any]) -> Position:
    """Return the position in a JSON object. Raise BadInput if no game can reach the position."""
    refuse_unknown(facts, list_keys(rules))
    position = Position(
        rules,
        filled=parse_filled(rules, facts.get("filled", [])),
        upper=parse_whole(facts.get("upper", 0), "upper"),
        dice=parse_dice(rules, facts.get("dice"), "dice"),
        rolls_left=parse_whole(facts.get("rolls_left"), "rolls_left"),
        chips_won=_parse_flag(facts.get("chips_won", False), "chips_won"),
        stock=parse_whole(facts.get("stock", 0), "stock"),
    )
    try:
        check_position(position)
    except BadPosition as refusal:
        raise BadInput(str(refusal), refusal.field) from None
    return position


def refuse_unknown(facts: Mapping[str, Any], known: Iterable[str]) -> None:
    if unknown := set(facts).difference(known):
        worst = min(unknown)
        raise BadInput(f"unknown key {worst!r}; known: {', '.join(sorted(known))}", worst)


def parse_filled(rules: Ruleset, names: Any, field: str = "filled") -> int:
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise BadInput('filled must be a list of boxes, such as ["ones", "twos"]', field)
    index, filled = rules.index, 0
    for name in names:
        if name not in index:
            raise BadInput(f"there is no box {name!r}; boxes: {', '.join(index)}", field)
        if filled >> index[name] & 1:
            raise BadInput(f"the box {name} is named twice", field)
        filled |= 1 << index[name]
    return filled


def parse_dice(rules: Ruleset, dice: Any, field: str) -> tuple[int, ...]:
    faces = tuple(map(_convert_to_whole, dice)) if isinstance(dice, list) else (None,)
    if None in faces:
        raise BadInput(f"dice must be a list of {rules.dice} numbers from 1 to {FACES}", field)
    return cast(tuple[int, ...], faces)


def parse_whole(number: Any, field: str) -> int:
    value = _convert_to_whole(number)
    if value is None:
        raise BadInput(f"{field} must be a whole number", field)
    return value


def _convert_to_whole(number: Any) -> int | None:
    """Return a whole number as an int, and None for any other value. JSON may write 6 as 6.0."""
    if type(number) is int:
        return number
    return int(number) if isinstance(number, float) and number.is_integer() else None


def _parse_flag(flag: Any, field: str) -> bool:
    if not isinstance(flag, bool):
        raise BadInput(f"{field} must be true or false", field)
    return flag


def is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def serialise_position(position: Position) -> dict[str, Any]:
    """Return a JSON object that ``parse_position`` can read."""
    facts: dict[str, Any] = {
        "filled": list(position.rules.ids(position.filled)),
        "upper": position.upper,
        "dice": list(position.dice),
        "rolls_left": position.rolls_left,
    }
    if position.rules.joker:
        facts["chips_won"] = position.chips_won
    if position.rules.stock:
        facts["stock"] = position.stock
    return facts


def serialise_advice(advice: Advice, *, top: int | None = None) -> dict[str, Any]:
    """Return advice as JSON, with all options or only the ``top`` best."""
    options = [serialise_option(option) for option in advice.options[:top]]
    return {"value": advice.value, "best": options[0], "options": options}


def serialise_option(option: Option) -> dict[str, Any]:
    facts: dict[str, Any] = {"action": option.action}
    if option.action == "hold":
        facts["dice"] = list(option.dice)
    else:
        facts["category"] = option.category
    facts["points"] = option.points
    facts["value"] = option.value
    facts["regret"] = option.regret
    facts["best"] = option.best
    if option.outlook:
        facts["bonus_chance"] = option.outlook.bonus_chance
        facts["expected_rest"] = option.outlook.expected_rest
        facts["deviation"] = option.outlook.deviation
    return facts


def serialise_chances(chances: Chances, *, top: int | None = None) -> dict[str, Any]:
    """Return chances to win as JSON: the ``top`` best options to win, and the best for points."""
    return {
        "chance": chances.chance,
        "for_points": chances.for_points,
        "best": serialise_win_option(chances.best),
        "by_points": serialise_win_option(chances.by_points),
        "options": [serialise_win_option(choice) for choice in chances.choices[:top]],
    }


def serialise_win_option(choice: WinOption) -> dict[str, Any]:
    """Return an option with its chance to win as JSON. ``value`` and ``regret`` are in points."""
    chances = {"chance": choice.chance, "chance_regret": choice.regret, "best_chance": choice.best}
    return serialise_option(choice.option) | chances


def serialise_ruleset(rules: Ruleset) -> dict[str, Any]:
    return {
        "id": rules.id,
        "title": rules.title,
        "hash": rules.hash,
        "throws": rules.throws,
        "boxes": [category.id for category in rules.categories],
        "bonus_threshold": rules.bonus_threshold,
        "bonus_points": rules.bonus_points,
        "joker": asdict(rules.joker) if rules.joker else None,
    }
