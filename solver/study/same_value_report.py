"""The same-value test as a page: totals, and every turn with the players side by side."""

from collections.abc import Iterator

from solver.arena.same_value import (
    Difference,
    JudgedDecision,
    JudgedGame,
    JudgedTurn,
    SameValue,
    first_difference,
)
from solver.charts import Axis, Bars, Chart
from solver.rules.dice import Dice
from solver.study.html import TextTable, figure, heading, page, paragraph, row, table, table_of_rows


def report(test: SameValue) -> str:
    sections = [
        paragraph(
            "All players threw the same dice: a die shows the same face in the same turn and "
            "throw, whatever was held before. The cost of a decision is how many points fewer its "
            "player could expect from there on than after the best decision."
        ),
        table(totals(test)),
        figure(totals_chart(test)),
        table(costs(test)),
        *(_game(test, number) for number in range(len(test.games))),
    ]
    return page("Same-value test", sections)


def totals(test: SameValue) -> TextTable:
    rows = [
        [str(number), *(str(game.score) for game in games)]
        for number, games in enumerate(test.games, start=1)
    ]
    means = [sum(test.totals(player)) / len(rows) for player in range(len(test.players))]
    rows.append(["mean", *(f"{mean:.1f}" for mean in means)])
    return TextTable("Final scores", ["game", *test.players], rows)


def costs(test: SameValue) -> TextTable:
    rows = [
        [str(number), *(f"{game.regret:.1f}" for game in games)]
        for number, games in enumerate(test.games, start=1)
    ]
    return TextTable("What all decisions of a game cost together", ["game", *test.players], rows)


def totals_chart(test: SameValue) -> Chart:
    """Graph 4.11 of the study, as bars: games have no order that a line could follow."""
    names = tuple(f"game {n}" for n in range(1, len(test.games) + 1))
    layers = [
        Bars(names, test.totals(place), player, place, len(test.players))
        for place, player in enumerate(test.players)
    ]
    return Chart("Scores of the players on the same dice", layers, y=Axis("points"))


def _game(test: SameValue, number: int) -> str:
    games = test.games[number]
    rows = [
        line
        for turn in range(len(games[0].turns))
        for line in turn_rows(turn, [game.turns[turn] for game in games])
    ]
    rows.append(row(["", "upper bonus", *(game.bonus for game in games)], ruled=True))
    rows.append(row(["", "final score", *(game.score for game in games)]))
    return (
        heading(f"Game {number + 1}")
        + "".join(paragraph(sentence) for sentence in differences(games))
        + table_of_rows("Turn by turn", ["turn", "", *test.players], rows)
    )


def turn_rows(number: int, turns: list[JudgedTurn]) -> Iterator[str]:
    """Throws and holds by turns, the box at the end, as in the study's tables."""
    most = max(len(turn.decisions) for turn in turns)
    for place in range(most):
        taken = [t.decisions[place] if place < len(t.decisions) else None for t in turns]
        thrown = [dice_text(d.dice) if d else "" for d in taken]
        yield row([number + 1 if not place else "", throw_text(place), *thrown], ruled=not place)
        choices = [choice_text(d) if d else "" for d in taken]
        other = ["differs" if c and c != choices[-1] else "" for c in choices]
        yield row(["", "then", *choices], classes=["", "", *other])
    cost = [f"costs {t.regret:.2f}" if t.regret >= 0.005 else "" for t in turns]
    written = [f"{box_text(t.category)}: {t.points}" for t in turns]
    yield row(["", "box", *written])
    yield row(["", "", *cost], classes=["", "", *(["costs"] * len(turns))])


def differences(games: tuple[JudgedGame, ...]) -> Iterator[str]:
    """Where each player first leaves the last one, in a sentence."""
    reference = games[-1]
    for game in games[:-1]:
        found = first_difference(game, reference)
        yield difference_text(game.player, reference.player, found)


def difference_text(one: str, other: str, difference: Difference | None) -> str:
    if difference is None:
        return f"{one} plays this game exactly as {other} does."
    where = f"turn {difference.turn + 1}, {throw_text(difference.decision)}"
    did = f"{one} {verb(difference.one)} ({cost_text(difference.one)})"
    instead = f"{other} {verb(difference.other)} ({cost_text(difference.other)})"
    return f"First difference, {where}, {dice_text(difference.one.dice)}: {did}, {instead}."


def throw_text(place: int) -> str:
    """A throw of a turn by the number of throws before it."""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(place + 1, "th")
    return f"{place + 1}{ending} throw"


def verb(decision: JudgedDecision) -> str:
    if isinstance(decision.choice, str):
        return f"scores {box_text(decision.choice)}"
    return f"holds {dice_text(decision.choice)}"


def cost_text(decision: JudgedDecision) -> str:
    return f"costs {decision.regret:.2f}" if decision.costly else "the best there is"


def choice_text(decision: JudgedDecision) -> str:
    return verb(decision) + (f", −{decision.regret:.2f}" if decision.regret >= 0.005 else "")


def dice_text(dice: Dice) -> str:
    return " ".join(map(str, dice)) or "nothing"


def box_text(category: str) -> str:
    return category.replace("_", " ").capitalize()
