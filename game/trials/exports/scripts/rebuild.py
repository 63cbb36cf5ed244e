"""Recalculate all figures from the tables: python rebuild.py [FOLDER] (Python 3.10+, numpy)."""

import csv
import hashlib
import json
import math
import sys
from collections import Counter, defaultdict
from pathlib import Path
from statistics import fmean, median, stdev

import numpy as np

Row, TIE = dict, 1e-9
NUMBERS = set(
    "game seq turn throws_left stock upper_total points chips given best_value value regret luck"
    " score bonus free_decisions sitting games_planned games_finished before".split()
)
fact = lambda folder, name: json.loads((folder / name).read_text(encoding="utf-8"))
average = lambda values: fmean(values) if values else None
spread = lambda values: stdev(values) if len(values) > 1 else None
error = lambda values: [(stdev(values) ** 2 / len(values), len(values) - 1)]
interval = lambda values: estimate(fmean(values), error(values)) if len(values) > 1 else None


def read(folder: Path, table: str) -> list[Row]:
    known = {"": None, "true": True, "false": False}
    cell = lambda k, v: known[v] if v in known else float(v) if k in NUMBERS else v
    paths = [folder / f"{table}.csv", *folder.glob(f"data/*_description-{table}_data.csv")]
    with next(path for path in paths if path.exists()).open(encoding="utf-8-sig") as file:
        return [{k: cell(k, v) for k, v in row.items()} for row in csv.DictReader(file)]


class Replay:  # replays a game; ``wrong`` lists what contradicts the rules
    def __init__(self, rules: Row) -> None:
        self.rules, self.card, self.last, self.fallen, self.wrong = rules, {}, {}, Counter(), []
        self.chips, self.throws, self.free, self.judged = 0, rules["throws"], 0, True
        self.cost = self.luck = 0.0

    def count_points(self) -> Row:
        upper = sum(self.card.get(box["id"], 0) for box in self.rules["boxes"] if box["face"])
        bonus = self.rules["bonus_points"] if upper >= self.rules["bonus_threshold"] else 0
        points = sum(self.card.values()) + self.chips
        card = {"upper_total": upper, "points": points, "chips": self.chips, "bonus": bonus}
        return card | {"score": points + bonus}

    def take(self, row: Row) -> None:
        first, last, regret = self.rules["throws"], self.last, row["regret"]
        holding = last.get("kind") == "hold"
        left = (last["throws_left"] if holding else self.throws) - 1
        due = self.count_points() | {"turn": len(self.card) + 1, "throws_left": left, "stock": None}
        if self.rules["stock"]:
            due["stock"] = min(self.throws - first, row["throws_left"])
        wrong = [name for name in due if name in row and row[name] != due[name]]
        held = last["choice"].split() if holding and last["choice"] != "none" else []
        wrong += ["dice"] if Counter(held) - Counter(row["dice"].split()) else []
        self.judged = self.judged and regret is not None
        if regret is not None:
            cost = max(0.0, row["best_value"] - row["value"])
            wrong += ["regret"] if abs(cost - regret) > TIE else []
            wrong += ["best_choice"] if regret < TIE and row["best_choice"] != row["choice"] else []
            self.cost, self.luck = self.cost + regret, self.luck + row["luck"]
            self.free += not row["forced"]
        self.fallen.update(enumerate((row["fallen"] or "").split(), 1))
        if row["kind"] == "score":
            self.throws = first + min(row["throws_left"], self.rules["stock"])
            wrong += [] if self.fill(row["choice"], row["dice"]) else ["choice"]
        self.wrong += [f"{row['seq']:g}: the rules give another {name}" for name in wrong]
        self.last = row

    def fill(self, box: str, dice: str) -> bool:
        boxes, joker = {box["id"]: box for box in self.rules["boxes"]}, self.rules["joker"]
        if box not in boxes or box in self.card or dice not in self.rules["points"]:
            return False
        points = self.rules["points"][dice][list(boxes).index(box)]
        if joker and len(set(dice.split())) == 1 and joker["box"] in self.card:
            filled = {boxes[name]["face"] for name in self.card}
            if int(dice[0]) in filled and boxes[box]["joker_points"] is not None:
                points = boxes[box]["joker_points"]
            self.chips += joker["chip"] if self.card[joker["box"]] else 0
        self.card[box] = points
        return True


