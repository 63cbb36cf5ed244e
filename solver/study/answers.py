"""Eight questions that people ask about these games, each with an answer, a figure and a source.

    ./yatzy solver study --answers --write    calculate the facts again: a minute

The page `/lab/answers/` and the command show the same parts, made of the facts in `DATA`.
"""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from solver.charts import Axis, Bars, Chart, Line, Rule
from solver.study.chapter import people_chart
from solver.study.html import Figure, Folded, Heading, Link, Paragraph, Part, TextTable, Words
from solver.study.study import stored_facts

DATA = Path(__file__).with_name("data") / "answers.json"
LOW = 200
EARLY_GAMES = 8000
BEST_PUBLISHED, EARLY_PUBLISHED = 241.78, 241.6  # points per game; sources.json names the authors
PUBLISHED_WON = 67  # games that it won, of 100

Facts = Mapping[str, Any]


@cache
def stored_answers() -> dict[str, Any]:
    facts: dict[str, Any] = json.loads(DATA.read_text(encoding="utf-8"))
    return facts


def answers(facts: Facts, words: Words) -> Iterator[Part]:
    """Yield the parts of the page: a heading for each question, the answer, a figure, a source."""
    for question in (simple_rules, people, halves, risks, tournament, learner, smallest, apart):
        yield from question(facts, words)


def _bars(words: Words, title: str, values: Mapping[str, float], unit: str, *rules: Rule) -> Figure:
    """Return a chart with a bar for each of a few players, with names that fit a phone."""
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
    return Figure(words.chart(Chart(title, [layer, *rules], y=Axis(unit))), title)


def _command(words: Words, command: str) -> Paragraph:
    _ = words.gettext
    return Paragraph(_("In a terminal: %(command)s") % {"command": command}, note=True)


def _more(*links: tuple[str, str]) -> Paragraph:
    return Paragraph("", links=[Link(text, address) for text, address in links])


def simple_rules(facts: Facts, words: Words) -> Iterator[Part]:
    _ = words.gettext
    means = facts["means"]
    yield Heading(_("Can simple rules come near perfect play?"), "simple")
    text = _(
        "Yes. Ten rules that a person can say average %(ten)s points, thirty rules %(thirty)s, and "
        "perfect play %(perfect)s. Taking the most points in each turn averages %(greedy)s."
    )
    yield Paragraph(
        text
        % {
            "ten": words.number(means["playbook-10"]),
            "thirty": words.number(means["playbook-30"]),
            "perfect": words.number(means["optimal"]),
            "greedy": words.number(means["greedy"]),
        }
    )
    shown = {
        "optimal": means["optimal"],
        "learned": means["learned-yatzy"],
        "playbook-30": means["playbook-30"],
        "playbook-10": means["playbook-10"],
        "greedy": means["greedy"],
    }
    yield _bars(words, _("Average score, exactly"), shown, _("points"))
    yield _command(words, "./yatzy solver evaluate playbook-10")
    yield _more((_("Read the rules and try to better them"), words.url("playbook")))


def people(facts: Facts, words: Words) -> Iterator[Part]:
    _ = words.gettext
    series = facts["people"]
    yield Heading(_("Are people better than the optimal program?"), "people")
    text = _(
        "On average nobody can be better than perfect play, which averages %(perfect)s. The six "
        "people of the study averaged %(people)s in %(games)s games. Perfect play itself would be "
        "that far from its average in %(p)s of such series. The study's own program averaged 213: "
        "it was not optimal."
    )
    yield Paragraph(
        text
        % {
            "perfect": words.number(series["mean"], 2),
            "people": words.number(series["published_mean"], 2),
            "games": series["published_games"],
            "p": words.percent(series["p"]),
        }
    )
    caption = _("Do people play perfectly? Scores in tens, people and perfect play")
    yield Figure(people_chart(stored_facts()["people"], words), caption)
    yield _command(words, "./yatzy solver study")
    yield _more((_("The study's people"), words.url("study", part="#people")))


def halves(facts: Facts, words: Words) -> Iterator[Part]:
    _ = words.gettext
    half = facts["halves"]
    yield Heading(_("What decides: the dice that are held, or the box that is chosen?"), "halves")
    text = _(
        "Two fair ways to count disagree. Counted by what each decision cost, the boxes of "
        "dice-based play lose more: %(boxes)s points, its holds %(holds)s. But with perfect holds "
        "it would average %(perfect_holds)s, and with perfect boxes only %(perfect_boxes)s."
    )
    yield Paragraph(
        text
        % {
            "boxes": words.number(half["lost_by_boxes"]),
            "holds": words.number(half["lost_by_holds"]),
            "perfect_holds": words.number(half["perfect_holds"], 2),
            "perfect_boxes": words.number(half["perfect_boxes"], 2),
        }
    )
    why = _(
        "A cost assumes that everything after it is perfect. Perfect holds make good dice for "
        "boxes that are chosen badly; perfect boxes have to take the dice that bad holds leave."
    )
    yield Paragraph(why, note=True)
    gained = [half["perfect_boxes"] - half["mean"], half["perfect_holds"] - half["mean"]]
    costs = [half["lost_by_boxes"], half["lost_by_holds"]]
    bands = (_("boxes"), _("holds"))
    layers = [
        Bars(
            bands, costs, _("points that they cost"), 0, 2, [words.number(cost) for cost in costs]
        ),
        Bars(
            bands,
            gained,
            _("points gained if they were perfect"),
            1,
            2,
            [words.number(gain) for gain in gained],
        ),
    ]
    title = _("Dice-based play: boxes and holds, counted in two ways")
    yield Figure(words.chart(Chart(title, layers, y=Axis(_("points")))), title)
    yield _command(words, "./yatzy solver mix optimal dice-based")
    yield _more((_("Mix any two strategies"), words.url("workbench")))


