"""The tables, read; and games played again from their decisions, by the rules in ``rules.json``."""

import csv
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Row = dict[str, Any]
NUMBERS = {
    *(
        "game",
        "seq",
        "turn",
        "throws_left",
        "stock",
        "upper_total",
        "points",
        "chips",
        "best_value",
        "value",
    ),
    *("regret", "luck", "score", "bonus", "free_decisions", "games_planned", "given"),
}
LEDGER = 0.01  # points by which a ledger may be off; more, and not all of a game was judged
TIE = 1e-9


def read(folder: Path, table: str) -> "Iterator[Row]":
    """Numbers and truths as such, an empty cell as None."""
    paths = [folder / f"{table}.csv", *folder.glob(f"data/*_description-{table}_data.csv")]
    path = next(path for path in paths if path.exists())
    with path.open(encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file):
            yield {name: _cell(name, text) for name, text in row.items()}


def told(folder: Path, name: str) -> Any:
    return json.loads((folder / name).read_text(encoding="utf-8"))


def _cell(name: str, text: str) -> Any:
    if text == "":
        return None
    if name in NUMBERS:
        return float(text)
    return {"true": True, "false": False}.get(text, text)


class Replay:
    """A game from its decisions: its card, and what in its rows contradicts the rules."""

    def __init__(self, rules: Row) -> None:
        self.rules = rules
        self.boxes = {box["id"]: place for place, box in enumerate(rules["boxes"])}
        self.card: dict[str, int] = {}
        self.chips = 0
        self.throws: float = rules["throws"]  # that the turn began with: its own, and saved ones
        self.last: Row = {}
        self.faults: list[str] = []

    @property
    def upper(self) -> int:
        return sum(self.card.get(box["id"], 0) for box in self.rules["boxes"] if box["face"])

    @property
    def bonus(self) -> int:
        return self.rules["bonus_points"] if self.upper >= self.rules["bonus_threshold"] else 0

    @property
    def points(self) -> int:
        return sum(self.card.values()) + self.chips

    @property
    def total(self) -> int:
        return self.points + self.bonus

    def take(self, row: Row) -> None:
        self._check(row)
        if row["kind"] == "score":
            self._score(row)
        self.last = row

    def _check(self, row: Row) -> None:
        card = {"upper_total": self.upper, "points": self.points, "chips": self.chips}
        for name, value in card.items():
            if row[name] != value:
                self._fault(row, f"{name} is {row[name]:g}, the decisions before make it {value}")
        if row["turn"] != len(self.card) + 1:
            self._fault(row, "it is another turn")
        same_turn = self.last.get("kind") == "hold"
        before = self.last["throws_left"] if same_turn else self.throws
        if row["throws_left"] != before - 1:
            self._fault(row, "the decision before it is missing")
        if row["stock"] != self._stock(row):
            self._fault(row, "another number of throws was saved")
        if self.held and not _all_in(self.held, row["dice"]):
            self._fault(row, f"{self.held} was held, and is not among {row['dice']}")
        judged = [row[name] for name in ("best_value", "value", "regret")]
        if None not in judged:
            best, value, regret = judged
            if abs(max(0.0, best - value) - regret) > TIE:
                self._fault(row, "regret is not best_value less value")
            if regret < TIE and row["best_choice"] != row["choice"]:
                self._fault(row, "best_choice is another, though nothing was lost")

    def _stock(self, row: Row) -> "float | None":
        """Return the saved rolls; a turn's own rolls are used first."""
        saved = self.throws - self.rules["throws"]
        return min(saved, row["throws_left"]) if self.rules["stock"] else None

    @property
    def held(self) -> str:
        """The dice that the previous decision of the same turn held."""
        choice = self.last.get("choice", "none") if self.last.get("kind") == "hold" else "none"
        return "" if choice == "none" else choice

    def thrown(self, row: Row) -> "Counter[str]":
        """Return the dice that fell before a decision: those that were not held."""
        dice: str = row["dice"]
        return Counter(dice) - Counter(self.held)

    def kind(self, row: Row) -> str:
        """Return the kind of a decision as the results name it."""
        made, own = self.throws - row["throws_left"], self.rules["throws"]
        if row["kind"] == "score":
            return "early" if made < own else "box"
        if row["choice"] == "none":
            return "none"
        if len(row["choice"]) == len(row["dice"]):
            return "all"
        return "first_hold" if made == 1 else "second_hold"

    def _score(self, row: Row) -> None:
        self.throws = self.rules["throws"] + min(row["throws_left"], self.rules["stock"])
        box, dice = row["choice"], row["dice"]
        if box in self.card or box not in self.boxes:
            self._fault(row, f"{box} is no open box")
            return
        points, joker = self.rules["points"][dice][self.boxes[box]], self.rules["joker"]
        if joker and len(set(dice)) == 1 and joker["box"] in self.card:
            own = next(one["id"] for one in self.rules["boxes"] if one["face"] == int(dice[0]))
            instead = self.rules["boxes"][self.boxes[box]]["joker_points"]
            points = points if own not in self.card or instead is None else instead
            self.chips += joker["chip"] if self.card[joker["box"]] else 0
        self.card[box] = points

    def _fault(self, row: Row, text: str) -> None:
        self.faults.append(f"decision {name_of(row)} {row['seq']:g}: {text}")


