"""Two reports. The report on a same-value test has totals, costs, and every turn with the players
side by side. The report on a test of dice has a verdict, limits, figures, a chart and tables.

The facts have the format of ``arena.facts``, and come from a new test or from the site's file. None
means that a game was not played.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from solver.charts import Axis, Bars, Chart, Line
from solver.rules import Ruleset
from solver.rules.dice import FACES
from solver.statistics.fairness import FAIR_MEAN, FAIR_SHARE, DiceTest, OneDie, count_needed_dice
from solver.study.html import (
    BulletList,
    Cell,
    DecisionCell,
    Figure,
    Folded,
    Heading,
    Link,
    NamedValues,
    Paragraph,
    Part,
    TextTable,
    Words,
)

SHOWN = 0.005  # points; smaller costs are rounding errors
YOU = "you"  # name of the human player in the list of players
Facts = Mapping[str, Any]
HINT, PROOF, HARDLY_EVER = 0.05, 0.01, 0.001  # p-values
FEW = 30  # number of dice; a test of fewer dice seldom detects even a loaded die
SMALL_SHARES = (0.2, 0.18)  # shares of one face; only tests of many dice detect such small biases


def report_same_value(facts: Facts, rules: Ruleset, words: Words) -> Iterator[Part]:
    yield Paragraph(
        "All players threw the same dice: a die shows the same face in the same turn and throw, "
        "whatever was held before."
    )
    yield from report_totals(facts, words)
    for number in range(1, len(facts["games"]) + 1):
        title = words.gettext("Game %(number)s") % {"number": number}
        turns = list(report_turns(facts, rules, number, words))
        yield Heading(title)
        yield Folded(words.gettext("Turn by turn"), turns)


def list_names(facts: Facts, words: Words) -> list[str]:
    return [
        words.gettext("You") if player == YOU else words.player(player)
        for player in facts["players"]
    ]


def report_totals(
    facts: Facts, words: Words, link: Callable[[int], Link] | None = None
) -> Iterator[Part]:
    """Yield a table of all scores, points lost per game and means, and a chart. The function
    ``link`` returns the link to the turns of a game, given the game's number."""
    _ = words.gettext
    columns, rows, lines = list_names(facts, words), list[list[Cell]](), list[list[int | None]]()
    for number, row in enumerate(facts["games"], start=1):
        games = row["players"]
        lines.append([game["score"] if game else None for game in games])
        costs = [words.number(game["regret"]) if game else "–" for game in games]
        title = link(number) if link else _("Game %(number)s") % {"number": number}
        rows.append([title, *("–" if score is None else str(score) for score in lines[-1])])
        rows.append([_("Cost"), *costs])
    faint = frozenset(range(1, len(rows), 2))

    def format_mean(scores: Sequence[int | None]) -> str:
        known = [score for score in scores if score is not None]
        return words.number(sum(known) / len(known)) if len(known) == len(scores) else "–"

    rows.append([_("Mean"), *map(format_mean, zip(*lines, strict=True))])
    complete = [scores for scores in lines if None not in scores]
    if 0 < len(complete) < len(lines):
        rows.append([_("Mean of your games"), *map(format_mean, zip(*complete, strict=True))])
    caption = _("Final scores, and the total cost of each game's decisions")
    yield TextTable(caption, [_("Game"), *columns], rows, style="lab__totals", faint=faint)
    bands = tuple(_("Game %(number)s") % {"number": n} for n in range(1, len(lines) + 1))
    person = YOU in facts["players"]  # the person comes first, but has the last colour
    layers = [
        Bars(
            bands,
            [scores[place] for scores in lines],
            name,
            place,
            len(columns),
            series=(place or len(columns)) if person else place + 1,
        )
        for place, name in enumerate(columns)
    ]
    chart = Chart(_("Final scores on the same dice"), layers, y=Axis(_("points")))
    yield Figure(words.adapt_chart(chart), _("Who scores most? Final scores on the same dice"))


