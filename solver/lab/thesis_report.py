"""Chapter 4 of the study as one page: its figures, ours beside them, and where it errs."""

from collections.abc import Iterator

from solver.charts import Bars, Chart
from solver.charts.frame import Axis
from solver.lab import charts
from solver.lab.html import figure, heading, page, paragraph, table
from solver.lab.published import reported
from solver.lab.same_value_report import costs_table, totals_chart, totals_table
from solver.lab.thesis import Algorithm, People, Study
from solver.rules.dice import FACES

GRAPHS = {"optimal": 1, "scorecard-based": 3, "dice-based": 5, "forced-scoring": 7}


def report(study: Study) -> str:
    sections = [
        paragraph(
            "Every table and graph of chapter 4 of the published study, with its figures and "
            "ours. Our means, medians and shares are exact, worked out without simulation; the "
            "largest and the least score are those of 100,000 simulated games, as theirs are."
        ),
        *overview(study),
        *(part for algorithm in study.algorithms for part in performance(algorithm)),
        *dice(study),
        *people(study.people),
        *same_value(study),
        *printed(study),
        *disagreements(study),
    ]
    return page("The study's chapter 4, worked out again", sections)


def overview(study: Study) -> Iterator[str]:
    yield heading("All algorithms")
    rows = [
        [
            a.player.id,
            f"{a.published.mean_of_counts:.1f}",
            f"{a.exact.distribution.mean:.2f}",
            a.published.median,
            a.exact.distribution.median,
            f"{a.exact.distribution.deviation:.1f}",
            f"{a.exact.distribution.bonus_probability:.1%}",
            f"{a.distance:.1%}",
        ]
        for a in study.algorithms
    ]
    head = ["player", "mean, published", "ours", "median, published", "ours"]
    yield table(
        "Published and ours; the distance is the share of games in another ten",
        [*head, "standard deviation", "bonus", "distance"],
        rows,
    )
    known = {a.player.id: a.exact.distribution for a in study.algorithms}
    yield figure(charts.several("How the four players score, exactly", known))


def performance(of: Algorithm) -> Iterator[str]:
    yield heading(f"4.1 {of.player.title}")
    told = [" ".join(p.replace("``", "").split()) for p in of.player.description.split("\n\n")]
    yield paragraph(told[0])
    yield _figures(of)
    graph, title = GRAPHS[of.player.id], of.player.title
    exact = of.exact.distribution
    yield figure(
        charts.score_by_score(f"{title}: games by score", of.simulated, exact),
        f"As graph 4.{graph}. Simulated against exact: chi-squared {of.fit.statistic:.1f} "
        f"with {of.fit.degrees} degrees of freedom, p = {of.fit.p:.2f}.",
    )
    yield figure(
        charts.against_published(f"{title}: games in tens", exact.in_tens(), of.published),
        f"As graph 4.{graph + 1}, with the published one over it. {of.distance:.1%} of the games "
        "lie in another ten.",
    )
    yield _tens(of)
    if len(of.readings) > 1:
        yield _readings(of)
        yield paragraph(told[-1])


def _figures(of: Algorithm) -> str:
    theirs, games, exact = of.published, of.simulated, of.exact.distribution
    rows: list[list[object]] = [
        ["mean", f"{theirs.mean} ({theirs.mean_of_counts:.2f} by its table)", f"{exact.mean:.3f}"],
        ["median", theirs.median, exact.median],
        ["largest of 100,000", theirs.most, games.most],
        ["least of 100,000", theirs.least, games.least],
        ["range", theirs.most - theirs.least, games.most - games.least],
        ["seconds for 100,000", f"{theirs.seconds:,}", f"{games.seconds:.2f}"],
    ]
    return table("Figures", ["", "published", "ours"], rows)


def _tens(of: Algorithm) -> str:
    rows = []
    for ten, ours in of.tens():
        so_far = of.exact.distribution.below(ten.low + 9.5)
        shares = [f"{share:.2%}" for share in (ten.share, ten.up_to_here, ours, so_far)]
        rows.append([f"{ten.low} to {ten.low + 9}", f"{ten.count:,}", *shares])
    head = ["score", "games, published", "share", "up to here", "our share", "up to here"]
    return table("Games in tens, all rows of the appendix", head, rows)


