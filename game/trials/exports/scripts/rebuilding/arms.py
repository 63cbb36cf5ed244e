"""The figures of a trial with arms: anyone who was given an arm is one value of it."""

from collections import Counter
from math import comb
from statistics import fmean, pvariance
from typing import Any

from rebuilding.figures import SKIPPED
from rebuilding.games import Row
from rebuilding.model import known_before, least_squares, model
from rebuilding.statistics import interval, wilson

PHASES = ("before", "training", "after", "follow_up")
MEASURES = ("cost_a_decision", "cost", "score")
LEAST_PEOPLE = 2  # of an arm, for the lot to compare it
Values = dict[str, "list[float]"]  # of people: a value a game


class Arms:
    """The allocation and the games; ``told`` is the part ``arms`` of the results."""

    def __init__(self, games: "list[Row]", tables: "dict[str, list[Row]]", told: Row) -> None:
        design = told["design"]
        self.names = list(design["arms"])
        self.within, self.shared = design["within"], design["shared_dice"]
        self.outcome, self.told = design["outcome"], told
        self.arms, self.people = tables["arms"], tables["participants"]
        self.stratum_of = {one["participant"]: one["stratum"] or "" for one in self.people}
        self.arm_of = {one["participant"]: one["arm_order"] or "" for one in self.people}
        self.games = sorted(games, key=lambda game: game["game"])
        self.finished = [game for game in self.games if game["finished"] and game["phase"]]

    def means(self, phase: str, measure: str) -> "dict[str, float]":
        return {who: fmean(of) for who, of in self.values(phase, measure).items()}

    def values(self, phase: str, measure: str) -> Values:
        found: Values = {}
        for game in (one for one in self.finished if one["phase"] == phase):
            value = _measured(game, measure)
            if value is not None:
                found.setdefault(game["participant"], []).append(value)
        return found

    def drawn(self, part: str, **which: str) -> "set[str]":
        """Return the arms of a row of the results whose people the lot might have dealt otherwise.

        The results have to say so, for only the sealed list knows its blocks.
        """
        rows = [row for row in self.told[part] if which.items() <= row.items()]
        pairs = [pair for row in rows for pair in row.get("comparisons", [row])]
        return {pair["arm"] for pair in pairs if pair["lot"] is not None}

    def of_arm(self, arm: str, values: "dict[str, float]") -> "list[float]":
        return [value for who, value in values.items() if not arm or self.arm_of[who] == arm]


def arm_figures(of: Arms, follow_up: int) -> Row:
    """On shared dice, and where everybody plays every arm, people are not so simply compared."""
    plain = not of.shared and not of.within
    found: dict[str, Any] = {"dropouts": {"arms": []}}
    if not of.within and of.names != [""]:
        found["dropouts"] = _dropouts(of, follow_up)
    if plain:
        found["phases"] = [
            {"phase": phase, "measure": measure, **_in_phase(of, phase, measure)}
            for phase in PHASES
            for measure in MEASURES
            if any(game["phase"] == phase for game in of.finished)
        ]
        found["main"] = _main(of, found["phases"])
        found["usual"] = _usual(of, found["main"])
    return found


def _measured(game: Row, measure: str) -> "float | None":
    if measure == "score":
        return float(game["score"])
    made = game["made"]
    if not made.free or made.judged < made.decisions:
        return None
    cost: float = made.cost
    return cost if measure == "cost" else cost / made.free


def _main(of: Arms, phases: "list[Row]") -> "Row | None":
    wanted = (of.outcome, MEASURES[0])
    return next((one for one in phases if (one["phase"], one["measure"]) == wanted), None)


def _usual(of: Arms, main: "Row | None") -> Any:
    """Return the main difference by the usual estimand."""
    if main is None or of.told["usual"] is None:
        return SKIPPED
    names, pairs = ("arm", "beside", "people", "means"), []
    for one in main["comparisons"]:
        estimate = SKIPPED if one["lot"] == SKIPPED else one["difference"]
        pairs.append({name: one[name] for name in names} | {"estimate": estimate})
    return {"people": sum(one["people"] for one in main["arms"]), "pairs": pairs}


def _in_phase(of: Arms, phase: str, measure: str) -> Row:
    before = of.means("before", measure) if phase != "before" else {}
    drawn = of.drawn("phases", phase=phase, measure=measure)
    found = _beside(of, of.values(phase, measure), before, drawn)
    return found | {"comparisons": []} if phase == "before" else found  # nobody had an arm yet


