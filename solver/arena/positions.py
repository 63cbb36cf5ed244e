"""Graded positions: a benchmark of decisions in which every option has its exact value.

The function ``make`` samples positions from games of players of four strengths, one position per
game. Of all decisions with several options in the game, one is drawn at random. ``decisions`` is
the number of these decisions. The mean of ``decisions * regret`` over the positions of one strength
is therefore an unbiased estimate of the points that a player of that strength loses per game.
"""

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import log, sqrt
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import numpy as np

from solver import Refusal
from solver.advice import Advisor, Position, find_position
from solver.advice.wire import serialise_position
from solver.arena.match import make_random_roller, play_out
from solver.players import PLAYERS, Agent
from solver.players.erring import Erring
from solver.rules import SOLVED, Hold, Ruleset, State
from solver.rules.game import Box
from solver.tables import write_whole

SHIPPED = Path(__file__).with_name("graded")
FORMAT = 1
LICENCE = "CC-BY-4.0"
DIGITS = 6
MOST = 100_000
STRENGTHS = ("perfect", "strong", "greedy", "random")
STRONG = 0.6  # temperature of the strong player's mistakes, in points: higher means more mistakes
# Temperatures, in points, of players with random mistakes. They replace "greedy" and "random" in
# rulesets for which those two players cannot play.
INSTEAD = {"greedy": 1.6, "random": 1e9}
WIDE = 1.96  # number of standard errors on each side of a mean, for a 95 % interval
HOW_TO_ANSWER = (
    'Answer with "hold" and the dice that are kept, such as "hold 5 5" or "hold nothing", which '
    'rolls the others again, or with "score" and the name of an open box, such as "score chance".'
)


class BadPositions(Refusal):
    """The error for positions or answers that cannot be used. The message gives the reason."""


def make(advisor: Advisor, count: int, seed: int) -> str:
    """Return a benchmark as JSON Lines: a line about the file, then one line per position."""
    if not len(STRENGTHS) <= count <= MOST:
        raise BadPositions(f"the number of positions must be from {len(STRENGTHS)} to {MOST:,}")
    advisor.compile()
    agents: dict[str, Agent] = {}
    for name in STRENGTHS:
        if name in INSTEAD and PLAYERS[name].plays(advisor.rules):
            agents[name] = PLAYERS[name].open(advisor.rules)
        else:
            rate, heat = float(name != "perfect"), INSTEAD.get(name, STRONG)
            agents[name] = Erring(advisor, rate=rate, temperature=heat)
    costs = {name: list[float]() for name in STRENGTHS}
    lines = []
    for number in range(count):
        strength = STRENGTHS[number % len(STRENGTHS)]
        rng = np.random.default_rng([seed, number])
        game = play_out(agents[strength], advisor.rules, make_random_roller(rng), rng)
        free = [
            state
            for state, _ in game.decisions
            if len(_list_option_values(advisor, find_position(state))) > 1
        ]
        costs[strength].append(advisor.make_ledger(game.moves).regret)
        state = free[int(rng.integers(len(free)))]
        position = find_position(state)
        boxes = zip(advisor.rules.categories, state.boxes, strict=True)
        card = {category.id: box.points for category, box in boxes if box is not None}
        rules = position.rules
        filled = ", ".join(f"{name} {points}" for name, points in card.items()) or "none"
        empty = ", ".join(rules.ids(rules.full & ~position.filled))
        sentences = [
            f"Filled boxes: {filled}.",
            f"Empty boxes: {empty}.",
            f"Points in the upper boxes: {position.upper}.",
            f"The dice show {' '.join(map(str, position.dice))}.",
            f"Rolls left in this turn: {position.rolls_left}.",
        ]
        if rules.stock:
            sentences.append(f"Saved rolls of earlier turns: {position.stock}.")
        lines.append(
            {"id": f"{advisor.rules.id}-{number + 1}", "card": card}
            | serialise_position(position)
            | {
                "text": " ".join(sentences),
                "strength": strength,
                "decisions": len(free),
            }
            | {"options": _list_option_values(advisor, position)}
        )
    heading = {
        "format": FORMAT,
        "licence": LICENCE,
        "ruleset": advisor.rules.id,
        "title": advisor.rules.title,
        "rules_hash": advisor.rules.hash,
        "count": count,
        "seed": seed,
        "value_of_a_game": round(advisor.value_start, DIGITS),
        "strengths": {
            name: {"points_lost_per_game": round(mean(losses), 3)} for name, losses in costs.items()
        },
        "rules": describe_rules(advisor.rules),
        "how_to_answer": HOW_TO_ANSWER,
    }
    return "".join(f"{json.dumps(line, separators=(',', ':'))}\n" for line in (heading, *lines))


