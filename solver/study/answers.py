"""Eight common questions about dice games, each with an answer, a figure and a source.

    ./yatzy solver study --answers --write    calculate the facts again: a minute

The page `/lab/answers/` and the command show the same report. Its facts are in the file `DATA`.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from solver.charts import Axis, Bars, Chart, Line, Rule
from solver.study.chapter import draw_people_chart
from solver.study.html import Figure, Folded, Heading, Link, Paragraph, Part, TextTable, Words
from solver.study.study import read_stored_facts

DATA = Path(__file__).with_name("data") / "answers.json"
LOW = 200
EARLY_GAMES = 8000
BEST_PUBLISHED, EARLY_PUBLISHED = 241.78, 241.6  # points per game; sources.json names the authors
PUBLISHED_WON = 67  # games of 100 that the published program won

Facts = Mapping[str, Any]


@cache
def read_stored_answers() -> dict[str, Any]:
    facts: dict[str, Any] = json.loads(DATA.read_text(encoding="utf-8"))
    return facts


def report_answers(facts: Facts, words: Words) -> Iterator[Part]:
    for question in (
        report_simple_rules,
        report_people,
        report_halves,
        report_risks,
        report_tournament,
        report_learner,
        report_smallest,
        report_games_needed,
    ):
        yield from question(facts, words)


def _draw_bars(
    words: Words, title: str, values: Mapping[str, float], unit: str, *rules: Rule
) -> Figure:
    _ = words.gettext
    names = {
        "optimal": _("Perfect"),
        "learned": _("Learned"),
        "playbook-30": _("30 rules"),
        "playbook-20": _("20 rules"),
        "playbook-10": _("10 rules"),
        "greedy": _("Greedy"),
    }
    written = [words.number(value) for value in values.values()]
    layer = Bars(tuple(names[key] for key in values), list(values.values()), values=written)
    return Figure(words.adapt_chart(Chart(title, [layer, *rules], y=Axis(unit))), title)


def _make_answer_parts(
    words: Words,
    heading: Heading,
    sentence: str,
    figure: Figure,
    source: str,
    command: str,
    links: Sequence[tuple[str, str]],
    more: Sequence[Part] = (),
) -> Iterator[Part]:
    _ = words.gettext
    yield heading
    yield Paragraph(sentence)
    yield figure
    if more:
        yield Folded(_("More about this answer"), more)
    text = _("Source: %(source)s. In a terminal: %(command)s")
    yield Paragraph(text % {"source": source, "command": command}, note=True)
    yield Paragraph("", links=[Link(link, address) for link, address in links])


def report_simple_rules(facts: Facts, words: Words) -> Iterator[Part]:
    _ = words.gettext
    means = facts["means"]
    text = _(
        "Yes: a bot that follows ten rules in plain words averages %(ten)s points, a bot with "
        "thirty rules averages %(thirty)s, and perfect play averages %(perfect)s."
    )
    shown = {
        "optimal": means["optimal"],
        "learned": means["learned-yatzy"],
        "playbook-30": means["playbook-30"],
        "playbook-10": means["playbook-10"],
        "greedy": means["greedy"],
    }
    yield from _make_answer_parts(
        words,
        Heading(_("Can simple rules come near perfect play?"), "simple"),
        text
        % {
            "ten": words.number(means["playbook-10"]),
            "thirty": words.number(means["playbook-30"]),
            "perfect": words.number(means["optimal"]),
        },
        _draw_bars(words, _("Exact average score"), shown, _("points")),
        _("exact results of this program"),
        "./yatzy solver evaluate playbook-10",
        [(_("Read the rules and try to improve them"), words.url("playbook"))],
    )


def report_people(facts: Facts, words: Words) -> Iterator[Part]:
    _ = words.gettext
    series = facts["people"]
    text = _(
        "No: perfect play averages %(perfect)s points, and no one beats that in the long run; "
        "the six people averaged %(people)s points in %(games)s games, which perfect play "
        "reaches only with luck, in %(p)s of such series."
    )
    note = _(
        "The study compared its people with a program that averaged 213 points and was not optimal."
    )
    caption = _(
        "Do people play perfectly? Scores of people and of perfect play, in groups of ten points"
    )
    yield from _make_answer_parts(
        words,
        Heading(_("Are people better than the optimal program?"), "people"),
        text
        % {
            "perfect": words.number(series["mean"], 2),
            "people": words.number(series["published_mean"], 2),
            "games": series["published_games"],
            "p": words.format_percent(series["p"] / 2),
        },
        Figure(draw_people_chart(read_stored_facts()["people"], words), caption),
        "Jendeberg, Wikstén 2015",
        "./yatzy solver study",
        [(_("The study's people"), words.url("study", part="#people"))],
        [Paragraph(note)],
    )


def report_halves(facts: Facts, words: Words) -> Iterator[Part]:
    _ = words.gettext
    half = facts["halves"]
    text = _(
        "The answer depends on how you count: the boxes that dice-based play chooses cost more"
        " than its holds (%(boxes)s and %(holds)s points), but perfect holds would raise its "
        "average more than perfect boxes would (to %(perfect_holds)s and %(perfect_boxes)s)."
    )
    why = _(
        "The cost of a decision assumes perfect play afterwards, so the two ways do not add up: "
        "perfect holds bring good dice even to badly chosen boxes, and bad holds bring poor dice "
        "to well-chosen boxes."
    )
    gained = [half["perfect_boxes"] - half["mean"], half["perfect_holds"] - half["mean"]]
    costs = [half["lost_by_boxes"], half["lost_by_holds"]]
    bands = (_("boxes"), _("holds"))
    layers = [
        Bars(bands, heights, label, place, 2, [words.number(height) for height in heights])
        for place, (heights, label) in enumerate(
            [(costs, _("points lost")), (gained, _("points gained by perfect decisions"))]
        )
    ]
    title = _("Dice-based play: points lost by boxes and by holds, counted in two ways")
    yield from _make_answer_parts(
        words,
        Heading(
            _("What matters more: the dice that you hold, or the box that you choose?"), "halves"
        ),
        text
        % {
            "boxes": words.number(half["lost_by_boxes"]),
            "holds": words.number(half["lost_by_holds"]),
            "perfect_holds": words.number(half["perfect_holds"], 2),
            "perfect_boxes": words.number(half["perfect_boxes"], 2),
        },
        Figure(words.adapt_chart(Chart(title, layers, y=Axis(_("points")))), title),
        _("exact results of this program"),
        "./yatzy solver mix optimal dice-based",
        [(_("Mix any two strategies"), words.url("workbench"))],
        [Paragraph(why)],
    )


def report_risks(facts: Facts, words: Words) -> Iterator[Part]:
    _ = words.gettext
    players, humps = facts["risks"], facts["humps"]
    best, greedy = players["optimal"], players["greedy"]
    text = _(
        "Perfect play takes risks, and yet rarely scores low: its scores spread as widely as "
        "those of greedy play (standard deviations of %(sd)s and %(greedy_sd)s points), but "
        "only %(share)s of its games end below %(low)s points, compared with %(greedy_share)s "
        "of the games of greedy play."
    )
    tens = [10 * n + 5 for n in range(len(humps["with"]))]
    layers = [
        Line(tens, humps["with"], _("with the bonus"), series=1),
        Line(tens, humps["without"], _("without it"), series=2),
    ]
    title = _("Perfect play: games with the bonus and without it")
    axes = Axis(_("final score")), Axis(_("games"), low=0.0, percent=True)
    head = [
        _("Player"),
        _("Mean"),
        _("Standard deviation"),
        _("1 in 20 games scores at most"),
        _("1 in 100 games scores at most"),
    ]
    rows = [
        [
            words.player(name),
            words.number(row["mean"]),
            words.number(row["sd"]),
            str(row["one_in_twenty"]),
            str(row["one_in_hundred"]),
        ]
        for name, row in players.items()
    ]
    bonus = _(
        "The bonus causes the two humps: perfect play gets the bonus in %(bonus)s of its games."
    )
    yield from _make_answer_parts(
        words,
        Heading(_("Does the perfect player avoid risks and rarely score low?"), "risks"),
        text
        % {
            "sd": words.number(best["sd"]),
            "greedy_sd": words.number(greedy["sd"]),
            "low": LOW,
            "share": words.format_percent(best["low"]),
            "greedy_share": words.format_percent(greedy["low"]),
        },
        Figure(words.adapt_chart(Chart(title, layers, *axes, labels_at_lines=True)), title),
        _("exact results of this program"),
        "./yatzy solver distribution optimal",
        [(_("Every player's scores"), words.url("lab"))],
        [
            Paragraph(bonus % {"bonus": words.format_percent(humps["bonus"])}),
            TextTable(_("Spread and low scores of the strategies"), head, rows),
        ],
    )


def report_tournament(facts: Facts, words: Words) -> Iterator[Part]:
    _ = words.gettext
    table = facts["tournament"]
    wins: Mapping[str, float] = table["against_greedy"]
    text = _(
        "Perfect play wins, but narrowly: it wins %(share)s of the games at a table of "
        "%(players)s players, and %(wins)s of the games against greedy play; a program of 2018"
        " won 67 %% of such games."
    )
    note = _(
        "The program of 2018 played against a bot that plans only its current turn, as greedy "
        "play does. %(count)s of the lab's players win at least 67 %% of their games against "
        "greedy play."
    )
    title = _("Games of Yahtzee won against greedy play, in percent")
    shown = {
        "optimal": wins["optimal"],
        "learned": wins["learned-yahtzee"],
        "playbook-30": wins["playbook-30"],
        "playbook-20": wins["playbook-20"],
        "playbook-10": wins["playbook-10"],
    }
    percent = {name: 100 * share for name, share in shown.items()}
    rule = Rule(y=PUBLISHED_WON, label=_("published"), series=2)
    reached = [name for name, share in wins.items() if 100 * share >= PUBLISHED_WON]
    yield from _make_answer_parts(
        words,
        Heading(_("Who wins the tournament of Yahtzee programs?"), "tournament"),
        text
        % {
            "players": table["players"],
            "share": words.format_percent(table["points"]),
            "wins": words.format_percent(wins["optimal"]),
        },
        _draw_bars(words, title, percent, "%", rule),
        "Kang, Schroeder 2018",
        "./yatzy solver tournament optimal greedy --ruleset yahtzee --games 2000",
        [
            (_("The whole tournament"), words.url("lab_tournament", "yahtzee")),
            (_("Play against the bots"), words.url("duels")),
        ],
        [Paragraph(note % {"count": len(reached)})],
    )


def report_learner(facts: Facts, words: Words) -> Iterator[Part]:
    _ = words.gettext
    learned = facts["learner"]
    gap, left = learned["optimum"] - BEST_PUBLISHED, learned["optimum"] - learned["mean"]
    text = _(
        "After a million games of Yahtzee, our learner averages %(mean)s of the %(optimum)s "
        "points of perfect play, and closes %(share)s of the gap that the best published "
        "result, %(published)s, leaves."
    )
    note = _(
        "In the paper's evaluation file and table, %(published)s is the mean; only the paper's"
        " abstract calls this number the median. Another project reports %(early)s points "
        "after %(games)s games without bonus chips, but from only 100 test games. After the "
        "same number of games, our learner that knows the chances of the dice has an exact "
        "average of %(ours)s points."
    )
    games, means = zip(*learned["curve"], strict=True)
    layers = [
        Line([count / 1000 for count in games], list(means)),
        Rule(y=learned["optimum"], label=_("perfect play"), series=1),
        Rule(y=BEST_PUBLISHED, label=_("best published"), series=2),
    ]
    title = _("Average score of a learner of Yahtzee")
    axes = Axis(_("thousands of training games")), Axis(_("points"))
    yield from _make_answer_parts(
        words,
        Heading(
            _("How well can a program learn to play if it starts with no knowledge of the game?"),
            "learner",
        ),
        text
        % {
            "mean": words.number(learned["mean"], 2),
            "optimum": words.number(learned["optimum"], 2),
            "published": words.number(BEST_PUBLISHED, 2),
            "share": words.format_percent((gap - left) / gap, 0),
        },
        Figure(words.adapt_chart(Chart(title, layers, *axes)), title),
        "Pape 2025",
        "./yatzy solver evaluate learned-yahtzee --ruleset yahtzee",
        [(_("What learners misplay"), words.url("lab_learners", "yahtzee"))],
        [
            Paragraph(
                note
                % {
                    "published": words.number(BEST_PUBLISHED, 2),
                    "early": words.number(EARLY_PUBLISHED),
                    "games": words.format_whole(EARLY_GAMES),
                    "ours": words.number(learned["early"]),
                }
            )
        ],
    )


def report_smallest(facts: Facts, words: Words) -> Iterator[Part]:
    _ = words.gettext
    lesson = facts["smallest"]
    last, best = lesson["while_learning"]["four boxes"], lesson["players"]
    text = _(
        "After 100,000 games, SARSA needs %(turns)s turns for the four boxes and scores "
        "%(points)s points; its source printed 19 turns and 84 points, and the fewest possible"
        " turns are %(fewest)s."
    )
    note = _(
        "These results are for the published settings, with which SARSA never stops exploring."
        " If the settings decrease during training, SARSA needs %(learned)s turns."
    )
    head = [_("Lesson"), _("Turns"), _("Points"), _("Published")]
    names = [
        _("four boxes"),
        _("three of a kind"),
        _("three of a kind; a wasted turn costs 5 points"),
    ]
    published = ["19, 84", "4, 16", "2, 13"]
    rows = [
        [name, words.number(trial["turns"]), words.number(trial["points"]), theirs]
        for name, trial, theirs in zip(
            names, lesson["while_learning"].values(), published, strict=True
        )
    ]
    yield from _make_answer_parts(
        words,
        Heading(_("How long does the smallest game take to learn?"), "smallest"),
        text
        % {
            "turns": words.number(last["turns"]),
            "points": words.number(last["points"]),
            "fewest": words.number(best["fewest turns"]["turns"]),
        },
        draw_smallest_curve(lesson, words),
        "Tel Aviv University",
        "./yatzy solver learn sarsa --values source --json",
        [(_("The smaller game"), words.url("lab_learners"))],
        [
            Paragraph(note % {"learned": words.number(best["learned"]["turns"])}),
            TextTable(_("The last hundredth of training, with the published settings"), head, rows),
        ],
    )


def draw_smallest_curve(lesson: Facts, words: Words) -> Figure:
    _ = words.gettext
    layers = [
        Line(
            [point["games"] / 1000 for point in lesson["curve"]],
            [point["turns"] for point in lesson["curve"]],
        ),
        Rule(y=lesson["players"]["fewest turns"]["turns"], label=_("fewest possible"), series=1),
    ]
    title = _("Turns per game while SARSA learned, with decreasing settings")
    axes = Axis(_("thousands of training games")), Axis(_("turns"))
    return Figure(words.adapt_chart(Chart(title, layers, *axes)), title)


def report_games_needed(facts: Facts, words: Words) -> Iterator[Part]:
    _ = words.gettext
    needed = facts["apart"]
    five = needed["games"]["5"]
    text = _(
        "If one player is better by 5 points per game, scores show the difference in 8 of 10 "
        "cases after %(scores)s games of each player, and the costs of decisions after "
        "%(losses)s games, because most of a score is luck."
    )
    note = _(
        "These numbers are for players who lose %(lost)s points per game. Their scores have a "
        "standard deviation of %(scores)s points, and their losses one of %(losses)s points. "
        "The test is two-sided, at the 5 %% level."
    )
    head = [
        _("Lead in points per game"),
        _("Games needed if you compare scores"),
        _("Games needed, by decisions"),
    ]
    rows = [
        [points, words.format_whole(games["scores"]), words.format_whole(games["losses"])]
        for points, games in needed["games"].items()
    ]
    names = tuple(needed["games"])
    layers = [
        Bars(
            names,
            [games[key] for games in needed["games"].values()],
            label,
            place,
            2,
            [words.format_whole(games[key]) for games in needed["games"].values()],
        )
        for place, (key, label) in enumerate(
            {"scores": _("by scores"), "losses": _("by decisions")}.items()
        )
    ]
    title = _("Games needed per player")
    axes = Axis(_("lead in points per game")), Axis(_("games"))
    yield from _make_answer_parts(
        words,
        Heading(_("How many games show which of two players is better?"), "apart"),
        text
        % {
            "scores": words.format_whole(five["scores"]),
            "losses": words.format_whole(five["losses"]),
        },
        Figure(words.adapt_chart(Chart(title, layers, *axes)), title),
        _("2,000 games of a player who errs as people do"),
        "./yatzy solver study --answers --json",
        [(_("Your own skill, judged by decisions"), words.url("profile"))],
        [
            Paragraph(
                note
                % {
                    "lost": words.number(needed["lost"]),
                    "scores": words.number(needed["spread"]["scores"]),
                    "losses": words.number(needed["spread"]["losses"]),
                }
            ),
            TextTable(title, head, rows),
        ],
    )
