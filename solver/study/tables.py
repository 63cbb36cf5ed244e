"""The tables of chapter 4 of the study and of its appendices, with our figures beside its own."""

from collections.abc import Iterable, Iterator
from typing import Any

from solver.exact.distribution import Distribution
from solver.rules.dice import FACES
from solver.statistics.fairness import DiceTest
from solver.study.disagreements import Disagreement
from solver.study.drafts import draft_slips
from solver.study.histograms import percentage
from solver.study.html import TextTable
from solver.study.lost import lost
from solver.study.people import HIGH, StudyPeople
from solver.study.published import PLAYERS, filled_before, reported
from solver.study.same_value_report import costs, totals
from solver.study.study import GAMES, Algorithm, Study

# Tables 4.1 to 4.4 print these tens of the appendix.
EXCERPTS = {
    "optimal": ("4.1", 150, 269),
    "scorecard-based": ("4.2", 180, 239),
    "dice-based": ("4.3", 120, 179),
    "forced-scoring": ("4.4", 70, 119),
}
NARROW, UNBROKEN = "\N{NO-BREAK SPACE}", "\N{NON-BREAKING HYPHEN}"


def all_tables(study: Study) -> Iterator[TextTable]:
    yield from (overview(study), lost())
    for of in study.algorithms:
        yield from (figures(of), tens(of))
        if len(of.readings) > 1:
            yield readings(of)
    yield from (real_dice(study.real), dice(study))
    yield from (people_figures(study.people), people_tens(study.people))
    yield from (published_totals(), totals(study.same_value), costs(study.same_value))
    yield from printed_turns()
    yield decisions(study)
    yield disagreements(study)
    yield draft_disagreements()


def overview(study: Study) -> TextTable:
    rows = [
        [
            a.player.id,
            f"{a.published.mean_of_counts:.2f}",
            f"{a.exact.distribution.mean:.2f}",
            str(a.published.median),
            str(a.exact.distribution.median),
            f"{a.exact.distribution.deviation:.1f}",
            f"{a.exact.distribution.bonus_probability:.1%}",
            f"{a.distance:.1%}",
        ]
        for a in study.algorithms
    ]
    head = ["player", "mean", "ours", "median", "ours", "spread", "bonus", "distance"]
    return TextTable(
        "Published and ours, the published mean by its table; the spread is ours, and the "
        "distance is the share of games in another ten",
        head,
        rows,
    )


def figures(algorithm: Algorithm) -> TextTable:
    theirs, games, exact = algorithm.published, algorithm.simulated, algorithm.exact.distribution
    rows = [
        ["mean", str(theirs.mean), f"{exact.mean:.2f}"],
        ["mean by its table", f"{theirs.mean_of_counts:.2f}", ""],
        ["median", str(theirs.median), str(exact.median)],
        [f"largest of {GAMES:,}", str(theirs.most), str(games.most)],
        [f"least of {GAMES:,}", str(theirs.least), str(games.least)],
        ["range", str(theirs.range), str(games.most - games.least)],
        [f"seconds for {GAMES:,}", f"{theirs.seconds:,}", f"{games.seconds:.2f}"],
    ]
    return TextTable(f"{algorithm.player.title}: figures", ["", "published", "ours"], rows)


def tens(algorithm: Algorithm) -> TextTable:
    number, low, high = EXCERPTS[algorithm.player.id]
    exact = algorithm.exact.distribution
    rows = []
    for row in algorithm.published.rows():
        theirs = [f"{row.count:,}", f"{row.percent:.2f}%", f"{row.up_to_here:.2f}%"]
        ours = [f"{in_ten(exact, row.low):.2%}", f"{exact.below(row.low + 9.5):.2%}"]
        rows.append([span(row.low), *theirs, *ours])
    head = ["score", "games, published", "share", "up to here", "our share", "up to here"]
    caption = f"all of appendix A; table {number} has {low} to {high} of it"
    return TextTable(f"{algorithm.player.title}: games in tens, {caption}", head, rows)


def span(low: int) -> str:
    return f"{low} to {low + 9}".replace(" ", NARROW)


def in_ten(distribution: Distribution, low: int) -> float:
    return distribution.below(low + 9.5) - distribution.below(low - 0.5)


def readings(algorithm: Algorithm) -> TextTable:
    rows = [
        [r.name, r.says, f"{r.mean:.2f}", str(r.median), f"{r.distance:.1%}"]
        for r in algorithm.readings
        if r.distance is not None
    ]
    caption = "readings that the text allows, with exact figures; ours is first"
    head = ["reading", "it takes", "mean", "median", "distance"]
    return TextTable(f"{algorithm.player.title}: {caption}", head, rows, left=2)


def real_dice(test: DiceTest) -> TextTable:
    """Table 4.5; its percentages are of the 500 dice that it writes of."""
    stated = reported()["real_dice_test"]["reported_total"]
    rows = [
        [
            str(face),
            str(count),
            f"{percentage(count, stated):.1f}%",
            f"{percentage(count, test.dice):.1f}%",
        ]
        for face, count in enumerate(test.counts, start=1)
    ]
    counted = f"{percentage(test.dice, stated):.1f}%"
    rows.append(["total, published", str(stated), "100.0%", ""])
    rows.append(["total, counted", str(test.dice), counted, "100.0%"])
    head = ["face", "number", "share, published", f"share of {test.dice}"]
    return TextTable("Table 4.5: the real dice", head, rows)


