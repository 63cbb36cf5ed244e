"""Parsers of API requests: positions to advise on, or the rolls and decisions of a game."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from game.api.api_limits import POSITIONS
from game.api.api_refusals import Invalid, NotJson, Problem
from game.models import Player
from solver.advice import Position
from solver.advice.wire import (
    BadInput,
    list_keys,
    parse_dice,
    parse_position,
    parse_whole,
    refuse_unknown,
)
from solver.rules import (
    PLAYED,
    Action,
    Hold,
    IllegalAction,
    Ruleset,
    Score,
    State,
    UnknownRuleset,
    apply_action,
    apply_roll,
    find_ruleset,
    start_state,
)
from solver.rules.dice import FACES, Dice

DEFAULT = Player().rules  # the rules of a new player
PROBLEMS = 20  # the most problems in one response
OF_EACH = 1  # options per position if a request has many positions and no ``top``


@dataclass(frozen=True, slots=True)
class AdviceQuestion:
    """A request's positions. ``top`` is the number of options to return for each; None means
    all."""

    rules: Ruleset
    positions: tuple[Position, ...]
    top: int | None
    single: bool


@dataclass(frozen=True, slots=True)
class Record:
    """A played game: each decision with the state before it, and the final state."""

    moves: tuple[tuple[State, Action], ...]
    end: State


def parse_object(body: bytes) -> Mapping[str, Any]:
    try:
        facts = orjson.loads(body)
    except ValueError as error:
        raise NotJson(f"the body is not JSON: {error}") from None
    if not isinstance(facts, dict):
        raise NotJson("the body must be a JSON object")
    return facts


def parse_question(facts: Mapping[str, Any]) -> AdviceQuestion:
    try:
        rules, top = parse_ruleset(facts), None
        if "top" in facts:
            top = parse_whole(facts["top"], "top")
            if top < 1:
                raise BadInput("top must be at least 1", "top")
        if "positions" not in facts:
            refuse_unknown(facts, list_keys(rules) | {"ruleset", "top", "positions"})
            single = {key: facts[key] for key in list_keys(rules) & facts.keys()}
            return AdviceQuestion(rules, (parse_position(rules, single),), top, True)
        refuse_unknown(facts, {"ruleset", "top", "positions"})
        listed = facts["positions"]
        if not isinstance(listed, list) or not 1 <= len(listed) <= POSITIONS:
            raise BadInput(f"positions must be a list of 1 to {POSITIONS:,} positions", "positions")
        positions, problems = [], []
        for number, position in enumerate(listed):
            try:
                positions.append(parse_position(rules, _require_object(position, "a position")))
            except BadInput as refusal:
                problems.append(Problem.from_refusal(refusal, f"positions[{number}]"))
        if problems:
            raise Invalid(problems[:PROBLEMS])
        return AdviceQuestion(rules, tuple(positions), top or OF_EACH, False)
    except BadInput as refusal:
        raise Invalid([Problem.from_refusal(refusal)]) from None


def parse_ruleset(facts: Mapping[str, Any]) -> Ruleset:
    name = facts.get("ruleset", DEFAULT.id)
    try:
        return find_ruleset(name if isinstance(name, str) else repr(name), PLAYED)
    except UnknownRuleset as refusal:
        raise BadInput(str(refusal), "ruleset") from None


def _require_object(facts: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(facts, dict):
        raise BadInput(f"{what} must be a JSON object")
    return facts


def parse_record(facts: Mapping[str, Any]) -> tuple[Ruleset, Record]:
    try:
        refuse_unknown(facts, {"ruleset", "turns"})
        rules = parse_ruleset(facts)
        turns = facts.get("turns")
        most = len(rules.categories)
        if not isinstance(turns, list) or not 1 <= len(turns) <= most:
            raise BadInput(f"turns must be a list of 1 to {most} turns", "turns")
    except BadInput as refusal:
        raise Invalid([Problem.from_refusal(refusal)]) from None
    moves: list[tuple[State, Action]] = []
    state = start_state(rules)
    for number, facts in enumerate(turns):
        try:
            turn = _Turn.parse(state, _require_object(facts, "a turn"))
            state = turn.play(state, moves)
        except BadInput as refusal:
            placed = BadInput(f"turn {number + 1}: {refusal}", refusal.field)
            raise Invalid([Problem.from_refusal(placed, f"turns[{number}]")]) from None
    return rules, Record(tuple(moves), state)


@dataclass(frozen=True, slots=True)
class _Turn:
    """A turn: ``holds[n]`` is the hold after roll ``throws[n]``, ``category`` the filled box."""

    throws: list[Dice]
    holds: list[Dice]
    category: str

    @classmethod
    def parse(cls, before: State, facts: Mapping[str, Any]) -> "_Turn":
        rules, most = before.rules, before.throws_left
        refuse_unknown(facts, {"throws", "holds", "category"})
        throws = _parse_dice_lists(rules, facts.get("throws"), "throws")
        holds = _parse_dice_lists(rules, facts.get("holds", []), "holds")
        category = facts.get("category")
        if not 1 <= len(throws) <= most:
            raise BadInput(f"throws must be a list of 1 to {most} rolls", "throws")
        if len(holds) != len(throws) - 1:
            raise BadInput("holds must have one hold per reroll", "holds")
        if not isinstance(category, str):
            raise BadInput('category must be the box that was filled, such as "sixes"', "category")
        for number, dice in enumerate(throws):
            if len(dice) != rules.dice or not all(1 <= die <= FACES for die in dice):
                wanted = f"a roll must be {rules.dice} numbers from 1 to {FACES}"
                raise BadInput(wanted, f"throws[{number}]")
        return cls(throws, holds, category)

    def play(self, state: State, moves: list[tuple[State, Action]]) -> State:
        state = apply_roll(apply_action(state, Hold(0)), self.throws[0])
        for number, kept in enumerate(self.holds):
            wanted, slots = Counter(kept), 0
            for slot, die in enumerate(state.dice):
                if wanted[die]:
                    wanted[die] -= 1
                    slots |= 1 << slot
            if wanted.total():
                raise BadInput(
                    f"the roll {_format_dice(state.dice)} does not contain {_format_dice(kept)}",
                    f"holds[{number}]",
                )
            action = Hold(slots)
            moves.append((state, action))
            state, rolled = apply_action(state, action), self.throws[number + 1]
            held = Hold(state.held).kept(state.dice)
            fresh = Counter(rolled) - Counter(held)
            if fresh.total() != len(state.dice) - len(held):
                raise BadInput(
                    f"the roll {_format_dice(rolled)} lacks some of the held dice"
                    f" {_format_dice(held)}",
                    f"throws[{number + 1}]",
                )
            faces = fresh.elements()
            state = apply_roll(
                state,
                [die if state.held >> n & 1 else next(faces) for n, die in enumerate(state.dice)],
            )
        moves.append((state, Score(self.category)))
        try:
            return apply_action(state, Score(self.category))
        except IllegalAction as refusal:
            raise BadInput(str(refusal), "category") from None


def _parse_dice_lists(rules: Ruleset, value: Any, field: str) -> list[Dice]:
    if not isinstance(value, list):
        raise BadInput(f"{field} must be a list of lists of dice", field)
    return [parse_dice(rules, dice, f"{field}[{number}]") for number, dice in enumerate(value)]


def _format_dice(dice: Dice) -> str:
    return " ".join(map(str, dice))