def name_of(row: Row) -> str:
    return f"{row['participant']} {row['game']:g}"


def _all_in(held: str, dice: str) -> bool:
    return not Counter(held) - Counter(dice)


def played(folder: Path) -> "tuple[list[Row], list[str]]":
    """Every game with its replay and what its decisions come to, and what contradicts them.

    A decision is not kept: there may be millions of them.
    """
    rules, games = told(folder, "rules.json"), list(read(folder, "games"))
    by_name = {name_of(game): game for game in games}
    for game in games:
        game["replay"], game["made"] = Replay(rules[game["ruleset"]]), GameSums()
    strangers = []
    for row in read(folder, "decisions"):
        if name_of(row) not in by_name:
            strangers.append(f"decision {name_of(row)} {row['seq']:g}: there is no such game")
            continue
        game = by_name[name_of(row)]
        game["made"].add(row, game["replay"])
        game["replay"].take(row)
    faults = [fault for game in games for fault in game["replay"].faults]
    return games, strangers + faults


class GameSums:
    """The sums of a game's decisions, by kind or by the box of the turn: their number and cost."""

    def __init__(self) -> None:
        self.decisions = self.judged = self.free = 0
        self.cost = self.luck = 0.0
        self.kinds: dict[str, list[float]] = {}
        self.choices: dict[str, list[float]] = {}  # where there was something to choose
        self.boxes: dict[str, list[float]] = {}
        self.turn = [0.0, 0.0]
        self.thrown: Counter[str] = Counter()
        self.fallen: Counter[tuple[int, str]] = Counter()  # of real dice, by place

    def add(self, row: Row, before: Replay) -> None:
        self.decisions += 1
        self.thrown += before.thrown(row)
        self.fallen.update(enumerate(row["fallen"] or "", start=1))
        if row["regret"] is not None:
            self._judge(row, before.kind(row))
        if row["kind"] == "score":
            if self.turn[0]:
                _add(self.boxes, row["choice"], *self.turn)
            self.turn = [0.0, 0.0]

    def _judge(self, row: Row, kind: str) -> None:
        cost = row["regret"]
        self.judged += 1
        self.cost += cost
        self.luck += row["luck"]
        self.turn = [self.turn[0] + 1, self.turn[1] + cost]
        _add(self.kinds, kind, 1, cost)
        if not row["forced"]:
            self.free += 1
            _add(self.choices, kind, 1, cost)


def _add(costs: "dict[str, list[float]]", name: str, decisions: float, cost: float) -> None:
    known = costs.setdefault(name, [0, 0.0])
    known[0] += decisions
    known[1] += cost


def sums(game: Row) -> "dict[str, float | None]":
    """Return what the row of a finished game should contain."""
    replay, made = game["replay"], game["made"]
    told_of = {"score": replay.total, "bonus": replay.bonus, "chips": replay.chips}
    if game["regret"] is None:
        return told_of
    return {**told_of, "regret": made.cost, "luck": made.luck, "free_decisions": made.free}


def is_judged(game: Row, start: "float | None") -> bool:
    if start is None or game["regret"] is None or game["luck"] is None:
        return False
    return bool(abs(start + game["luck"] - game["regret"] - game["score"]) <= LEDGER)