def write(path: Path, text: str) -> None:
    """Write the text, compressed if the path ends in .gz; equal texts give equal bytes."""
    coded = text.encode()
    write_whole(path, gzip.compress(coded, 9, mtime=0) if path.suffix == ".gz" else coded)


def _list_option_values(advisor: Advisor, position: Position) -> dict[str, float]:
    """Return the value of every option by name. Sort by name, so that the order reveals nothing."""
    options = advisor.advise(position).options
    named = {
        _format_option(
            option.action, option.dice if option.action == "hold" else option.category
        ): option
        for option in options
    }
    return {name: round(named[name].value, DIGITS) for name in sorted(named)}


def _format_option(action: str, choice: Sequence[int] | str) -> str:
    if action == "hold":
        return f"hold {' '.join(map(str, sorted(choice))) or 'nothing'}"
    return f"score {choice}"


def describe_rules(rules: Ruleset) -> list[str]:
    sentences = [
        f"A game has {len(rules.categories)} turns with {rules.dice} dice. Each turn has "
        f"{rules.throws} rolls; after each but the last you may keep any dice and roll the "
        "others again. A turn ends when you fill one empty box, which you may do after any roll. "
        "If the dice do not show what the box asks for, it gets 0.",
        f"If the upper boxes hold at least {rules.bonus_threshold} points, there is a bonus of "
        f"{rules.bonus_points} points.",
    ]
    for category in rules.categories:
        size = category.size
        wanted = {
            "faces": f"all dice that show {size}",
            "of_a_kind": f"{size} dice of one face",
            "two_pairs": "two pairs of different faces",
            "three_pairs": "three pairs of different faces",
            "straight_from": f"{size} to {size + 4} in a row",
            "run_of": f"{size} faces in a row",
            "full_house": "three of one face and two of another",
            "villa": "three of one face and three of another",
            "tower": "four of one face and two of another",
            "any": "any dice",
        }[category.pattern]
        if category.points is not None:
            points = f"{category.points} points"
        else:
            points = f"the sum of {'all dice' if category.counts_every_die else 'those dice'}"
        sentences.append(f"{category.id}: {wanted}; {points}.")
    if rules.stock:
        sentences.append("Rolls that a turn does not use are saved for later turns.")
    if joker := rules.joker:
        forced = (
            "It must fill the upper box of its face if that is empty, else an empty lower box, "
            "else any empty box, for 0."
            if joker.policy == "forced"
            else "It may fill any empty box."
        )
        scored = [f"{c.id} {c.joker_points}" for c in rules.categories if c.joker_points]
        sentences.append(
            f"Once {joker.box} is filled, dice that all show one face are a joker. {forced} If the "
            "upper box of its face is filled, it also gets the full points of these boxes: "
            f"{', '.join(scored) or 'none'}. Each joker after {joker.box} was filled with points "
            f"brings {joker.chip} points more."
        )
    return sentences


@dataclass(frozen=True, slots=True)
class Graded:
    """A position of the benchmark; ``values`` maps the name of each option to its value."""

    id: str
    state: State
    rolls_left: int
    strength: str
    decisions: int
    options: Mapping[str, float]

    @property
    def turn(self) -> int:
        return self.state.turn + 1

    @property
    def kind(self) -> str:
        """The kind of decision: ``box`` if no option is a hold, else such as ``hold, 2 left``."""
        holds = any(name.startswith("hold ") for name in self.options)
        return f"hold, {self.rolls_left} left" if holds else "box"

    @property
    def best_box(self) -> str:
        """The id of the best box, or "" if an option is a hold."""
        best = max(self.options, key=self.options.__getitem__)
        return best.removeprefix("score ") if self.kind == "box" else ""

    @property
    def best(self) -> float:
        return max(self.options.values())

    @property
    def worst_cost(self) -> float:
        return self.best - min(self.options.values())