def _beside(of: Arms, values: Values, before: "dict[str, float]", drawn: "set[str]") -> Row:
    """Each arm alone, and every further one beside the first."""
    means = {who: fmean(own) for who, own in values.items()}
    arms = []
    for arm in of.names:
        own = of.of_arm(arm, means)
        games = sum(len(values[who]) for who in means if not arm or of.arm_of[who] == arm)
        mean = fmean(own) if own else 0.0
        facts = {"arm": arm, "people": len(own), "games": games, "mean": mean}
        arms.append(facts | {"interval": interval(own)})
    return {"arms": arms, "comparisons": list(_pairs(of, values, before, drawn))}


def _pairs(of: Arms, values: Values, before: "dict[str, float]", drawn: "set[str]") -> Any:
    """Every further arm beside the first; the difference is the lot's, where there was one."""
    counts = Counter(of.arm_of[who] for who in values)
    dealt = [arm for arm in of.names if counts[arm] >= LEAST_PEOPLE]
    by_lot = _by_lot(dealt, of, values, before) if drawn else {}
    for arm in of.names[1:]:
        pair = _pair(arm, of, values, before)
        if pair and arm in drawn:
            found = {"difference": by_lot[arm]}
            yield pair | found | {"lot": found}
        elif pair:
            yield pair | {"lot": SKIPPED}


def _by_lot(
    arms: "list[str]", of: Arms, values: Values, before: "dict[str, float]"
) -> "dict[str, Any]":
    """Every further one of these arms beside the first, as the randomisation test takes it."""
    people = [who for who in values if of.arm_of[who] in arms]
    given = [[float(of.arm_of[who] == arm) for who in people] for arm in arms[1:]]
    columns = [[1.0] * len(people), *given, *known_before(people, of.stratum_of, before)]
    fit = least_squares([fmean(values[who]) for who in people], columns)
    return {arm: fit[at] if fit else SKIPPED for at, arm in enumerate(arms[1:], start=1)}


def _pair(arm: str, of: Arms, values: Values, before: "dict[str, float]") -> "Row | None":
    names = (arm, of.names[0])
    people = [who for who in values if of.arm_of[who] in names]
    means = {who: fmean(values[who]) for who in people}
    ones, others = (of.of_arm(name, means) for name in names)
    if not ones or not others:
        return None
    treated = [float(of.arm_of[who] == arm) for who in people]
    columns = [[1.0] * len(people), treated, *known_before(people, of.stratum_of, before)]
    games = [len(values[who]) for who in people]
    found = model(list(means.values()), games, _noise(values), columns)
    middle = [fmean(ones), fmean(others)]
    alone = {"difference": middle[0] - middle[1], "model": None, "test": None}
    about = {"arm": arm, "beside": names[1], "people": [len(ones), len(others)], "means": middle}
    return about | (found or alone)


def _noise(values: Values) -> float:
    """Return the variance of games about their person's mean."""
    spare = sum(map(len, values.values())) - len(values)
    return sum(pvariance(own) * len(own) for own in values.values()) / spare if spare else 0.0


def _dropouts(of: Arms, follow_up: int) -> Row:
    """Return the dropouts of everyone who was assigned an arm, including withdrawn people."""
    played = [game for game in of.games if game["phase"] != "follow_up"]
    began = {game["participant"] for game in played}
    counted = Counter(game["participant"] for game in played if game["finished"])
    planned = {one["participant"]: one["games_planned"] - follow_up for one in of.people}
    rows = []
    for arm in of.arms:
        here = {who for who, name in of.arm_of.items() if name == arm["arm"]}
        ended = {who for who in here if counted[who] >= planned[who]}
        given, lost = int(arm["given"]), int(arm["given"]) - len(ended)
        about = {"arm": arm["arm"], "given": given, "began": len(here & began), "ended": len(ended)}
        share = {"share_lost": lost / given if given else None, "lost_range": wilson(lost, given)}
        rows.append(about | share)
    return {
        "arms": rows,
        "p": _uneven([(one["given"], one["given"] - one["ended"]) for one in rows]),
    }


def _uneven(arms: "list[tuple[int, int]]") -> Any:
    """Fisher's exact test of two arms; of more, the program draws lots."""
    people, lost = sum(given for given, _lost in arms), sum(gone for _given, gone in arms)
    if sum(given > 0 for given, _lost in arms) < 2 or not 0 < lost < people:
        return None
    if len(arms) > 2:
        return SKIPPED
    (one, seen), (other, _gone) = arms
    least, most = max(0, lost - other), min(one, lost)
    ways = {n: comb(one, n) * comb(other, lost - n) for n in range(least, most + 1)}
    return sum(way for way in ways.values() if way <= ways[seen]) / comb(people, lost)
