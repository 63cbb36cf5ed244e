"""The study's figures beside ours as plain data, for JSON."""

from collections.abc import Iterable, Mapping
from typing import Any

from solver.arena.facts import dice_facts
from solver.exact.distribution import Distribution
from solver.study.disagreements import Disagreement, disagreements
from solver.study.drafts import draft_slips
from solver.study.histograms import HUMANS, KEYS, Published, distance, published_of
from solver.study.lost import lost_facts
from solver.study.people import StudyPeople, people
from solver.study.printed import Repeated
from solver.study.published import PLAYERS, real_dice, reported
from solver.study.readings import Reading
from solver.study.study import Algorithm, Study


def published_study(known: Mapping[str, Distribution]) -> dict[str, Any]:
    """What needs no simulation; ``known`` are the exact distributions that there are."""
    return {
        "players": [
            {"player": name, **beside(published_of(name), known.get(name))} for name in KEYS
        ],
        "points_lost": lost_facts(),
        "people": (
            people_facts(people(known["optimal"]))
            if "optimal" in known
            else beside(published_of(HUMANS), None)
        ),
        "real_dice": real_dice_facts(),
        "virtual_dice": virtual_dice_facts(),
        "same_value": {"published": reported()["same_value_test"]["totals"]},
        "disagreements": disagreement_facts(disagreements()),
    }


def study_facts(study: Study) -> dict[str, Any]:
    return {
        "players": [algorithm_facts(of) for of in study.algorithms],
        "points_lost": lost_facts(),
        "people": people_facts(study.people),
        "real_dice": real_dice_facts(),
        "virtual_dice": virtual_dice_facts() | {"ours": dice_facts(study.virtual)},
        "same_value": {
            "published": reported()["same_value_test"]["totals"],
            "ours": {
                player: study.same_value.totals(place)
                for place, player in enumerate(study.same_value.players)
            },
            "seed": study.seed,
        },
        "printed": printed_facts(study.printed),
        "disagreements": disagreement_facts(study.disagreements),
        "draft_disagreements": disagreement_facts(draft_slips()),
    }


def algorithm_facts(algorithm: Algorithm) -> dict[str, Any]:
    exact, games = algorithm.exact.distribution, algorithm.simulated
    return {
        "player": algorithm.player.id,
        **beside(algorithm.published, exact),
        "max": games.most,
        "min": games.least,
        "range": games.most - games.least,
        "seconds": games.seconds,
        "readings": [reading_facts(reading) for reading in algorithm.readings],
    }


def beside(theirs: Published, exact: Distribution | None) -> dict[str, Any]:
    """A published player, and the exact figures of the one that it stands beside, if known."""
    facts = published_facts(theirs)
    if exact is not None:
        facts |= {
            "mean": exact.mean,
            "sd": exact.deviation,
            "median": exact.median,
            "bonus_probability": exact.bonus_probability,
            "distance": distance(exact.in_tens(), theirs.shares),
        }
    return facts | {"tens": tens_facts(theirs, exact)}


def published_facts(theirs: Published) -> dict[str, Any]:
    return {
        "published_games": theirs.stated,
        "published_games_counted": theirs.games,
        "published_mean": theirs.mean,
        "published_mean_of_tens": theirs.mean_of_counts,
        "published_median": theirs.median,
        "published_max": theirs.most,
        "published_min": theirs.least,
        "published_range": theirs.range,
        "published_seconds": theirs.seconds,
    }


def tens_facts(theirs: Published, exact: Distribution | None) -> list[dict[str, Any]]:
    ours = exact.in_tens().tolist() if exact is not None else []
    return [
        {
            "from": row.low,
            "to": row.low + 9,
            "count": row.count,
            "percent": row.percent,
            "cumulated_percent": row.up_to_here,
            "exact_share": ours[row.low // 10] if row.low // 10 < len(ours) else None,
        }
        for row in theirs.rows()
    ]


def reading_facts(reading: Reading) -> dict[str, Any]:
    names = ("name", "says", "mean", "median", "distance")
    return {name: getattr(reading, name) for name in names}


def people_facts(of: StudyPeople) -> dict[str, Any]:
    """Beside perfect play."""
    return beside(of.published, of.perfect) | {
        "standard_errors_above": of.above.statistic,
        "p": of.above.p,
        "tens_chi_squared": of.shape.statistic,
        "tens_p": of.shape.p,
    }


def real_dice_facts() -> dict[str, Any]:
    stated = reported()["real_dice_test"]
    return dice_facts(real_dice()) | {
        "published_dice": stated["reported_total"],
        "published_mean": stated["reported_mean"],
    }


def virtual_dice_facts() -> dict[str, Any]:
    stated = reported()["virtual_dice_test"]
    return {"published_dice": stated["rolls"], "published_mean": stated["mean"]}


def printed_facts(printed: Iterable[Repeated]) -> dict[str, list[int]]:
    """How many of a program's printed decisions ours repeats, and of how many."""
    found = list(printed)
    mine = {player: [r.same for r in found if r.printed.player == player] for player in PLAYERS}
    return {player: [sum(same), len(same)] for player, same in mine.items()}


def disagreement_facts(found: Iterable[Disagreement]) -> list[dict[str, str]]:
    return [{"where": d.where, "says": d.says, "but": d.but} for d in found]