@dataclass(frozen=True)
class GradedPositions:
    rules: Ruleset
    value: float  # expected score of perfect play
    points_lost: Mapping[str, float]  # per game, the mean of the players of each strength
    positions: Mapping[str, Graded]


def read(path: Path) -> GradedPositions:
    raw = path.read_bytes()
    try:
        text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode()
        heading, *lines = [json.loads(line) for line in text.splitlines()]
        rules = SOLVED[heading["ruleset"]]
        positions = []
        for line in lines:
            left, stock = line["rolls_left"], line.get("stock", 0)
            points = [line["card"].get(category.id) for category in rules.categories]
            # A filled box has points, but the file does not have its dice.
            boxes = tuple(None if number is None else Box(number, ()) for number in points)
            dice = tuple(line["dice"])
            state = State(rules, boxes=boxes, throws_left=left + stock, dice=dice, stock=stock)
            facts = left, line["strength"], line["decisions"], line["options"]
            positions.append(Graded(line["id"], state, *facts))
        strengths = heading["strengths"]
        key = "points_lost_per_game"
        losses = {name: float(figures[key]) for name, figures in strengths.items()}
        value = float(heading["value_of_a_game"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadPositions(f"{path} is no file of positions: {error!r}") from None
    if heading["rules_hash"] != rules.hash:
        raise BadPositions(f"{path} was made for other rules of {rules.id}")
    return GradedPositions(rules, value, losses, {graded.id: graded for graded in positions})


def format_answers(agent: Agent, graded: GradedPositions, seed: int) -> Iterator[str]:
    rng = np.random.default_rng(seed)
    for position in graded.positions.values():
        action = agent.choose(position.state, rng)
        name = (
            _format_option("hold", action.kept(position.state.dice))
            if isinstance(action, Hold)
            else _format_option("score", action.category)
        )
        yield json.dumps({"id": position.id, "answer": name})


def find_shipped_file(ruleset: str) -> Path:
    return SHIPPED / f"{ruleset}.jsonl.gz"


def find_matching_file(lines: Sequence[str]) -> Path:
    """Return the included file with the answers' positions. Raise BadPositions if none matches."""
    for line in lines:
        try:
            ruleset = str(json.loads(line)["id"]).rpartition("-")[0]
        except (ValueError, KeyError, TypeError):
            continue
        if ruleset in SOLVED and find_shipped_file(ruleset).exists():
            return find_shipped_file(ruleset)
    known = ", ".join(sorted(path.name.partition(".")[0] for path in SHIPPED.glob("*.gz")))
    raise BadPositions(
        f"no answer has the id of a position that comes with the program ({known}): name the file "
        "with --positions"
    )


@dataclass
class ScoreSheet:
    """Graded answers. ``costs`` has the cost by position id. ``problems`` has tuples: line number
    (0 for a missing answer), position id, message."""

    graded: GradedPositions
    costs: dict[str, float] = field(default_factory=dict)
    problems: list[tuple[int, str, str]] = field(default_factory=list)

    def facts(self) -> dict[str, Any]:
        positions = list(self.graded.positions.values())
        losses = {
            name: _calculate_mean_and_margin(
                [p.decisions * self.costs[p.id] for p in positions if p.strength == name]
            )
            for name in self.graded.points_lost
        }
        known = self.graded.points_lost
        nearest = min(losses, key=lambda name: abs(log((losses[name][0] + 1) / (known[name] + 1))))
        loss, half = losses[nearest]
        average = self.graded.value - loss
        return {
            "ruleset": self.graded.rules.id,
            **self._make_regret_facts(positions),
            "problems": [
                {"line": line or None, "id": key, "problem": what}
                for line, key, what in self.problems
            ],
            "best_answers": sum(self.costs[p.id] < 10**-DIGITS for p in positions),
            "average_score": average,
            "average_score_range": [average - half, min(self.graded.value, average + half)],
            "nearest_strength": nearest,
            "points_lost_per_game": {name: mean for name, (mean, _) in losses.items()},
            "regret_by_turn": self._average_regret_by(positions, "turn"),
            "regret_by_kind": self._average_regret_by(positions, "kind"),
            "regret_by_best_box": self._average_regret_by(positions, "best_box"),
        }

    def _average_regret_by(
        self, positions: Sequence[Graded], part: str
    ) -> dict[str, dict[str, Any]]:
        """Return the mean regret per value of an attribute; skip positions that lack it."""
        groups: dict[Any, list[Graded]] = {}
        for position in positions:
            if key := getattr(position, part):
                groups.setdefault(key, []).append(position)
        return {str(key): self._make_regret_facts(groups[key]) for key in sorted(groups)}

    def _make_regret_facts(self, positions: Sequence[Graded]) -> dict[str, Any]:
        middle, wide = _calculate_mean_and_margin([self.costs[p.id] for p in positions])
        ends = [max(0.0, middle - wide), middle + wide]
        return {"positions": len(positions), "mean_regret": middle, "mean_regret_range": ends}


def _calculate_mean_and_margin(costs: Sequence[float]) -> tuple[float, float]:
    return mean(costs), WIDE * stdev(costs) / sqrt(len(costs)) if len(costs) > 1 else 0.0


def grade_answers(graded: GradedPositions, lines: Iterable[str]) -> ScoreSheet:
    """Grade answers. A missing, repeated or illegal answer costs as much as the worst option."""
    result, answered = ScoreSheet(graded), dict[str, int]()
    for number, key, answer, wrong in _parse_answers(lines):
        position = graded.positions.get(key)
        if wrong:
            result.problems.append((number, key, wrong))
        if position is None:
            if not wrong:
                result.problems.append((number, key, "no position has this id"))
            continue
        if key in answered:
            what = f"answered twice, first in line {answered[key]}"
            result.problems.append((number, key, what))
            result.costs[key] = position.worst_cost
            continue
        answered[key] = number
        value = position.options.get(answer)
        if value is None and not wrong:
            result.problems.append((number, key, f"{answer!r} is no legal option here"))
        result.costs[key] = position.worst_cost if value is None else position.best - value
    if not answered:
        raise BadPositions("no line answers any of the positions")
    for key, position in graded.positions.items():
        if key not in answered:
            result.problems.append((0, key, "no answer"))
            result.costs[key] = position.worst_cost
    return result


def _parse_answers(lines: Iterable[str]) -> Iterator[tuple[int, str, str, str]]:
    """Yield (line number, position id, option name, problem) for each answer; "" if no problem."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            facts = json.loads(line)
            key = str(facts["id"])
        except (ValueError, KeyError, TypeError):
            yield number, "", "", 'not JSON with an "id" and an "answer"'
            continue
        yield number, key, *parse_option(facts)


def parse_option(facts: Mapping[str, Any]) -> tuple[str, str]:
    """Return the option's name and "". For a faulty answer, return "" and what is wrong with it."""
    if "action" in facts:  # the format of `advise --json` and of the web API
        choice = facts.get("dice") if facts["action"] == "hold" else facts.get("category")
        if isinstance(choice, list):
            choice = " ".join(map(str, choice))
        answer = f"{facts['action']} {choice}"
    else:
        answer = str(facts.get("answer", ""))
    action, _, choice = " ".join(answer.lower().replace(",", " ").split()).partition(" ")
    if action == "score" and choice:
        return f"score {choice.replace(' ', '_')}", ""
    if action == "hold":
        dice = "" if choice == "nothing" else choice.replace(" ", "")
        if all(die in "123456" for die in dice):
            return _format_option("hold", [int(die) for die in dice]), ""
    return "", f"{answer!r} is neither a hold nor a score"