def replay_games(folder: Path, results: Row) -> tuple[list[Row], list[str]]:
    rules, games, faults = fact(folder, "rules.json"), read(folder, "games"), []
    named = {f"{game['participant']} {game['game']:g}": game for game in games}
    for game in games:
        game["replay"] = Replay(rules[game["ruleset"]])
    for row in read(folder, "decisions"):
        name = f"{row['participant']} {row['game']:g}"
        if name in named:
            named[name]["replay"].take(row)
        else:
            faults.append(f"decision {name} {row['seq']:g}: there is no such game")
    for name, game in named.items():
        replay, game["cost"] = game["replay"], None
        faults += [f"decision {name} {wrong}" for wrong in replay.wrong]
        due = {key: replay.count_points()[key] for key in ("score", "bonus", "chips")}
        if game["regret"] is not None and replay.judged:
            due |= {"regret": replay.cost, "luck": replay.luck, "free_decisions": replay.free}
            same_rules = game["ruleset"] == results["trial"]["ruleset"]
            start = results["conditions"]["value_start"] if same_rules else None
            if start is None or abs(start + replay.luck - replay.cost - due["score"]) <= 0.01:
                game["cost"] = replay.cost
        wrong = [key for key in due if game["finished"] and not is_equal(game[key], due[key])]
        faults += [f"game {name} {key}: its decisions give {due[key]}" for key in wrong]
    return games, faults


def find_p(t: float, degrees: float) -> float:  # P(|T| >= |t|), Simpson's rule over the angle
    angles = np.linspace(0, math.atan(abs(t) / math.sqrt(degrees)), 4001)
    heights = np.cos(angles) ** (degrees - 1)
    inside = heights[0] + heights[-1] + 4 * heights[1::2].sum() + 2 * heights[2:-1:2].sum()
    front = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2))
    return float(1 - 2 * front / math.sqrt(math.pi) * inside * angles[1] / 3)


def estimate(mean: float, parts: list) -> Row | None:  # Welch, 95 %; parts: (variance, degrees)
    variance, doubt = sum(v for v, _ in parts), sum(v * v / d for v, d in parts)
    error = math.sqrt(variance)
    if doubt <= 0 or error <= 1e-12 * max(1.0, abs(mean)):
        return None
    degrees = variance**2 / doubt
    beyond = lambda angle: find_p(math.sqrt(degrees) * math.tan(angle), degrees) < 0.05
    half = math.sqrt(degrees) * math.tan(bisect(beyond, 0.0, math.pi / 2 - 1e-9, 50)) * error
    low, high = mean - half, mean + half
    return {"mean": mean, "low": low, "high": high, "error": error, "degrees": degrees}


def bisect(reached: object, near: float, far: float, times: int) -> float:
    for _halving in range(times):
        middle = (near + far) / 2
        near, far = (near, middle) if reached(middle) else (middle, far)
    return far


def find_value(game: Row, measure: str) -> float | None:
    cost, free = game["cost"], game["replay"].free
    if measure == "score":
        return float(game["score"])
    return cost if cost is None or measure == "cost" else cost / free if free else None