def report_turns(facts: Facts, rules: Ruleset, number: int, words: Words) -> Iterator[Part]:
    """Yield the first differences of a game, and a table of all decisions in every turn."""
    _ = words.gettext
    row = facts["games"][number - 1]
    played = [
        (name, game)
        for name, game in zip(list_names(facts, words), row["players"], strict=True)
        if game
    ]
    rows: list[list[Cell]] = []
    for place, turns in enumerate(zip(*(game["turns"] for _name, game in played), strict=True)):
        last, cells = turns[-1]["decisions"], []
        for turn in turns:
            steps = []
            for at, decision in enumerate(turn["decisions"]):
                choice, regret = decision["choice"], decision["regret"]
                if isinstance(choice, str):
                    deed = words.describe_score(rules, choice, turn["points"])
                else:
                    deed = words.held(rules, choice)
                costs = _("costs %(points)s points") % {"points": words.number(regret, 2)}
                cost = words.keep_on_one_line(costs) if regret >= SHOWN else ""
                other = last[at]["choice"] if at < len(last) else None  # of the last column
                differs = _normalise_choice(other) != _normalise_choice(choice)
                dice = " ".join(map(str, decision["dice"]))
                steps.append(DecisionCell(dice, deed, cost, differs))
            cells.append(steps)
        rows.append([str(place + 1), *cells])
    rows.append([_("Bonus"), *(str(game["bonus"]) for _name, game in played)])
    rows.append([_("Total"), *(str(game["score"]) for _name, game in played)])
    yield BulletList(list(describe_differences(facts, number, words)))
    head = [_("Turn"), *(name for name, _own in played)]
    caption = _("Game %(number)s") % {"number": number}
    yield TextTable(caption, head, rows, len(head), "lab__turns", captioned=False)
    note = _(
        "The cost of a decision is the number of points by which it lowers the expected score. "
        "The table marks where a player differs from the player in the last column."
    )
    yield Paragraph(note, note=True)


def _normalise_choice(choice: Any) -> Any:
    """Return held dice as a tuple, because JSON turns tuples into lists. Return a box unchanged."""
    return tuple(choice) if isinstance(choice, list) else choice


def describe_differences(facts: Facts, number: int, words: Words) -> Iterator[str]:
    """Yield for each player a sentence about the first turn in which the player's decision differs
    from that of the last player in the list."""
    _ = words.gettext
    row, columns = facts["games"][number - 1], list_names(facts, words)
    for player, name, game, first in zip(
        facts["players"], columns, row["players"], row["first_differences"], strict=False
    ):
        if not game:
            continue
        facts_of_player = {
            "name": name,
            "other": columns[-1],
            "turn": first["turn"] if first else 0,
        }
        if player == YOU and first:
            text = _("You first differ from %(other)s in turn %(turn)s.")
        elif player == YOU:
            text = _("In this game, you decide exactly as %(other)s does.")
        elif first:
            text = _("%(name)s first differs from %(other)s in turn %(turn)s.")
        else:
            text = _("In this game, %(name)s decides exactly as %(other)s does.")
        yield text % facts_of_player


def report_test(test: DiceTest, words: Words) -> Iterator[Part]:
    _ = words.gettext
    if test.apart:
        yield from map(Paragraph, describe_each_die(test, words))
        head = [_("Die"), _("Chi-squared"), _("p"), _("p, adjusted (Holm)"), _("Dice"), *"123456"]
        rows = [
            [
                _format_die_name(die, words),
                words.number(die.test.fit.statistic, 2),
                format_p_value(die.test.fit.p, words),
                format_p_value(die.p, words),
                *map(words.format_whole, (die.test.dice, *die.test.counts)),
            ]
            for die in test.apart
        ]
        yield TextTable(_("Dice one by one"), head, rows, style="results__dice")
        yield Heading(_("All dice together"), level=3)
    yield from map(Paragraph, [describe_result(test, words), *describe_limits(test, words)])
    if not test.apart:
        note = _("The test counts faces. It ignores their order and which die showed them.")
        yield Paragraph(note, note=True)
    yield NamedValues(
        [
            (_("Dice"), words.format_whole(test.dice)),
            (
                _("Mean (fair dice: %(fair)s)") % {"fair": words.number(FAIR_MEAN)},
                words.number(test.mean, 3),
            ),
            (_("Standard error of the mean"), words.number(test.mean_error, 3)),
            (_("Chi-squared"), words.number(test.fit.statistic, 2)),
            (_("p, exact") if test.exact else _("p"), format_p_value(test.fit.p, words)),
        ]
    )
    due = words.number(test.expected)
    bars = Bars(tuple(str(face) for face in range(1, FACES + 1)), test.counts)
    ends, heights = (-0.5, FACES - 0.5), (test.expected, test.expected)
    line = Line(ends, heights, _("expected %(count)s") % {"count": due}, dashed=True)
    description = _(
        "Faces 1 to 6 came up %(counts)s times; fair dice would show each face %(expected)s times."
    ) % {"counts": ", ".join(map(words.format_whole, test.counts)), "expected": due}
    x, y = Axis(_("face")), Axis(_("dice"), low=0.0)
    chart = Chart(_("How often each face came up"), [bars, line], x, y, description)
    yield Figure(words.adapt_chart(chart), _("Does every face come up equally often?"))
    head = [_("Face"), _("Fell"), _("Expected"), _("Difference")]
    rows = []
    for face, count in enumerate(test.counts, start=1):
        difference = words.signed(count - test.expected)
        rows.append([str(face), words.format_whole(count), due, difference])
    yield TextTable(_("Faces"), head, rows)


