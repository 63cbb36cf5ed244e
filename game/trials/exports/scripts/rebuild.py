"""Works the figures of the results out again from the tables, and compares them.

    python rebuild.py [FOLDER]

Python 3.10 or later, with nothing besides. It plays every game again from ``decisions.csv`` by the
rules in ``rules.json``, works out from these games what ``statistics.json`` tells, and ends with 0
where all of it agrees. Where anything does not, it ends with 1 and names it. Figures that it does
not work out are named too: "not rebuilt".
"""

import re
import sys
from collections import Counter
from math import isclose
from pathlib import Path
from typing import Any

from rebuilding.arms import Arms, arm_figures
from rebuilding.dice import dice
from rebuilding.figures import SKIPPED, CountedGames, figures
from rebuilding.games import Row, name_of, played, read, sums, told
from rebuilding.planned import planned_figures

CLOSE = 1e-9  # of a figure, by which two ways of adding up may differ
SEARCHED = 1e-6  # the same where it was searched for, step by step
GIVEN = {"versions", "conditions", "trial", "made_at"}  # what was set, and not found out
# By what rows of a list are known again; without any of these they are by their place.
KNOWN_BY = (
    "participant",
    "id",
    "name",
    "phase",
    "measure",
    "arm",
    "beside",
    "number",
)
Named = dict[str, Any]


def flat(facts: Any, path: str = "") -> Named:
    """Every figure, and every place where there is none, by its name."""
    if isinstance(facts, dict):
        parts = {f"{path}.{key}" if path else str(key): one for key, one in facts.items()}
    elif isinstance(facts, list | tuple):
        parts = {f"{path}[{key}]": one for key, one in zip(_keys(facts), facts, strict=True)}
    else:
        return {path: facts}
    return {name: value for key, one in parts.items() for name, value in flat(one, key).items()}


def _keys(rows: Any) -> "list[str]":
    found = [",".join(str(row[name]) for name in KNOWN_BY if _names(row, name)) for row in rows]
    unique = all(found) and len(set(found)) == len(found)
    return found if unique else [str(place) for place in range(len(found))]


def _names(row: Any, name: str) -> bool:
    return isinstance(row, dict) and isinstance(row.get(name), str | int)


def _to_be_played(people: "list[Row]", finished: "list[Row]") -> int:
    """Count the games to be played; people who were ruled out count only the games before that."""
    gone = {one["participant"] for one in people if one["screened_out_at"] is not None}
    stayed: int = sum(one["games_planned"] for one in people if one["participant"] not in gone)
    return stayed + sum(game["participant"] in gone for game in finished)


def rebuilt(games: "list[Row]", tables: "dict[str, list[Row]]", results: Row) -> Row:
    finished = [game for game in games if game["finished"]]
    alike = _alike(tables["arms"], results["trial"])
    counted = [game for game in finished if game["arm"] is None or game["arm"] in alike]
    sample = CountedGames(counted, results)
    planned = _to_be_played(tables["participants"], finished)
    found: Row = figures(sample) | {
        "dice": dice(sample, results),
        "taking_part": {
            "joined": len(tables["participants"]),
            "planned": planned,
            "games_planned": planned,
            "elsewhere": len(finished) - len(counted),
        },
    }
    if results["arms"] is not None:
        of = Arms(games, tables, results["arms"])
        found["arms"] = arm_figures(of, results["conditions_of_play"]["games_follow_up"])
    if results["planned"] is not None:
        found["planned"] = _planned(counted, results)
    return found


def _alike(arms: "list[Row]", trial: Row) -> "set[str]":
    """Arms that play the trial's own game; others are no part of its figures."""
    names = ("ruleset", "dice", "shared_dice")
    return {arm["arm"] for arm in arms if all(arm[name] == trial[name] for name in names)}


def _planned(counted: "list[Row]", results: Row) -> Row:
    """Return the figures after the planned exclusions."""
    planned = results["planned"]
    gone = {who for rule in planned["left_out"] for who in rule["people"]}
    sample = CountedGames([game for game in counted if game["participant"] not in gone], results)
    found = planned_figures(sample, planned["outcome"])
    rows = [
        {"name": one["name"], "finding": {"figures": found.get(one["name"], {})}}
        for one in planned["analyses"]
        if one["finding"]["figures"]
    ]
    return {"games": len(sample.games), "analyses": rows}


def differences(expected: Named, found: Named) -> "list[str]":
    """Figures that are others, or are not there, by their names."""
    told = []
    for name, value in found.items():
        if name not in expected:
            told.append(f"{name}: it is not in the results")
        elif not same(expected[name], value, SEARCHED if ".comparisons[" in name else CLOSE):
            told.append(f"{name}: the results say {expected[name]}, the tables {value}")
    return told


def same(one: Any, other: Any, close: float) -> bool:
    if isinstance(one, int | float) and isinstance(other, int | float):
        return isclose(one, other, rel_tol=close, abs_tol=close)
    return bool(one == other)


def of_games(games: "list[Row]") -> "tuple[Named, Named]":
    """Return the figures that the rows of finished games state, and those calculated from
    decisions."""
    expected, found = {}, {}
    for game in (one for one in games if one["finished"]):
        for name, value in sums(game).items():
            expected[f"game {name_of(game)} {name}"] = game[name]
            found[f"game {name_of(game)} {name}"] = value
    return expected, found


def is_figure(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def not_rebuilt(expected: Named, found: Named) -> "list[str]":
    """Each once, however many people, games or arms there are of it."""
    left = [name for name, value in expected.items() if is_figure(value) and name not in found]
    counts = Counter(re.sub(r"\[[^]]*\]", "[]", name) for name in left)
    return [
        f"not rebuilt: {name} ({n})" if n > 1 else f"not rebuilt: {name}"
        for name, n in counts.items()
    ]


def main(folder: Path) -> int:
    results = told(folder, "statistics.json")
    results["conditions_of_play"] = told(folder, "dataset_description.json")["trial"]
    games, faults = played(folder)
    tables = {name: list(read(folder, name)) for name in ("participants", "arms")}
    found = {k: v for k, v in flat(rebuilt(games, tables, results)).items() if v != SKIPPED}
    del results["conditions_of_play"]
    expected = flat({name: part for name, part in results.items() if name not in GIVEN})
    ledgers, again = of_games(games)
    faults += differences(ledgers, again) + differences(expected, found)
    for line in (*not_rebuilt(expected, found), *faults):
        print(line)
    compared = sum(is_figure(value) for name, value in expected.items() if name in found)
    left = sum(is_figure(value) for name, value in expected.items() if name not in found)
    decisions = sum(game["made"].decisions for game in games)
    print(f"{decisions} decisions of {len(games)} games replayed, {len(again)} sums of games and")
    print(f"{compared} figures compared, {left} not rebuilt, {len(faults)} do not agree.")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent)))
