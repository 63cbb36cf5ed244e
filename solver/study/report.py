"""Chapter 4 of the study as one page: its figures, ours beside them, and where it errs."""

from collections.abc import Iterator

from solver.charts import Bars, Chart
from solver.charts.frame import Axis
from solver.study import charts, tables
from solver.study.html import figure, heading, page, paragraph, table
from solver.study.lost import lost
from solver.study.people import HIGH, SMALL_LOSS, StudyPeople
from solver.study.published import PLAYERS, reported
from solver.study.same_value_report import costs, totals, totals_chart
from solver.study.study import Algorithm, Study
from solver.study.tables import named

GRAPHS = {"optimal": 1, "scorecard-based": 3, "dice-based": 5, "forced-scoring": 7}


def report(study: Study) -> str:
    sections = [
        paragraph(
            "Every table and graph of chapter 4 of the published study and of its appendices, "
            "with its figures and ours. Our means, medians and shares are exact, worked out "
            "without simulation; the largest and the least score are those of 100,000 simulated "
            "games, as theirs are."
        ),
        *overview(study),
        *(part for algorithm in study.algorithms for part in performance(algorithm)),
        *dice(study),
        *people(study.people),
        *same_value(study),
        *printed(study),
        heading("Disagreements"),
        table(tables.disagreements(study)),
        table(tables.draft_disagreements()),
    ]
    return page("The study's chapter 4, worked out again", sections)


def overview(study: Study) -> Iterator[str]:
    yield heading("All algorithms")
    yield table(tables.overview(study))
    yield table(lost())
    known = {a.player.id: a.exact.distribution for a in study.algorithms}
    yield figure(charts.several("How the four players score, exactly", known))


def performance(algorithm: Algorithm) -> Iterator[str]:
    yield heading(f"4.1 {algorithm.player.title}")
    told = [
        " ".join(p.replace("``", "").split()) for p in algorithm.player.description.split("\n\n")
    ]
    yield paragraph(told[0])
    yield table(tables.figures(algorithm))
    graph, title = GRAPHS[algorithm.player.id], algorithm.player.title
    exact = algorithm.exact.distribution
    yield figure(
        charts.score_by_score(f"{title}: games by score", algorithm.simulated, exact),
        f"As graph 4.{graph}. Simulated against exact: chi-squared {algorithm.fit.statistic:.1f} "
        f"with {algorithm.fit.degrees} degrees of freedom, p = {algorithm.fit.p:.2f}.",
    )
    yield figure(
        charts.against_published(f"{title}: games in tens", exact.in_tens(), algorithm.published),
        f"As graph 4.{graph + 1}, with the published one over it. {algorithm.distance:.1%} of the "
        "games lie in another ten.",
    )
    yield table(tables.tens(algorithm))
    if len(algorithm.readings) > 1:
        yield table(tables.readings(algorithm))
        yield paragraph(told[-1])


def dice(study: Study) -> Iterator[str]:
    yield heading("3.1 and 4.2.1 The dice")
    yield table(tables.real_dice(study.real))
    yield table(tables.dice(study))
    real, virtual = reported()["real_dice_test"], reported()["virtual_dice_test"]
    yield paragraph(
        f"The study gives a mean of {real['reported_mean']} for its real dice and of "
        f"{virtual['mean']} for {virtual['rolls']:,} virtual ones, of which it prints no counts. "
        f"With p above 0.05 nothing speaks against fair dice; but {study.real.dice} dice find "
        f"out a bias in 8 of 10 tests only if one face falls about {study.real.noticeable:.0%} "
        "of the time."
    )


def people(of: StudyPeople) -> Iterator[str]:
    theirs, perfect = of.published, of.perfect
    yield heading("4.2.2 The human trials")
    yield table(tables.people_figures(of))
    yield figure(
        charts.against_published(
            "People beside perfect play", perfect.in_tens(), theirs, "perfect play, exactly"
        ),
        "As graph 4.10. Graph 4.9 has the same games score by score; the study does not print "
        "the scores themselves.",
    )
    yield table(tables.people_tens(of))
    easier = of.above_players_who_lose(SMALL_LOSS).statistic
    yield paragraph(
        f"People averaged {theirs.mean} over {theirs.stated} games, {of.above.statistic:.1f} "
        f"standard errors above perfect play, which averages {perfect.mean:.2f}: so many perfect "
        f"games lie so far off, above or below, with p = {of.above.p:.3f}. Nobody can beat "
        "perfect play in the long run, so skill cannot be all of it: luck, a selection of the "
        "games or slips of the "
        f"pen must be part. For players who lose {SMALL_LOSS:g} points a game by mistakes the "
        f"distance is {easier:.1f} standard errors. Nor is it only the mean: {of.high} games have "
        f"{HIGH} points or more, where perfect play has {of.high_of_perfect:.0f} in as many. "
        "Scores alone cannot tell the reasons apart: for that the decisions would be needed."
    )


def same_value(study: Study) -> Iterator[str]:
    yield heading("4.3 The same-value test")
    yield table(tables.published_totals())
    yield figure(published_totals_chart(), "As graph 4.11.")
    yield paragraph(f"The study's dice are not known. On dice of our own (seed {study.seed}):")
    yield table(totals(study.same_value))
    yield table(costs(study.same_value))
    yield figure(totals_chart(study.same_value))


def published_totals_chart() -> Chart:
    rows = reported()["same_value_test"]["totals"]
    bands = tuple(f"game {row['game']}" for row in rows)
    layers = [
        Bars(bands, [row[player] for row in rows], named(player), place, len(PLAYERS))
        for place, player in enumerate(PLAYERS)
    ]
    return Chart("Scores on the same dice, as published", layers, y=Axis("points"))


def printed(study: Study) -> Iterator[str]:
    yield heading("Tables 4.7 to 4.11: the printed decisions")
    for turn in tables.printed_turns():
        yield table(turn)
    for player in PLAYERS:
        of = [r for r in study.printed if r.printed.player == player]
        same = sum(r.same for r in of)
        yield paragraph(f"{named(player)}: ours repeats {same} of {len(of)}.")
    yield table(tables.decisions(study))