def _readings(of: Algorithm) -> str:
    rows = [
        [r.name, r.says, f"{r.mean:.2f}", r.median, f"{r.distance:.1%}"]
        for r in of.readings
        if r.distance is not None
    ]
    caption = "Readings that the text allows, each with its exact figures; ours is the first"
    return table(caption, ["reading", "it takes", "mean", "median", "distance"], rows)


def dice(study: Study) -> Iterator[str]:
    yield heading("3.1 and 4.2.1 The dice")
    tests = (study.real, study.virtual)
    rows = [
        [f"showed {face}", *(f"{test.counts[face - 1]:,}" for test in tests)]
        for face in range(1, FACES + 1)
    ]
    rows += [
        ["dice", *(f"{test.dice:,}" for test in tests)],
        ["mean", *(f"{test.mean:.4f}" for test in tests)],
        ["chi-squared", *(f"{test.fit.statistic:.2f}" for test in tests)],
        ["p", *(f"{test.fit.p:.3f}" for test in tests)],
    ]
    yield table("Table 4.5: how often every face fell", ["", *(t.title for t in tests)], rows)
    real, virtual = reported()["real_dice_test"], reported()["virtual_dice_test"]
    yield paragraph(
        f"The study gives a mean of {real['reported_mean']} for its real dice and of "
        f"{virtual['mean']} for {virtual['rolls']:,} virtual ones. With p above 0.05 nothing "
        "speaks against fair dice."
    )


def people(of: People) -> Iterator[str]:
    theirs, perfect = of.published, of.perfect.distribution
    yield heading("4.2.2 The human trials")
    yield figure(
        charts.against_published(
            "People beside perfect play", perfect.in_tens(), theirs, "perfect play, exactly"
        ),
        "As graphs 4.9 and 4.10.",
    )
    yield paragraph(
        f"People averaged {theirs.mean} (median {theirs.median}, {theirs.least} to "
        f"{theirs.most}). Perfect play averages {perfect.mean:.2f}; {theirs.games} perfect games "
        f"would have so high a mean with a chance of {of.chance:.1%}. The scores alone cannot "
        "tell how much of it was skill: for that the decisions would be needed."
    )


def same_value(study: Study) -> Iterator[str]:
    yield heading("4.3 The same-value test")
    totals = reported()["same_value_test"]["totals"]
    players = ("dice_based", "scorecard_based", "optimal")
    rows = [[row["game"], *(row[player] for player in players)] for row in totals]
    names = [player.replace("_", "-") for player in players]
    yield table("Table 4.6: scores as published", ["game", *names], rows)
    bands = tuple(f"game {row['game']}" for row in totals)
    layers = [
        Bars(bands, [row[player] for row in totals], name, place, len(players))
        for place, (player, name) in enumerate(zip(players, names, strict=True))
    ]
    title = "Scores on the same dice, as published"
    yield figure(Chart(title, layers, y=Axis("points")), "As graph 4.11.")
    yield paragraph(f"The study's dice are not known. On dice of our own (seed {study.seed}):")
    yield totals_table(study.same_value)
    yield costs_table(study.same_value)
    yield figure(totals_chart(study.same_value))


def printed(study: Study) -> Iterator[str]:
    yield heading("Tables 4.7 to 4.11: the printed decisions")
    for player in ("dice_based", "scorecard_based", "optimal"):
        of = [r for r in study.printed if r.printed.player == player]
        same = sum(r.same for r in of)
        yield paragraph(f"{player.replace('_', '-')}: ours repeats {same} of {len(of)}.")
    rows = [
        [
            r.printed.table,
            f"{r.printed.game}.{r.printed.round}",
            r.printed.player.replace("_", "-"),
            " ".join(map(str, r.printed.dice)),
            r.printed.choice.replace("_", " "),
            "the same" if r.same else " or ".join(r.ours).replace("_", " "),
            cost(*r.printed.cost),
        ]
        for r in study.printed
    ]
    yield table(
        "Every printed decision whose filled boxes the study names, and what it cost",
        ["table", "game and round", "player", "dice", "it chose", "ours", "cost in points"],
        rows,
        words=True,
    )


def cost(low: float, high: float) -> str:
    """A range where the study leaves the upper total open."""
    if high < 0.005:
        return "none"
    return f"{high:.2f}" if high - low < 0.005 else f"{low:.2f} to {high:.2f}"


def disagreements(study: Study) -> Iterator[str]:
    yield heading("Where the study's own numbers disagree")
    rows = [[d.where, d.says, d.but] for d in study.disagreements]
    yield table("", ["where", "it says", "but"], rows, words=True)