def risks(facts: Facts, words: Words) -> Iterator[Part]:
    _ = words.gettext
    players, humps = facts["risks"], facts["humps"]
    best, greedy = players["optimal"], players["greedy"]
    yield Heading(_("Does the perfect player avoid risks and rarely score low?"), "risks")
    text = _(
        "It rarely scores low, but not by avoiding risks. Its scores spread as widely as those of "
        "greedy play (a standard deviation of %(sd)s and %(greedy_sd)s points). Below %(low)s "
        "points it ends %(share)s of its games, greedy play %(greedy_share)s. The two humps are "
        "the bonus, which it gets in %(bonus)s of games."
    )
    yield Paragraph(
        text
        % {
            "sd": words.number(best["sd"]),
            "greedy_sd": words.number(greedy["sd"]),
            "low": LOW,
            "share": words.percent(best["low"]),
            "greedy_share": words.percent(greedy["low"]),
            "bonus": words.percent(humps["bonus"]),
        }
    )
    tens = [10 * n + 5 for n in range(len(humps["with"]))]
    layers = [
        Line(tens, humps["with"], _("with the bonus"), series=1),
        Line(tens, humps["without"], _("without it"), series=2),
    ]
    title = _("Perfect play: games with the bonus and without it")
    axes = Axis(_("final score")), Axis(_("games"), low=0.0, percent=True)
    yield Figure(words.chart(Chart(title, layers, *axes)), title)
    head = [
        _("Player"),
        _("Mean"),
        _("Standard deviation"),
        _("1 in 20 games is below"),
        _("1 in 100"),
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
    title = _("Spread and low scores of the strategies")
    yield Folded(title, [TextTable(title, head, rows, captioned=False)])
    yield _command(words, "./yatzy solver distribution optimal")
    yield _more((_("Every player's scores"), words.url("lab")))


def tournament(facts: Facts, words: Words) -> Iterator[Part]:
    _ = words.gettext
    table = facts["tournament"]
    wins: Mapping[str, float] = table["against_greedy"]
    yield Heading(_("Who wins the tournament of Yahtzee programs?"), "tournament")
    reached = [name for name, share in wins.items() if 100 * share >= PUBLISHED_WON]
    text = _(
        "Perfect play, but narrowly: of %(players)s players at one table it wins %(share)s. Kang "
        "and Schroeder's program won 67 %% of its games against a player who looks no further than "
        "the turn. Against such a player, greedy, perfect play wins %(wins)s; %(count)s players of "
        "the lab reach 67 %%."
    )
    yield Paragraph(
        text
        % {
            "players": table["players"],
            "share": words.percent(table["points"]),
            "wins": words.percent(wins["optimal"]),
            "count": len(reached),
        }
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
    rule = Rule(y=PUBLISHED_WON, label=_("published"), series=1)
    yield _bars(words, title, percent, "%", rule)
    yield _command(words, "./yatzy solver tournament --ruleset yahtzee")
    address = words.url("lab_tournament", "yahtzee")
    yield _more((_("The whole tournament"), address), (_("Play against them"), words.url("duels")))


def learner(facts: Facts, words: Words) -> Iterator[Part]:
    _ = words.gettext
    learned = facts["learner"]
    yield Heading(_("What does a learner reach that knows nothing of the game?"), "learner")
    gap, left = learned["optimum"] - BEST_PUBLISHED, learned["optimum"] - learned["mean"]
    text = _(
        "After a million games of Yahtzee ours averages %(mean)s of %(optimum)s. The best "
        "published result is %(published)s; of the gap that it leaves, ours closes %(share)s."
    )
    yield Paragraph(
        text
        % {
            "mean": words.number(learned["mean"], 2),
            "optimum": words.number(learned["optimum"], 2),
            "published": words.number(BEST_PUBLISHED, 2),
            "share": words.percent((gap - left) / gap, 0),
        }
    )
    note = _(
        "In the paper's evaluation file and table %(published)s is the mean; only its abstract "
        "calls it the median. Another project reports %(early)s after %(games)s games without "
        "bonus chips, but from 100 test games. After as many games our learner that knows the "
        "chances of the dice averages %(ours)s, exactly."
    )
    yield Paragraph(
        note
        % {
            "published": words.number(BEST_PUBLISHED, 2),
            "early": words.number(EARLY_PUBLISHED),
            "games": words.whole(EARLY_GAMES),
            "ours": words.number(learned["early"]),
        },
        note=True,
    )
    games, means = zip(*learned["curve"], strict=True)
    layers = [
        Line([count / 1000 for count in games], list(means), _("learning")),
        Rule(y=learned["optimum"], label=_("perfect play"), series=1),
        Rule(y=BEST_PUBLISHED, label=_("best published"), series=2, at_start=True),
    ]
    title = _("Average score of a learner of Yahtzee")
    axes = Axis(_("thousands of training games")), Axis(_("points"))
    yield Figure(words.chart(Chart(title, layers, *axes)), title)
    yield _command(words, "./yatzy solver learn train --ruleset yahtzee")
    address = words.url("lab_learners", "yahtzee")
    yield _more((_("What learners misplay"), address), (_("Sources"), words.url("lab_sources")))


def smallest(facts: Facts, words: Words) -> Iterator[Part]:
    _ = words.gettext
    lesson = facts["smallest"]
    yield Heading(_("How long does the smallest game take to learn?"), "smallest")
    last, best = lesson["while_learning"]["four boxes"], lesson["players"]
    text = _(
        "In 100,000 games of its four boxes SARSA, with the published values, comes to %(turns)s "
        "turns and %(points)s points a game (published: 19 and 84). With values that fade it comes "
        "to %(learned)s turns; the fewest that are possible are %(fewest)s."
    )
    yield Paragraph(
        text
        % {
            "turns": words.number(last["turns"]),
            "points": words.number(last["points"]),
            "learned": words.number(best["learned"]["turns"]),
            "fewest": words.number(best["fewest turns"]["turns"]),
        }
    )
    head = [_("Lesson"), _("Turns"), _("Points"), _("Published")]
    names = [_("four boxes"), _("three of a kind"), _("three of a kind, a wasted turn costs 5")]
    published = ["19, 84", "4, 16", "2, 13"]
    rows = [
        [name, words.number(trial["turns"]), words.number(trial["points"]), theirs]
        for name, trial, theirs in zip(
            names, lesson["while_learning"].values(), published, strict=True
        )
    ]
    title = _("The last hundredth of the lessons, with the published values")
    yield TextTable(title, head, rows)
    layers = [
        Line(
            [point["games"] / 1000 for point in lesson["curve"]],
            [point["turns"] for point in lesson["curve"]],
            _("learning"),
        ),
        Rule(y=best["fewest turns"]["turns"], label=_("fewest possible"), series=1),
    ]
    title = _("Turns of a game while it learned")
    axes = Axis(_("thousands of training games")), Axis(_("turns"))
    yield Figure(words.chart(Chart(title, layers, *axes)), title)
    yield _command(words, "./yatzy solver learn sarsa --values source")
    yield _more((_("The smaller game"), words.url("lab_learners")))


def apart(facts: Facts, words: Words) -> Iterator[Part]:
    _ = words.gettext
    needed = facts["apart"]
    yield Heading(_("How many games show which of two players is better?"), "apart")
    five = needed["games"]["5"]
    text = _(
        "If one is better by 5 points a game, each has to play %(scores)s games before the scores "
        "show it in 8 of 10 cases. Judged by what their decisions cost, %(losses)s games are "
        "enough, because most of a score is luck."
    )
    yield Paragraph(
        text % {"scores": words.whole(five["scores"]), "losses": words.whole(five["losses"])}
    )
    note = _(
        "For players who lose %(lost)s points a game: their scores have a standard deviation of "
        "%(scores)s points, their losses %(losses)s. A test on two sides at 5 %%."
    )
    yield Paragraph(
        note
        % {
            "lost": words.number(needed["lost"]),
            "scores": words.number(needed["spread"]["scores"]),
            "losses": words.number(needed["spread"]["losses"]),
        },
        note=True,
    )
    head = [_("Points better per game"), _("Games, by scores"), _("Games, by decisions")]
    rows = [
        [points, words.whole(games["scores"]), words.whole(games["losses"])]
        for points, games in needed["games"].items()
    ]
    yield TextTable(_("Games that each of two players needs"), head, rows)
    names = tuple(needed["games"])
    layers = [
        Bars(names, [needed["games"][n][key] for n in names], label, place, 2)
        for place, (key, label) in enumerate(
            {"scores": _("by scores"), "losses": _("by decisions")}.items()
        )
    ]
    title = _("Games that each of two players needs")
    axes = Axis(_("points better per game")), Axis(_("games"))
    yield Figure(words.chart(Chart(title, layers, *axes)), title)
    yield _command(words, "./yatzy solver study --answers --json")
    yield _more((_("Your own skill, by decisions"), words.url("profile")))
