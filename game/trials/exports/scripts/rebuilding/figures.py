"""The figures of all games together: scores, costs, luck, learning, everybody's own."""

from collections import Counter
from math import sqrt
from statistics import fmean, median, stdev
from typing import Any

from rebuilding.games import Row, is_judged
from rebuilding.statistics import (
    interval,
    less,
    normal_p,
    slope,
    stratified,
    t_test,
)

FLAWLESS = 1e-9  # points that a game without a mistake costs, in rounding
SKIPPED = "left to the program"  # a figure that these scripts do not work out
Games = dict[int, float]  # of one person: a value a game, by the game's number


class CountedGames:
    """The finished games of people, by person and in the order of play."""

    def __init__(self, games: "list[Row]", told: Row) -> None:
        conditions = told["conditions"]
        self.start, self.deviation = conditions["value_start"], conditions["deviation"]
        self.shared, self.sittings = conditions["shared_dice"], told["sessions"] is not None
        self.perfect = {int(n): score for n, score in conditions["perfect"].items()}
        self.people: dict[str, list[Row]] = {}
        for game in sorted(games, key=lambda game: game["game"]):
            self.people.setdefault(game["participant"], []).append(game)
        self.games = [game for own in self.people.values() for game in own]

    @property
    def simple(self) -> bool:
        """Games are independent: neither dice nor sittings make them hang together."""
        return not self.shared and not self.sittings

    def judged(self) -> "list[Row]":
        return [game for game in self.games if is_judged(game, self.start)]

    def values(self, name: str) -> "list[Games]":
        """Return values; cost and luck only of judged games."""
        every = name == "score"
        return [
            {int(one["game"]): one[name] for one in own if every or is_judged(one, self.start)}
            for own in self.people.values()
        ]

    def of_these(self, name: str, *, each: bool = False) -> Any:
        groups = [list(own.values()) for own in self.values(name)]
        return stratified(groups, each=each) if self.simple else SKIPPED

    def of_others(self, name: str) -> Any:
        """Return the interval of people like these."""
        if self.shared:
            return SKIPPED
        return interval([fmean(own.values()) for own in self.values(name) if own])


def figures(sample: CountedGames) -> "dict[str, Any]":
    games = sample.games
    raw, cost = _estimate(sample, "score"), _estimate(sample, "regret")
    skill = _skill(sample.start, cost) if cost else None
    scores = [game["score"] for game in games]
    return {
        "games": len(games),
        "judged": len(sample.judged()),
        "people": [_person(own, sample) for own in sample.people.values()],
        "scores": _scores(scores),
        "occurrences": [[score, n] for score, n in sorted(Counter(scores).items())],
        "tens": list(_tens(scores)),
        "bonus_share": _share_of_bonus(games),
        "chips": fmean(game["chips"] for game in games) if games else None,
        "raw": raw,
        "raw_against_perfect": against_known(sample),
        "skill": skill,
        "narrower": _narrower(raw, skill, "these_people"),
        "narrower_like_these": _narrower(raw, skill, "people_like_these"),
        "lost": lost_of(sample),
        "luck": _luck(sample),
        "learning": _learning(sample),
        "lost_by_kind": habits(sample.judged(), "kinds"),
        "lost_by_box": habits(sample.judged(), "boxes"),
    }


def _scores(scores: "list[float]") -> Any:
    if not scores:
        return None
    most, least = max(scores), min(scores)
    found = {"mean": fmean(scores), "median": median(scores), "most": most, "least": least}
    return {**found, "range": most - least, "deviation": _deviation(scores)}


def _deviation(values: "list[float]") -> "float | None":
    return stdev(values) if len(values) > 1 else None


