"""The same-value test as a report: totals and costs, and every turn with the players side by side.
The facts are those of ``arena.facts``, from a new test or from the site's file. None stands for a
game that was not played.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from solver.charts import Axis, Bars, Chart
from solver.rules import Ruleset
from solver.study.html import (
    BulletList,
    Cell,
    DecisionCell,
    Figure,
    Folded,
    Heading,
    Link,
    Paragraph,
    Part,
    TextTable,
    Words,
)

SHOWN = 0.005  # points; smaller costs are rounding errors
YOU = "you"  # the human player's name in the list of players
Facts = Mapping[str, Any]


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
    """Yield a table of all scores, points lost per game and means, and a chart. ``link`` returns
    the link to a game's turns, given the game's number."""
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
    person = YOU in facts["players"]  # the person is the first player but has the last colour
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
    """Yield a game's first differences, and a table with all players' decisions in every turn."""
    _ = words.gettext
    row = facts["games"][number - 1]
    played = [
        (name, game)
        for name, game in zip(list_names(facts, words), row["players"], strict=True)
        if game
    ]
    rows: list[list[Cell]] = []
    for place, turns in enumerate(zip(*(game["turns"] for _name, game in played), strict=True)):
        last = turns[-1]["decisions"]
        cells = [
            [
                _make_decision_cell(rules, decision, turn["points"], last[at : at + 1], words)
                for at, decision in enumerate(turn["decisions"])
            ]
            for turn in turns
        ]
        rows.append([str(place + 1), *cells])
    rows.append([_("Bonus"), *(str(game["bonus"]) for _name, game in played)])
    rows.append([_("Total"), *(str(game["score"]) for _name, game in played)])
    yield BulletList(list(describe_differences(facts, number, words)))
    head = [_("Turn"), *(name for name, _own in played)]
    caption = _("Game %(number)s") % {"number": number}
    yield TextTable(caption, head, rows, len(head), "lab__turns", captioned=False)
    note = _(
        "The cost of a decision is how many fewer points the player can expect afterwards than"
        " after the best decision. Differences from the player in the last column are marked."
    )
    yield Paragraph(note, note=True)


def _make_decision_cell(
    rules: Ruleset, decision: Facts, points: int, other: Sequence[Facts], words: Words
) -> DecisionCell:
    """Return a decision's table cell. ``other`` starts with the last column's decision at this
    step, to mark a difference; it is empty if there is none."""
    choice, regret = decision["choice"], decision["regret"]
    scored = isinstance(choice, str)
    deed = words.describe_score(rules, choice, points) if scored else words.held(rules, choice)
    cost = ""
    if regret >= SHOWN:
        costs = words.gettext("costs %(points)s points") % {"points": words.number(regret, 2)}
        cost = words.keep_on_one_line(costs)
    differs = not other or _normalise_choice(other[0]["choice"]) != _normalise_choice(choice)
    return DecisionCell(" ".join(map(str, decision["dice"])), deed, cost, differs)


def _normalise_choice(choice: Any) -> Any:
    """Return held dice as a tuple, because JSON makes them a list; return a box unchanged."""
    return tuple(choice) if isinstance(choice, list) else choice


def describe_differences(facts: Facts, number: int, words: Words) -> Iterator[str]:
    """Yield a sentence per player, with the first turn in which this player differs from the last
    player in the list."""
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