def describe_games(games: list[Row], conditions: Row) -> Row:
    people, by_number, slopes, rows = defaultdict(list), defaultdict(list), [], []
    for game in sorted(games, key=lambda game: (game["participant"], game["game"])):
        people[game["participant"]].append(game)
    several = [len({game["sitting"] for game in played}) for played in people.values()]
    sit = bool(several) and 2 * sum(n > 1 for n in several) >= len(several)
    judged, scores = [g for g in games if g["cost"] is not None], [g["score"] for g in games]
    for game in judged:
        by_number[game["game"]].append(game["cost"])
    for who, played in people.items():
        known = [g for g in played if g["cost"] is not None]
        costs, lucks = [g["cost"] for g in known], [g["replay"].luck for g in known]
        if len(known) > 2:
            slopes.append(float(np.polyfit([g["game"] for g in known], costs, 1)[0]))
        row = {"participant": who, "games": len(played), "judged": len(known)}
        row |= {"mean": fmean(g["score"] for g in played), "interval": interval(costs)}
        row |= {"cost": average(costs), "luck": average(lucks)}
        rows.append(row | {"bonus_share": fmean(g["bonus"] > 0 for g in played)})
    summary, perfect, tens, total = None, None, [], 0
    start, apart, shared = (conditions[k] for k in ("value_start", "deviation", "shared_dice"))
    if games:
        summary = {"most": max(scores), "least": min(scores), "median": median(scores)}
        summary |= {"chips": fmean(g["chips"] for g in games), "deviation": spread(scores)}
        summary |= {"mean": fmean(scores), "bonus_share": fmean(g["bonus"] > 0 for g in games)}
    if games and start is not None and apart:
        alike = sum(n * n for n in Counter(g["game"] for g in games).values())
        independent = len(games) ** 2 / (alike if shared else len(games))
        z = (fmean(scores) - start) / (apart / math.sqrt(independent))
        perfect = {"statistic": z, "p": math.erfc(abs(z) / math.sqrt(2)), "degrees": None}
    counts, steep, costs = Counter(int(n) // 10 for n in scores), interval(slopes), by_number
    for ten in range(min(counts, default=0), max(counts, default=-1) + 1):
        total += counts[ten]
        shares = {"share": counts[ten] / len(scores), "up_to_here": total / len(scores)}
        tens.append({"low": 10 * ten, "count": counts[ten]} | shares)
    steps = [{"number": n, "games": len(costs[n]), "cost": fmean(costs[n])} for n in sorted(costs)]
    groups, names = [*people.values()], ("cost", "cost_a_decision", "score")
    out = {name: calculate_mean(groups, name, sit, shared and name == "score") for name in names}
    out |= {"games": len(games), "judged": len(judged), "sittings": sum(several) if sit else None}
    out |= {"scores": summary, "tens": tens, "learning": steps, "slope": steep, "people": rows}
    out |= {"luck": average([g["replay"].luck for g in judged]), "against_perfect": perfect}
    out["slope_p"] = steep and find_p(steep["mean"] / steep["error"], steep["degrees"])
    return out | {"flawless": sum(g["cost"] <= TIE for g in judged)}


def calculate_mean(people: list[list[Row]], measure: str, sit: bool, shared: bool) -> Row | None:
    known = [[(g, v) for g in row if (v := find_value(g, measure)) is not None] for row in people]
    known, dice, units = [games for games in known if games], defaultdict(list), []
    if not known:
        return None
    means = [fmean(v for _, v in games) for games in known]
    for games, mean in zip(known, means, strict=True):
        sums = defaultdict(float)
        for game, value in games:
            sums[game["sitting" if sit else "game"]] += value - mean
            dice[game["game"]].append(value)
        n = len(sums)
        units.append((sum(total * total for total in sums.values()) * (n / len(games)) ** 2, n))
    mean, others, spare = fmean(means), interval(means), sum(n - 1 for _, n in units)
    spreads = [(v / (n - 1), n - 1, n) for v, n in units if n > 1]
    spreads += [(sum(v for v, _ in units) / spare, spare, n) for _, n in units if n == 1 and spare]
    these = estimate(mean, [(v / n / len(known) ** 2, d) for v, d, n in spreads]) if spare else None
    if shared:
        rows = [fmean(values) for values in dice.values()]
        these = estimate(mean, error(rows)) if len(rows) > 1 else None
        others = estimate(mean, error(rows) + error(means)) if these and others else None
    return {"mean": mean, "these_people": these, "people_like_these": others}


def rebuild_dice(games: list[Row], printed: list[Row]) -> list[Row]:
    rows, fallen = [], sum((game["replay"].fallen for game in games), Counter())
    for die in [row["die"] for row in printed]:
        fits = [(f, n) for (at, f), n in fallen.items() if die in (None, at)]
        counts = [sum(n for f, n in fits if f == face) for face in "123456"]
        x = sum((n - sum(counts) / 6) ** 2 for n in counts) / (sum(counts) / 6)
        p = math.sqrt(2 * x / math.pi) * math.exp(-x / 2) * (1 + x / 3) + math.erfc((x / 2) ** 0.5)
        rows.append({"die": die, "counts": counts, "chi_squared": x, "p": p})
    return rows


class Permutations:  # shuffles the arms among the analysed people
    def __init__(self, people: list[Row], arms: list[int], seed: int, way: str) -> None:
        rank = lambda b: -math.inf if b is None else round(b, 9)
        people = sorted(people, key=lambda o: (o["arm"], round(o["value"], 9), rank(o["before"])))
        labels, before = np.array([arms.index(o["arm"]) for o in people]), fill_baseline(people)
        values, ones = np.array([o["value"] for o in people], float), np.ones(len(people))
        basis = np.column_stack([ones] if before is None else [ones, before])
        dummies = (labels[:, None] == np.arange(1, len(arms))).astype(float)
        design, halves = np.column_stack([basis, dummies]), (dummies - (labels == 0)[:, None]) / 2
        fit, rng = np.linalg.lstsq(design, values, rcond=None)[0], np.random.RandomState(seed)
        self.halves = halves - basis @ np.linalg.lstsq(basis, halves, rcond=None)[0]
        self.estimates, self.rest, self.way = fit[basis.shape[1] :], values - design @ fit, way
        lots = np.array([labels, *(rng.permutation(labels) for _draw in range(4_999))])
        self.inside = np.array([lots == arm for arm in range(len(arms))], float)

    def calculate_moments(self, y: object) -> tuple:
        n, sums = self.inside.sum(2), self.inside @ y
        return sums / n, np.maximum(self.inside @ (y * y) - sums**2 / n, 0) / (n - 1) / n

    def calculate_p(self, pair: int, effect: float = 0.0, way: str = "") -> float:
        y = self.rest + (self.estimates[pair] - effect) * self.halves[:, pair]
        means, errors = self.calculate_moments(y)
        t = (means[1:] - means[0]) / np.maximum(np.sqrt(errors[1:] + errors[0]), TIE)
        sizes = {"either": abs(t), "more": t, "less": -t}[way or self.way]
        observed = sizes[pair, 0]
        return float(np.mean(sizes.max(0) >= observed - TIE * max(1.0, abs(observed))))

    def find_end(self, pair: int, side: int, alpha: float, way: str) -> float | None:
        near = middle = float(self.estimates[pair])
        rejects = lambda effect: self.calculate_p(pair, effect, way) <= alpha
        if (way, side) in (("less", -1), ("more", 1)):
            return None
        if middle * side < 0 and rejects(0.0):
            return bisect(rejects, near, 0.0, 30)
        variance = float(self.calculate_moments(self.rest)[1][[0, pair + 1], 0].sum())
        far = near + 2 * side * max(variance**0.5, TIE)
        for _doubling in range(12):
            if rejects(far):
                return bisect(rejects, near, far, 30)
            near, far = far, far + (far - middle)
        return None


def fill_baseline(people: list[Row]) -> object:  # missing baseline values become the average
    known = [row["before"] for row in people if row["before"] is not None]
    if len(known) < 4 or max(known) <= min(known):
        return None
    return np.array([fmean(known) if o["before"] is None else o["before"] for o in people])


def compare_arms(plan: Row, everybody: list[Row], seed: int) -> Row:
    drawn, small = [row for row in everybody if not row["left_out"]], plan["smallest"]
    counted = [row for row in drawn if row["value"] is not None]
    sizes, way, pairs, test = Counter(row["arm"] for row in counted), plan["direction"], [], None
    arms = [arm for arm in range(len(plan["arms"])) if sizes[arm] >= 6]
    if len(arms) > 1 and arms[0] == 0:
        test = Permutations([row for row in counted if row["arm"] in arms], arms, seed, way)
    for arm in range(1, len(plan["arms"])):
        both = [[row["value"] for row in counted if row["arm"] == at] for at in (arm, 0)]
        gone = [sum(o["arm"] == at and o["value"] is None for o in drawn) for at in (arm, 0)]
        pair = dict.fromkeys(("estimate", "p", "low", "high", "low_90", "high_90", "tipping_point"))
        pair |= {"arm": plan["arms"][arm], "reference": plan["arms"][0], "verdict": "too few"}
        pair |= {"people": [len(values) for values in both], "missing": gone}
        pair |= {"means": [*map(average, both)], "deviations": [*map(spread, both)]}
        if test and arm in arms:
            at = arms.index(arm) - 1
            pair["estimate"], pair["p"] = float(test.estimates[at]), test.calculate_p(at)
            pair["low"], pair["high"] = (test.find_end(at, side, 0.05, way) for side in (-1, 1))
            close = [test.find_end(at, side, 0.1, "either") if small else None for side in (-1, 1)]
            pair["low_90"], pair["high_90"] = close
            inside = None not in close and max(-close[0], close[1]) <= small
            verdict = "equivalent" if inside else "undecided"
            pair["verdict"] = "different" if pair["p"] <= 0.05 else verdict
            rows = [row for row in drawn if row["arm"] in arms]
            if any(row["value"] is None for row in rows):
                pair["tipping_point"] = find_tip(rows, arm, arms, pair, plan, seed)
        pairs.append(pair)
    adjusted = fill_baseline(counted) is not None
    return {"estimand": plan, "seed": seed, "adjusted": adjusted, "pairs": pairs}


def find_tip(rows: list[Row], arm: int, arms: list[int], pair: Row, plan: Row, seed: int) -> Row:
    counted = [row for row in rows if row["value"] is not None]
    before, values = fill_baseline(counted), [row["value"] for row in counted]
    slope, level = (0.0, fmean(values)) if before is None else np.polyfit(before, values, 1)
    middle = 0.0 if before is None else float(before.mean())
    worst, at = -1.0 if plan["measure"] == "score" else 1.0, arms.index(arm) - 1
    better = arm if worst * pair["estimate"] < 0 else 0

    def fill_and_test(worse: float) -> Permutations:
        filled = []
        for row in (row for row in rows if row["value"] is None):
            due = level + slope * (middle if row["before"] is None else row["before"])
            due += worst * worse if row["arm"] == better else 0.0
            filled.append(row | {"value": float(due)})
        return Permutations(counted + filled, arms, seed, plan["direction"])

    gone = lambda worse: fill_and_test(worse).calculate_p(at) > 0.05
    test, p = fill_and_test(0.0), fill_and_test(0.0).calculate_p(at)
    worse = 0.0 if pair["p"] <= 0.05 < p else None
    if p <= 0.05 and any(row["value"] is None and row["arm"] == better for row in rows):
        far = next((2.0**n for n in range(13) if gone(2.0**n)), None)
        worse = bisect(gone, far / 2 if far > 1 else 0.0, far, 16) if far else None
    out = {"filled": len(rows) - len(counted), "estimate": float(test.estimates[at])}
    return out | {"p": p, "worse": worse}


def calculate_means(games: list[Row], plan: Row) -> Row:
    values = defaultdict(list)
    for game in games:
        if (value := find_value(game, plan["measure"])) is not None:
            for arm in ("", game["arm"]):
                values[game["participant"], game["phase"] or "", arm].append(value)
    return {key: fmean(group) for key, group in values.items()}


def rebuild_people(means: Row, people: list[Row], plan: Row, faults: list[str]) -> list[Row]:
    rows, phase = [], plan["phase"]
    for row in (row for row in people if row["arm"] is not None):
        who, arm = row["participant"], plan["arms"].index(row["arm"])
        due = {"value": means.get((who, phase, "")), "before": means.get((who, "before", ""))}
        if plan["within"]:
            first, second = (means.get((who, phase, plan["arms"][at])) for at in (arm, 1 - arm))
            gain = None if None in (first, second) else (first - second) / 2
            due = {"value": gain, "before": None}
        wrong = [name for name in due if not is_equal(row[name], due[name])]
        faults += [f"participant {who} {name}: the games give {due[name]}" for name in wrong]
        rows.append(row | due | {"arm": arm})
    return rows


def rebuild_phases(means: Row, people: list[Row], arms: list[str], plan: Row) -> list[Row]:
    rows, first = [], []
    for phase in ("before", "training", "after", "follow_up"):
        by_arm = arms and (phase == "training" or not plan["within"])
        for at, arm in enumerate(arms if by_arm else [""]):
            mark, either = arm if by_arm and plan["within"] else "", plan["within"] or not by_arm
            theirs = [o["participant"] for o in people if either or o["arm"] == arm]
            values = [means[who, phase, mark] for who in theirs if (who, phase, mark) in means]
            first, between = first if at else values, None
            compared = at and phase != "before" and not plan["within"]
            if compared and interval(values) and interval(first):
                between = estimate(fmean(values) - fmean(first), error(values) + error(first))
            if values:
                row = {"phase": phase, "arm": arm, "people": len(values), "difference": between}
                rows.append(row | {"mean": fmean(values), "deviation": spread(values)})
    return rows


def rebuild_flow(printed: list, arms: list, people: list, began: set, ended: set) -> list[Row]:
    steps = {(row["arm"], row["step"]): row["people"] for row in printed}
    undrawn, rows = ("screened_out", "failed_check", "withdrew", "on_the_way", "drawn"), []
    agreed = sum(steps.get((None, name), 0) for name in undrawn)
    for (arm, step), count in steps.items():
        order, first = arm and arm.replace(" → ", " "), arm and arm.split(" → ")[0]
        column = [row for row in people if arm is None or row["arm_order"] == order]
        left = [row["participant"] for row in column if not row["left_out"]]
        given = sum(int(row["given"]) for row in arms if row["arm"] == first)
        counts = {"left_out": len(column) - len(left), "given": given}
        counts["began"] = sum(row["participant"] in began for row in column)
        counts["finished"] = sum(row["games_finished"] >= row["games_planned"] for row in column)
        counts["analysed"] = sum(who in ended for who in left)
        counts["drawn"] = sum(n for (_arm, name), n in steps.items() if name == "given")
        counts |= {"withdrew": given - len(column)} if arm else {"agreed": agreed} if arms else {}
        rows.append({"arm": arm, "step": step, "people": counts.get(step, count)})
    return rows


def flatten(facts: object, path: str = "") -> Row:
    if not isinstance(facts, dict | list | tuple):
        return {path: facts}
    parts = facts.items() if isinstance(facts, dict) else enumerate(facts)
    return {name: v for key, part in parts for name, v in flatten(part, f"{path}.{key}").items()}


def is_equal(ours: object, other: object) -> bool:
    numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in (ours, other))
    return math.isclose(ours, other, rel_tol=1e-7, abs_tol=1e-7) if numbers else ours == other


