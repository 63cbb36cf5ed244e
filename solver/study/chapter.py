"""Chapter 4 of the study, compared with exact results: a report for the page, a file or a terminal.

``report_chapter`` formats the facts of ``study.make_study_facts``. ``report_appendix`` adds
simulations for the command: the games of every program, and a same-value test on our dice.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from math import hypot
from typing import Any

import numpy as np

from solver.arena.facts import make_same_value_facts
from solver.charts import Axis, Bars, Chart
from solver.charts.chart import Stage, Stages
from solver.dp.space import TILE
from solver.statistics.fairness import find_z_score
from solver.study import charts, effort, same_value
from solver.study.html import (
    NO_BREAK,
    Cell,
    Figure,
    Folded,
    Heading,
    Link,
    Paragraph,
    Part,
    TextTable,
    Words,
)
from solver.study.published import (
    HUMANS,
    PLAYERS,
    RULES,
    check_real_dice,
    list_printed_turns,
    read_real_dice_value,
    read_reported,
    require_published,
    round_percentage,
)
from solver.study.slips import DRAFT_SLIPS, SLIPS, Slip
from solver.study.study import GAMES, HIGH, SMALL_LOSS, Algorithm, Study
from solver.study.turns import NUMBER_RULES, REMARKS, Range, find_filled_boxes

Facts = Mapping[str, Any]
NEXT_TO_NOTHING = 0.005  # points; "none" is shown for a smaller cost
NARROW = "\N{NARROW NO-BREAK SPACE}"
# For each player: the number of the study's table that repeats part of the appendix, and the lowest
# and the highest score in this table.
EXCERPTS = {
    "optimal": ("4.1", 150, 269),
    "scorecard-based": ("4.2", 180, 239),
    "dice-based": ("4.3", 120, 179),
    "forced-scoring": ("4.4", 70, 119),
}
GRAPHS = {"optimal": 1, "scorecard-based": 3, "dice-based": 5, "forced-scoring": 7}


def report_chapter(facts: Facts, words: Words) -> Iterator[Part]:
    yield from report_strategies(facts, words)
    yield from report_points_lost(facts["points_lost"], words)
    yield from report_people(facts, words)
    yield from report_dice(words)
    yield from report_same_dice(facts, words)
    yield from report_effort(facts["graph"], words)
    title = words.gettext("Where its own numbers disagree")
    yield Heading(title, "slips")
    yield make_slip_table(SLIPS, title, words)


def name_program(player: str, words: Words) -> str:
    """Return our name for a program of the study. Its "optimal" program did not play perfectly."""
    if player == "optimal":
        return words.gettext("Optimal program")
    return words.player(player.replace("_", "-"))


def report_strategies(facts: Facts, words: Words) -> Iterator[Part]:
    _ = words.gettext
    rows: list[list[Cell]] = []
    for figures in facts["players"]:
        digits = 0 if float(figures["published_mean"]).is_integer() else 2
        link = Link(
            name_program(figures["player"], words), words.url("lab_player", figures["player"])
        )
        theirs = (figures["published_max"], figures["published_min"], figures["published_range"])
        ours = (
            figures["typical_max"],
            figures["typical_min"],
            figures["typical_max"] - figures["typical_min"],
        )
        means = words.number(figures["published_mean"], digits), words.number(figures["mean"], 2)
        medians = words.number(figures["published_median"], 0), words.number(figures["median"], 0)
        exact = _("perfect play, exact") if figures["player"] == "optimal" else _("exact")
        rows.append([link, means[0], medians[0], *map(str, theirs)])
        rows.append([exact, means[1], medians[1], *map(str, ours)])
    head = [_("Strategy"), _("Mean"), _("Median"), _("Largest"), _("Least"), _("Range")]
    title = _("Four strategies")
    yield Heading(title, "strategies")
    faint = frozenset(range(1, len(rows), 2))
    yield TextTable(title, head, rows, style="study__scores", captioned=False, faint=faint)
    note = _(
        "For each strategy, the upper row shows what the study prints for 100,000 games. The "
        "lower row shows exact figures for the strategy as we understand it; the highest and "
        "lowest scores in this row are typical of 100,000 games. Each strategy's own page shows "
        "its scores in bands of ten."
    )
    yield Paragraph(note, note=True)
    yield Paragraph(
        "",
        links=[Link(_("Which program did the study's authors run?"), words.url("study_readings"))],
    )


def report_points_lost(losses: Facts, words: Words) -> Iterator[Part]:
    _ = words.gettext
    title = _("Where the strategies lose points")
    holds = [_("Hold after roll %(number)s") % {"number": n} for n in range(1, RULES.throws)]
    names = [*holds, _("Box")]
    shares = []
    for player, facts in losses.items():
        share = facts["regret_by_kind"][-1] / facts["regret"]
        shares.append(f"{words.format_percent(share, 0)} ({words.player(player)})")
    answer = _(
        "The study examines which decisions make a difference to the score. By points lost, boxes "
        "matter more than holds: the choice of the box accounts for %(shares)s of the points that "
        "the study's strategies lose."
    )
    yield Heading(title, "lost")
    yield Paragraph(answer % {"shares": ", ".join(shares)})
    bands = tuple(map(words.player, losses))
    by_kind = zip(names, *(figures["regret_by_kind"] for figures in losses.values()), strict=True)
    layers = [
        Bars(bands, costs, name, place, len(names), [words.number(cost, 0) for cost in costs])
        for place, (name, *costs) in enumerate(by_kind)
    ]
    yield Figure(
        words.adapt_chart(
            Chart(_("Points lost per game, by decision"), layers, y=Axis(_("points")))
        ),
        _("Which decisions cost the strategies most? Points lost per game"),
    )
    rows: list[list[Cell]] = [
        [
            Link(words.player(player), words.url("lab_player", player, part="#lost")),
            *(words.number(cost) for cost in (figures["regret"], *figures["regret_by_kind"])),
            _name_costliest(figures["regret_by_box"], words),
            _name_costliest(figures["regret_by_best_box"], words),
        ]
        for player, figures in losses.items()
    ]
    head = [_("Strategy"), _("Points lost per game"), *names]
    head += [_("Costliest box filled"), _("Costliest box not filled")]
    yield TextTable(title, head, rows, style="study__lost", captioned=False)
    note = _(
        "We compare every decision with perfect play, and weight its cost by its frequency. "
        "All costs together are exactly the points that a strategy scores below perfect play. "
        "The cost of a box includes its effect on the rest of the game, including the bonus."
    )
    more = _(
        "Two strategies can also differ only in their holds, while both fill the same boxes. The "
        "workbench shows an example."
    )
    yield Paragraph(f"{note} {more}", note=True)
    workbench = _("Workbench for Yatzy: the holds of one strategy, the boxes of another")
    yield Paragraph("", links=[Link(workbench, words.url("workbench"))])


def _name_costliest(costs: Mapping[str, float], words: Words) -> str:
    box = max(costs, key=lambda name: costs[name])
    return f"{words.box(RULES, box)} ({words.number(costs[box])})"


def report_people(facts: Facts, words: Words) -> Iterator[Part]:
    _ = words.gettext
    people_facts = facts["people"]
    title = _("Six people")
    yield Heading(title, "people")
    yield from map(Paragraph, describe_people(people_facts, words))
    theirs, ours = (
        [
            words.number(people_facts[f"{whose}mean"], 2),
            words.number(people_facts[f"{whose}median"], 0),
            str(people_facts[f"{extremes}max"]),
            str(people_facts[f"{extremes}min"]),
            str(people_facts[f"{extremes}max"] - people_facts[f"{extremes}min"]),
        ]
        for whose, extremes in (("published_", "published_"), ("", "typical_"))
    )
    games = str(people_facts["published_games"])
    names = [_("Mean"), _("Median"), _("Largest"), _("Least"), _("Range")]
    rows = [
        [_("Games"), games, games],
        [_("Games in the printed table"), str(people_facts["published_games_counted"]), "–"],
        *map(list, zip(names, theirs, ours, strict=True)),
        [
            _("Games of %(points)s points or more") % {"points": HIGH},
            str(people_facts["high_games"]),
            words.number(people_facts["high_games_of_perfect"]),
        ],
    ]
    yield TextTable(title, ["", _("Published"), _("Perfect play")], rows, captioned=False)
    caption = _(
        "Do people play perfectly? Scores of people and of perfect play, in groups of ten points"
    )
    yield Figure(draw_people_chart(people_facts, words), caption)
    rows = [
        [
            _("%(low)s to %(high)s") % {"low": ten["from"], "high": ten["to"]},
            str(ten["count"]),
            *(words.format_percent(ten[key] / 100, 2) for key in ("percent", "cumulated_percent")),
            words.format_percent(ten["exact_share"]),
        ]
        for ten in people_facts["tens"]
    ]
    title = _("Scores of people in bands of ten, as appendix B prints them")
    head = [_("Score"), _("Games"), _("Share"), _("Cumulative share"), _("Perfect play")]
    yield Folded(title, [TextTable(title, head, rows, style="study__tens", captioned=False)])


def draw_people_chart(people_facts: Facts, words: Words) -> Chart:
    _ = words.gettext
    means = {
        "theirs": words.number(people_facts["published_mean"], 2),
        "perfect": words.number(people_facts["mean"], 2),
    }
    label = _("the people's mean: %(mean)s") % {
        "mean": words.number(people_facts["published_mean"])
    }
    caption = _("The people's mean is %(theirs)s; the mean of perfect play is %(perfect)s.") % means
    return words.adapt_chart(
        charts.draw_overlaid_tens(
            _("Scores of the study's people and of perfect play, in bands of ten"),
            {
                _("people"): require_published(HUMANS).shares,
                _("perfect play"): np.array(people_facts["exact_tens"]),
            },
            words,
            mean=(people_facts["published_mean"], label),
            description=caption,
        )
    )


def describe_people(people_facts: Facts, words: Words) -> Iterator[str]:
    _ = words.gettext
    text = _(
        "Perfect play averages %(perfect)s points per game. Over %(games)s games, the people "
        "averaged %(mean)s points, which is %(above)s standard errors more (a standard error is "
        "%(error)s points). By luck, perfect play would differ that much from its average, in "
        "either direction, with probability p = %(p)s."
    )
    yield text % {
        "games": people_facts["published_games"],
        "mean": words.number(people_facts["published_mean"], 2),
        "perfect": words.number(people_facts["mean"], 2),
        "error": words.number(people_facts["standard_error"]),
        "above": words.number(people_facts["standard_errors_above"]),
        "p": words.number(people_facts["p"], 3),
    }
    test, with_own_dice = check_real_dice(), read_real_dice_value()
    left, error = (
        people_facts["published_mean"] - with_own_dice.value,
        people_facts["standard_error"],
    )
    text = _(
        "This comparison assumes fair dice. The study's own %(dice)s dice showed %(shown)s on "
        "average; fair dice average 3.5. Suppose all the study's dice were like these. Then a "
        "perfect player who knows their chances averages %(value)s points. The true average may "
        "be anything from %(low)s to %(high)s, because the study counted only few dice."
    )
    yield text % {
        "dice": words.format_whole(test.dice),
        "shown": words.number(test.mean, 2),
        "value": words.number(with_own_dice.value, 2),
        "low": words.number(with_own_dice.low),
        "high": words.number(with_own_dice.high),
    }
    text = _(
        "With such dice, the people's lead is %(left)s standard errors of the 300 games, or "
        "%(both)s if we include the uncertainty about the dice. Such dice alone would explain "
        "most of the lead. The study's test of its dice does not show whether they were so uneven."
    )
    yield text % {
        "left": words.number(left / error, 2),
        "both": words.number(left / hypot(error, with_own_dice.error), 2),
    }
    text = _(
        "No one can beat perfect play in the long run, so skill cannot explain the people's whole "
        "lead. Luck, a selection of games or clerical errors must contribute. The less perfect "
        "the players are, the more these causes must explain. If the people's mistakes cost "
        "%(loss)s points per game, their mean is %(above)s standard errors above the score that "
        "they can expect."
    )
    above = words.number(people_facts["standard_errors_above_if_losing"])
    yield text % {"loss": words.format_whole(round(SMALL_LOSS)), "above": above}
    text = _(
        "The people's scores do not look like those of perfect play either: %(games)s scores "
        "are %(high)s points or more, while perfect play would have %(expected)s such scores "
        "in the same number of games."
    )
    expected = words.number(people_facts["high_games_of_perfect"])
    yield text % {"games": people_facts["high_games"], "high": HIGH, "expected": expected}
    yield _(
        "Scores alone cannot show which of these causes explains the lead. If you record every"
        " decision, you can separate luck and skill."
    )


def report_dice(words: Words) -> Iterator[Part]:
    _ = words.gettext
    test, stated = check_real_dice(), read_reported()["real_dice_test"]["reported_total"]
    yield Heading(_("The dice"), "dice")
    text = _(
        "Before the people played, the study's authors tested the dice. The study states that the "
        "authors rolled %(dice_stated)s dice, and it prints shares of this number. But its counts "
        "add up to %(counted)s."
    )
    yield Paragraph(text % {"dice_stated": stated, "counted": test.dice})
    rows = [
        [
            str(face),
            str(count),
            *(
                words.format_percent(round_percentage(count, total) / 100)
                for total in (stated, test.dice)
            ),
        ]
        for face, count in enumerate(test.counts, start=1)
    ]
    head = [_("Face"), _("Fell"), _("Published share"), _("Share")]
    yield TextTable(_("Real dice"), head, rows)
    verdict = " ".join(
        [same_value.describe_result(test, words), *same_value.describe_limits(test, words)]
    )
    link = Link(_("The test of these dice"), words.url("dice_test", part="?of=study"))
    yield Paragraph(verdict, links=[link])
    virtual = read_reported()["virtual_dice_test"]
    text = _(
        "For %(dice)s virtual dice the study prints only the mean, %(mean)s. This mean is %(off)s "
        "standard errors from 3.5, which fits fair dice. Uneven dice can have the same mean."
    )
    verdict = text % {
        "dice": words.format_whole(virtual["rolls"]),
        "mean": words.number(virtual["mean"], 5),
        "off": words.number(find_z_score(virtual["mean"], virtual["rolls"])),
    }
    link = Link(_("Roll virtual dice"), words.url("dice_test", part="#virtual"))
    yield Paragraph(verdict, links=[link])


def report_same_dice(facts: Facts, words: Words) -> Iterator[Part]:
    _ = words.gettext
    games, names = (
        read_reported()["same_value_test"]["totals"],
        [name_program(p, words) for p in PLAYERS],
    )
    title = _("Published scores on the same dice")
    yield Heading(_("On the same dice"), "same-dice")
    rows = [[str(row["game"]), *(str(row[player]) for player in PLAYERS)] for row in games]
    yield TextTable(title, [_("Game"), *names], rows)
    bands = tuple(_("Game %(number)s") % {"number": row["game"]} for row in games)
    layers = [
        Bars(bands, [row[player] for row in games], name, place, len(names))
        for place, (player, name) in enumerate(zip(PLAYERS, names, strict=True))
    ]
    yield Figure(
        words.adapt_chart(Chart(title, layers, y=Axis(_("points")))),
        _("Who scored most? Published scores on the same dice"),
    )
    link = Link(_("The same players on this site's dice"), words.url("same_value"))
    yield Paragraph(_("The study's dice are not known."), links=[link])
    yield Heading(_("The study's printed turns"), level=3)
    yield Paragraph(
        _(
            "The study prints seven turns of this test. If the study names the filled boxes of a "
            "turn, we calculate the cost of its decisions for every upper total that the boxes "
            "allow."
        )
    )
    turns = zip(list_printed_turns(), facts["turn_costs"], REMARKS, strict=True)
    for turn, costs, (says, ranges) in turns:
        title = format_turn_title(turn, words)
        rows = list(_list_turn_rows(turn, costs, words))
        table = TextTable(title, ["", *names], rows, len(names) + 1, "study__turn", captioned=False)
        yield Folded(title, [table])
        remark = _(says) % {name: format_range(*cost, words) for name, cost in ranges.items()}
        yield Paragraph(re.sub(r"\b(\d) (?=\d\b)", rf"\1{NARROW}", remark))
    title = _("Which numbers the study's dice showed")
    yield Heading(title, "numbers", 3)
    yield Paragraph(
        _(
            "The authors prepared three numbers for each die of a turn, the same for all programs "
            "(section 3.1). The study does not state which number a held die shows when a player "
            "rolls it later. It does not state the order of the dice either. So we tried every "
            "rule with every order of the dice."
        )
    )
    rows = [
        [
            _(rule),
            "; ".join(format_turn_title(list_printed_turns()[n], words) for n in unexplained)
            or "–",
        ]
        for rule, unexplained in NUMBER_RULES
    ]
    head = [_("Number on a rolled die"), _("Unexplained turns")]
    yield TextTable(title, head, rows, 2, "study__slips", captioned=False)
    yield Paragraph(
        _(
            "Several rules explain all seven turns. The turns do not show which of these rules "
            "the study used."
        )
    )


def format_turn_title(turn: Any, words: Words) -> str:
    facts = {"table": turn["table"], "game": turn["game"], "round": turn["round"]}
    return words.gettext("Table %(table)s: game %(game)s, round %(round)s") % facts


def _list_turn_rows(turn: Any, costs: Mapping[str, Range], words: Words) -> Iterator[list[str]]:
    _ = words.gettext

    def format_choices(step: str) -> list[str]:
        return [_format_choice(turn[player][step], words) for player in PLAYERS]

    filled = []
    for player in PLAYERS:
        boxes = find_filled_boxes(turn, player)
        named = ", ".join(words.box(RULES, box) for box in boxes or ())
        filled.append(_("not stated") if boxes is None else named or _("nothing"))
    yield [_("Filled before"), *filled]
    yield [_("First roll"), *[_format_choice(turn["throw"], words)] * len(PLAYERS)]
    yield [_("Holds"), *format_choices("keep1")]
    yield [_("Second roll"), *format_choices("throw2")]
    yield [_("Holds"), *format_choices("keep2")]
    yield [_("Result"), *format_choices("result")]
    yield [_("Box"), *format_choices("category")]
    shown = [
        (_("none") if costs[player][1] < NEXT_TO_NOTHING else format_range(*costs[player], words))
        if player in costs
        else _("cannot be calculated")
        for player in PLAYERS
    ]
    yield [_("Cost of the decisions, in points"), *shown]


def _format_choice(choice: str | Sequence[int], words: Words) -> str:
    if isinstance(choice, str):
        return words.box(RULES, choice)
    return NARROW.join(map(str, choice)) or "–"


def format_range(low: float, high: float, words: Words) -> str:
    """Format a cost in points. If the upper total is unknown, format the range of the cost."""
    if high - low < NEXT_TO_NOTHING:
        return words.number(high, 2)
    ends = {"low": words.number(low, 2), "high": words.number(high, 2)}
    return words.gettext("%(low)s to %(high)s") % ends


def report_effort(sets: Sequence[Facts], words: Words) -> Iterator[Part]:
    _ = words.gettext
    ours, title = effort.read_measured(), _("Time and memory")
    yield Heading(title, "effort")
    head = ["", _("The study"), _("This program")]
    yield TextTable(title, head, list(effort.list_rows(ours, words)), captioned=False)
    text = _(
        "The study's section numbers are in brackets. The study says only that its machine had "
        "16 GB of memory. We measured this program, already compiled, on %(day)s with %(cores)s "
        "cores (%(processor)s). With compiling, the second figure is %(effort_first)s."
    )
    machine = {"day": words.day(ours["date"]), "cores": ours["cores"]}
    machine |= {"processor": ours["processor"]}
    first = effort.format_amount({"value": ours["first"], "of": "seconds"}, words)
    yield Paragraph(text % (machine | {"effort_first": first}), note=True)
    yield Heading(_("The graph of all states"), "graph", 3)
    names = {
        "cards": _("%(set)s: cards before a roll"),
        "rolls": _("%(set)s: positions after roll %(number)s"),
        "holds": _("%(set)s: dice held after roll %(number)s"),
    }
    stages = [
        Stage(
            names[graph_set["kind"]]
            % {"set": graph_set["name"], "number": graph_set["number"] // 2},
            words.format_whole(graph_set["defined"]),
            graph_set["defined"],
            graph_set["reached"],
        )
        for graph_set in sets
    ]
    told_of = _(
        "A roll leads from V1 to V2, and from each set of held dice to the next set. A hold leads "
        "from a roll to the held dice. A box leads from the last set back to V1."
    )
    keys = _("states as the study defines them"), _("states that a game can reach")
    caption = _("How many states of the graph can a game reach?")
    yield Figure(Stages(_("States of the graph"), told_of, keys, stages), caption)
    counts = ("defined", "reached", "solved")
    rows = [
        [graph_set["name"], *(words.format_whole(graph_set[name]) for name in counts)]
        for graph_set in sets
    ]
    rows.append(["V1–V3", words.format_whole(read_reported()["graph"]["states"]), "–", "–"])
    sums = [words.format_whole(sum(graph_set[name] for graph_set in sets)) for name in counts]
    rows.append([f"V1–{sets[-1]['name']}", *sums])
    head = [_("States"), _("The study"), _("Reached"), _("Calculated")]
    title = _("The graph of all states")
    yield TextTable(title, head, rows, style="study__counts", captioned=False)
    text = _(
        "In many states of the study, the filled boxes cannot add up to the upper total. This "
        "program needs fewer states than a game can reach, because it treats all upper totals as "
        "one once the bonus is lost. It stores one value for each state of V1, %(stored)s in all. "
        "It calculates the other sets for a few cards at a time, with memory for %(at_work)s "
        "values."
    )
    at_work = words.format_whole(len(RULES.cup.holds) * TILE)
    machine = {"stored": words.format_whole(sets[0]["defined"]), "at_work": at_work}
    yield Paragraph(text % machine, note=True)


def make_slip_table(every_slip: Sequence[Slip], title: str, words: Words) -> TextTable:
    _ = words.gettext
    head = [_("Where"), _("It says"), _("But")]
    rows = [slip.translate_texts(words) for slip in every_slip]
    return TextTable(title, head, rows, 3, "study__slips", captioned=False)


def report_appendix(study: Study) -> Iterator[Part]:
    """Yield the parts that only `./yatzy solver study` prints: simulations and details."""
    words = Words()
    known = {algorithm.player.id: algorithm.exact.distribution for algorithm in study.algorithms}
    yield Heading("All algorithms")
    yield Figure(charts.draw_distributions("How the four players score, exactly", known))
    for algorithm in study.algorithms:
        yield from report_performance(algorithm, words)
    yield Heading("4.2.1 Virtual dice of this program")
    yield from same_value.report_test(study.virtual, words)
    yield Heading("4.3 The same-value test")
    yield Paragraph(f"On dice of our own (seed {study.seed}):")
    yield from same_value.report_totals(make_same_value_facts(study.same_value), words)
    yield Heading("Tables 4.7 to 4.11: the printed decisions")
    for player in PLAYERS:
        same = [repeated.same for repeated in study.printed if repeated.printed.player == player]
        name = player.replace("_", "-")
        yield Paragraph(f"{name}: ours repeats {sum(same)} of {len(same)}.")

    def format_text(text: str) -> str:
        return text.replace(" ", NO_BREAK) if text[:1].isdigit() else text.replace("_", " ")

    rows = [
        [
            r.printed.table,
            f"{r.printed.game}.{r.printed.round}",
            r.printed.player.replace("_", "\N{NON-BREAKING HYPHEN}"),
            NO_BREAK.join(map(str, r.printed.dice)),
            format_text(r.printed.choice),
            "the same" if r.same else " or ".join(map(format_text, r.ours)),
            "none" if r.printed.cost[1] < NEXT_TO_NOTHING else format_range(*r.printed.cost, words),
        ]
        for r in study.printed
    ]
    head = ["table", "round", "player", "dice", "it chose", "ours", "cost"]
    caption = (
        "Every printed decision whose filled boxes the study names: round 2.4 is the fourth of "
        "game 2, and the cost is in points"
    )
    yield TextTable(caption, head, rows, left=len(head))
    yield Heading("Disagreements")
    caption = "Where the drafts on policy gradients disagree with themselves"
    yield make_slip_table(DRAFT_SLIPS, caption, words)


def report_performance(algorithm: Algorithm, words: Words) -> Iterator[Part]:
    theirs, games, exact = algorithm.published, algorithm.simulated, algorithm.exact.distribution
    title, graph = algorithm.player.title, GRAPHS[algorithm.player.id]
    about = algorithm.player.description.split("\n\n")
    paragraphs = [" ".join(text.replace("``", "").split()) for text in about]
    yield Heading(f"4.1 {title}")
    yield Paragraph(paragraphs[0])
    rows = [
        ["mean", str(theirs.mean), f"{exact.mean:.2f}"],
        ["mean by its table", f"{theirs.mean_of_counts:.2f}", ""],
        ["median", str(theirs.median), str(exact.median)],
        [f"largest of {GAMES:,}", str(theirs.most), str(games.most)],
        [f"least of {GAMES:,}", str(theirs.least), str(games.least)],
        ["range", str(theirs.range), str(games.most - games.least)],
        ["standard deviation", "", f"{exact.deviation:.1f}"],
        ["games with the bonus", "", f"{exact.bonus_probability:.1%}"],
        [f"seconds for {GAMES:,}", f"{theirs.seconds:,}", f"{games.seconds:.2f}"],
    ]
    yield TextTable(f"{title}: figures", ["", "published", "ours"], rows)
    yield Figure(
        charts.draw_scores(f"{title}: games by score", games, exact),
        f"As graph 4.{graph}. Simulated against exact: chi-squared {algorithm.fit.statistic:.1f} "
        f"with {algorithm.fit.degrees} degrees of freedom, p = {algorithm.fit.p:.2f}.",
    )
    far = algorithm.readings[0].distance
    shares = {"exact": exact.group_in_tens(), "published": theirs.shares}
    yield Figure(
        charts.draw_overlaid_tens(f"{title}: games in bands of ten", shares, words),
        f"As graph 4.{graph + 1}, with the published scores. {far:.1%} of the games are in "
        "another group of ten.",
    )
    number, low, high = EXCERPTS[algorithm.player.id]
    rows = []
    for row in theirs.rows():
        share = exact.below(row.low + 9.5) - exact.below(row.low - 0.5)
        ours = [f"{share:.2%}", f"{exact.below(row.low + 9.5):.2%}"]
        printed = [f"{row.count:,}", f"{row.percent:.2f}%", f"{row.up_to_here:.2f}%"]
        rows.append([f"{row.low} to {row.low + 9}".replace(" ", NO_BREAK), *printed, *ours])
    head = ["score", "games, published", "share", "up to here", "our share", "up to here"]
    caption = f"all of appendix A; table {number} has {low} to {high} of it"
    yield TextTable(f"{title}: games in bands of ten, {caption}", head, rows)
    if len(algorithm.readings) > 1:
        rows = [
            [r.name, r.says, f"{r.mean:.2f}", str(r.median), f"{r.distance:.1%}"]
            for r in algorithm.readings
            if r.distance is not None
        ]
        caption = "readings that the text allows, with exact figures; ours is first"
        head = ["reading", "it takes", "mean", "median", "distance"]
        yield TextTable(f"{title}: {caption}", head, rows, left=2)
        yield Paragraph(paragraphs[-1])