def dice(study: Study) -> TextTable:
    tests = (study.real, study.virtual)
    rows = [
        *(
            [f"showed {face}", *(f"{test.counts[face - 1]:,}" for test in tests)]
            for face in range(1, FACES + 1)
        ),
        ["expected of each", *(f"{test.expected:,.0f}" for test in tests)],
        ["mean", *(f"{test.mean:.4f}" for test in tests)],
        ["its standard error", *(f"{test.mean_error:.4f}" for test in tests)],
        ["standard errors from 3.5", *(f"{test.mean_off:+.2f}" for test in tests)],
        ["chi-squared", *(f"{test.fit.statistic:.2f}" for test in tests)],
        ["p", *(f"{test.fit.p:.3f}" for test in tests)],
    ]
    titles = [test.title for test in tests]
    return TextTable("Are the dice fair? The study's real ones, and ours", ["", *titles], rows)


def people_figures(of: StudyPeople) -> TextTable:
    theirs, exact = of.published, of.perfect
    rows = [
        ["games", str(theirs.stated), str(theirs.stated)],
        ["games in its table", str(theirs.games), ""],
        ["mean", str(theirs.mean), f"{exact.mean:.2f}"],
        ["mean by its table", f"{theirs.mean_of_counts:.2f}", ""],
        ["median", str(theirs.median), str(exact.median)],
        ["largest", str(theirs.most), f"{of.typical_most}, typically"],
        ["least", str(theirs.least), f"{of.typical_least}, typically"],
        ["range", str(theirs.range), str(of.typical_most - of.typical_least)],
        [f"games of {HIGH} or more", str(of.high), f"{of.high_of_perfect:.1f}"],
        ["mean: standard errors above", f"{of.above.statistic:.2f}", f"p = {of.above.p:.4f}"],
        ["tens: chi-squared", f"{of.shape.statistic:.1f}", f"p = {of.shape.p:.0e}"],
    ]
    return TextTable("The study's people: figures", ["", "published", "perfect play"], rows)


def people_tens(of: StudyPeople) -> TextTable:
    exact, games = of.perfect, of.published.games
    rows = []
    for row in of.published.rows():
        perfect = in_ten(exact, row.low)
        theirs = [str(row.count), f"{row.percent:.2f}%", f"{row.up_to_here:.2f}%"]
        rows.append([span(row.low), *theirs, f"{games * perfect:.1f}", f"{perfect:.2%}"])
    head = ["score", "games, published", "share", "up to here"]
    return TextTable(
        "Appendix B: games of people in tens",
        [*head, f"of {games} perfect games", "share"],
        rows,
    )


def published_totals() -> TextTable:
    rows = [
        [str(row["game"]), *(str(row[player]) for player in PLAYERS)]
        for row in reported()["same_value_test"]["totals"]
    ]
    return TextTable("Table 4.6: scores as published", ["game", *map(named, PLAYERS)], rows)


def printed_turns() -> Iterator[TextTable]:
    """Tables 4.7 to 4.11; those that name no filled boxes cannot be judged."""
    for turn in reported()["same_value_test"]["rounds"]:
        caption = f"Table {turn['table']}: game {turn['game']}, round {turn['round']}"
        yield TextTable(caption, ["", *map(named, PLAYERS)], list(_turn_rows(turn)), left=4)


def _turn_rows(turn: Any) -> Iterator[list[str]]:
    def every(step: str) -> list[str]:
        return [_shown(turn[player][step]) for player in PLAYERS]

    yield ["filled before", *(_filled(turn, player) for player in PLAYERS)]
    yield ["1st throw", *[_shown(turn["throw"])] * len(PLAYERS)]
    yield ["keeps", *every("keep1")]
    yield ["2nd throw", *every("throw2")]
    yield ["keeps", *every("keep2")]
    yield ["result", *every("result")]
    yield ["box", *every("category")]


def _filled(turn: Any, player: str) -> str:
    boxes = filled_before(turn, player)
    if boxes is None:
        return "not said"
    return ", ".join(map(words_of, boxes)) or "nothing"


def _shown(choice: Any) -> str:
    return words_of(choice) if isinstance(choice, str) else faces(map(str, choice))


def decisions(study: Study) -> TextTable:
    rows = [
        [
            r.printed.table,
            f"{r.printed.game}.{r.printed.round}",
            named(r.printed.player).replace("-", UNBROKEN),
            faces(map(str, r.printed.dice)),
            choice(r.printed.choice),
            "the same" if r.same else " or ".join(map(choice, r.ours)),
            cost(*r.printed.cost),
        ]
        for r in study.printed
    ]
    head = ["table", "round", "player", "dice", "it chose", "ours", "cost"]
    caption = "Every printed decision whose filled boxes the study names: round 2.4 is the fourth "
    caption += "of game 2, and the cost is in points"
    return TextTable(caption, head, rows, left=len(head))


def disagreements(study: Study) -> TextTable:
    return _slips("Where the study's own numbers disagree", study.disagreements)


def draft_disagreements() -> TextTable:
    return _slips("Where the drafts on policy gradients disagree with themselves", draft_slips())


def _slips(caption: str, found: Iterable[Disagreement]) -> TextTable:
    rows = [[d.where, d.says, d.but] for d in found]
    return TextTable(caption, ["where", "it says", "but"], rows, left=3)


def named(key: str) -> str:
    return key.replace("_", "-")


def words_of(category: str) -> str:
    return category.replace("_", " ")


def choice(text: str) -> str:
    """A box in words, or dice that stay on one line."""
    return text.replace(" ", NARROW) if text[:1].isdigit() else words_of(text)


def faces(of: Iterator[str]) -> str:
    return NARROW.join(of)


def cost(low: float, high: float) -> str:
    """A range where the study leaves the upper total open."""
    if high < 0.005:
        return "none"
    return f"{high:.2f}" if high - low < 0.005 else f"{low:.2f} to {high:.2f}"