def rebuild_results(folder: Path, results: Row, games: list[Row], faults: list[str]) -> Row:
    people, arms, lock = read(folder, "participants"), read(folder, "arms"), results["lock"]
    gone = {row["participant"] for row in people if row["left_out"]}
    trial, rules = results["trial"], ("ruleset", "dice", "shared_dice")
    alike_arms = {arm["arm"] for arm in arms if all(arm[key] == trial[key] for key in rules)}
    finished = [game for game in games if game["finished"]]
    alike = [game for game in finished if game["arm"] in {None, *alike_arms}]
    none = {"measure": "cost", "within": trial["within"], "arms": []}
    plan, seed = (results["primary"] or {}).get("estimand", none), 0
    if lock:
        document = fact(folder, "preregistration.json")["document"]
        text = json.dumps(document, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        digest = hashlib.sha256(text.encode()).hexdigest()
        lock = lock | {"sha256": digest, "analysis": document.get("analysis")}
        if document.get("analysis") == "free permutation":
            plan, seed = document["estimand"], int(digest[:8], 16)
    means, compares = calculate_means(finished, plan), bool(plan["arms"])
    drawn = rebuild_people(means, people, plan, faults) if compares else []
    began = {g["participant"] for g in games if g["phase"] in (None, "training")}
    outcome = {g["participant"] for g in finished if (g["phase"] or "") == trial["outcome_phase"]}
    counted = [game for game in finished if game["participant"] not in gone]
    means, names = calculate_means(counted, plan), [row["arm"] for row in arms]
    phases = rebuild_phases(means, people, names, plan)
    ours = describe_games([g for g in alike if g["participant"] not in gone], results["conditions"])
    out = {"lock": lock, "flow": rebuild_flow(results["flow"], arms, people, began, outcome)}
    out["primary"] = compare_arms(plan, drawn, seed) if compares else None
    return out | {"phases": phases, "dice": rebuild_dice(alike, results["dice"]), "games": ours}


def main(folder: Path) -> int:
    results = fact(folder, "statistics.json")
    games, faults = replay_games(folder, results)
    figures_here = flatten(rebuild_results(folder, results, games, faults))
    given = ("versions", "made_at", "trial", "conditions", "unmasked")
    expected = flatten({name: part for name, part in results.items() if name not in given})
    figures = [name for name, part in expected.items() if isinstance(part, int | float)]
    left = [f"not rebuilt: {name[1:]}" for name in figures if name not in figures_here]
    for name, value in figures_here.items():
        if not is_equal(printed := expected.get(name, "nothing"), value):
            faults.append(f"{name[1:]}: {printed} is printed, the tables give {value}")
    summary = f"{len(figures) - len(left)} figures compared, {len(left)} not rebuilt"
    print(*faults, *left, f"{summary}, {len(faults)} do not agree; {len(games)} games.", sep="\n")
    return 1 if faults or left else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent)))