def format_p_value(p: float, words: Words) -> str:
    if p < HARDLY_EVER:
        return words.gettext("< %(p)s") % {"p": words.number(HARDLY_EVER, 3)}
    return words.number(p, 3)


def describe_result(test: DiceTest, words: Words) -> str:
    _ = words.gettext
    if test.fit.p >= HINT:
        text = _(
            "This result is consistent with fair dice: fair dice would be at least this uneven in "
            "%(chance)s of such tests."
        )
    elif test.fit.p >= PROOF:
        text = _(
            "Fair dice would be this uneven in only %(chance)s of such tests. This result is a"
            " hint, not proof: roll again, and test only the new rolls."
        )
    elif test.fit.p >= HARDLY_EVER:
        text = _(
            "Fair dice would be this uneven in only %(chance)s of such tests. These dice are "
            "probably not fair, if no roll is missing or wrong."
        )
    else:
        text = _(
            "Fair dice would hardly ever be this uneven. Either these dice are not fair, or "
            "some of their rolls are missing or wrong."
        )
    return text % {"chance": words.format_percent(test.fit.p)}


def describe_limits(test: DiceTest, words: Words) -> Iterator[str]:
    """Yield sentences about biases that a test with too few dice cannot reveal."""
    _ = words.gettext
    dice = words.format_whole(test.dice)
    if test.dice < FEW or test.noticeable is None:
        text = words.ngettext(
            "%(dice)s die tells little: even a loaded one would mostly go unnoticed.",
            "%(dice)s dice tell little: even loaded ones would mostly go unnoticed.",
            test.dice,
        )
        yield text % {"dice": dice}
        return
    text = _(
        "With %(dice)s rolled dice, about 8 of 10 tests detect a face that comes up %(share)s of "
        "the time instead of %(fair)s. Most tests miss smaller faults."
    )
    shares = {
        "share": words.format_percent(test.noticeable),
        "fair": words.format_percent(FAIR_SHARE),
    }
    yield text % ({"dice": dice} | shares)
    share = next((share for share in SMALL_SHARES if share < test.noticeable), None)
    if share is not None:
        text = _("To detect a face that comes up %(share)s of the time, roll about %(dice)s dice.")
        needed = words.format_whole(round(count_needed_dice(share), -2))
        yield text % {"share": words.format_percent(share, 0), "dice": needed}


def describe_each_die(test: DiceTest, words: Words) -> Iterator[str]:
    """Yield sentences about the test of each die, with p-values adjusted for several tests."""
    _ = words.gettext
    least = min((die.p for die in test.apart), default=None)
    if least is None:
        return
    if least >= HINT:
        text = _(
            "No single die looks unfair: even with fair dice, up to %(chance)s of such tests "
            "would find a die at least this uneven."
        )
        yield text % {"chance": words.format_percent(least)}
        return
    text = _(
        "%(die)s: if all %(tests)s tested dice are fair, some die is this uneven in at most "
        "%(chance)s of such tests."
    )
    for die in test.apart:
        if die.p < HINT:
            chance = words.format_percent(max(die.p, HARDLY_EVER))
            yield text % {
                "die": _format_die_name(die, words),
                "tests": len(test.apart),
                "chance": chance,
            }
    if least >= PROOF:
        yield _("This result is a hint, not proof: roll again, and test only the new rolls.")


def _format_die_name(die: OneDie, words: Words) -> str:
    if not die.number:
        return words.gettext("The others")
    return words.gettext("Die %(number)s") % {"number": die.number}