def _tens(scores: "list[float]") -> Any:
    counts, so_far = Counter(int(score) // 10 for score in scores), 0
    for ten in range(min(counts, default=0), max(counts, default=-1) + 1):
        so_far += counts[ten]
        shares = {"share": counts[ten] / len(scores), "up_to_here": so_far / len(scores)}
        yield {"low": 10 * ten, "count": counts[ten], **shares}


def _share_of_bonus(games: "list[Row]") -> "float | None":
    return sum(game["bonus"] > 0 for game in games) / len(games) if games else None


def _flat(people: "list[Games]") -> "list[float]":
    return [value for own in people for value in own.values()]


def _estimate(sample: CountedGames, name: str) -> "dict[str, Any] | None":
    people = sample.values(name)
    if not _flat(people):
        return None
    return {
        "mean": fmean(_flat(people)),
        "of_people": fmean(fmean(own.values()) for own in people if own),
        "these_people": sample.of_these(name),
        "these_people_alike": sample.of_these(name, each=True),
        "people_like_these": sample.of_others(name),
    }


def _skill(start: float, cost: "dict[str, Any]") -> "dict[str, Any]":
    means = {name: start - cost[name] for name in ("mean", "of_people")}
    ranges = {name: found for name, found in cost.items() if name not in means}
    return means | {
        name: SKIPPED if found == SKIPPED else less(start, found) for name, found in ranges.items()
    }


def _narrower(raw: Any, skill: Any, name: str) -> Any:
    if not raw or not skill or not raw[name] or not skill[name]:
        return None
    if SKIPPED in (raw[name], skill[name]):
        return SKIPPED
    wide, narrow = (one[name]["high"] - one[name]["low"] for one in (raw, skill))
    return wide / narrow


def against_known(sample: CountedGames) -> Any:
    """Return the mean score as one of perfect play; on shared dice, different dice are counted."""
    games, deviation = len(sample.games), sample.deviation
    if not games or sample.start is None or not deviation:
        return None
    times = Counter(game["game"] for game in sample.games) if sample.shared else {}
    independent = games**2 / sum(n * n for n in times.values()) if times else games
    mean = fmean(game["score"] for game in sample.games)
    z = (mean - sample.start) / (deviation / sqrt(independent))
    return {"statistic": z, "p": normal_p(z), "degrees": None}


def _test(found: Any) -> Any:
    return SKIPPED if found == SKIPPED else t_test(found)


def lost_of(sample: CountedGames) -> Any:
    values = _flat(sample.values("regret"))
    if not values:
        return None
    flawless = sum(value <= FLAWLESS for value in values)
    test = _test(sample.of_these("regret"))
    return {
        "mean": fmean(values),
        "deviation": _deviation(values),
        "flawless": flawless,
        "test": test,
    }


def _luck(sample: CountedGames) -> Any:
    values, found = _flat(sample.values("luck")), sample.of_these("luck")
    if not values:
        return None
    spread = _deviation(values)
    return {"mean": fmean(values), "deviation": spread, "interval": found, "test": _test(found)}


def _learning(sample: CountedGames) -> Any:
    people = sample.values("regret")
    steps: dict[int, list[float]] = {}
    for own in people:
        for number, lost in own.items():
            steps.setdefault(number, []).append(lost)
    if not steps:
        return None
    rows = [{"number": n, "games": len(of), "lost": fmean(of)} for n, of in sorted(steps.items())]
    steep = slope(people) if sample.simple else SKIPPED
    return {"steps": rows, "slope": steep, "test": _test(steep)}


def _person(games: "list[Row]", sample: CountedGames) -> "dict[str, Any]":
    judged = [game for game in games if is_judged(game, sample.start)]
    costs = [game["regret"] for game in judged]
    lost = fmean(costs) if costs else None
    return {
        "participant": games[0]["participant"],
        "games": len(games),
        "mean": fmean(game["score"] for game in games),
        "bonus_share": _share_of_bonus(games),
        "judged": len(costs),
        "lost": lost,
        "luck": fmean(game["luck"] for game in judged) if costs else None,
        "estimate": sample.start - lost if costs else None,
        "skill": less(sample.start, interval(costs)) if costs else None,
        "against_others": interval(_less_others(games, sample)),
        "against_perfect": interval(
            [
                game["score"] - sample.perfect[n]
                for game in games
                if (n := int(game["game"])) in sample.perfect
            ]
        ),
    }


def _less_others(games: "list[Row]", sample: CountedGames) -> "list[float]":
    """On shared dice, each score less the mean of the others'."""
    found = []
    for game in games if sample.shared else ():
        scores = [one["score"] for one in sample.games if one["game"] == game["game"]]
        if len(scores) > 1:
            found.append(game["score"] - (sum(scores) - game["score"]) / (len(scores) - 1))
    return found


def habits(games: "list[Row]", of: str) -> "list[Row]":
    """Return the cost of each kind of decision, or of turns by their box."""
    made: dict[str, list[float]] = {}
    for game in games:
        for name, (decisions, points) in getattr(game["made"], of).items():
            known = made.setdefault(name, [0, 0.0])
            made[name] = [known[0] + decisions, known[1] + points]
    return [{"id": name, "decisions": n, "points": cost} for name, (n, cost) in made.items()]
