"""A tournament as a report: the table, the points lost, pairs of players, disqualifications."""

import re
from collections.abc import Iterator

from solver.arena.standings import Out, Pair, Placed, Standings
from solver.statistics.inference import Interval
from solver.statistics.sequential import ERROR, LEAD, SHARE
from solver.study.html import Folded, Heading, Paragraph, Part, TextTable

POSITION = re.compile(r' at (\{"filled": [^{}]*\})')  # as ``arena.programs.program`` writes it


def format_title(standings: Standings) -> str:
    played = standings.tournament
    return f"A tournament of {played.games:,} games of {played.setting.rules.title}"


def report_standings(standings: Standings) -> Iterator[Part]:
    played = standings.tournament
    dice = "the same dice for everybody" if played.setting.same_dice else "dice of everybody's own"
    won = " and ".join(standings.winners) or "Nobody"
    yield Paragraph(f"{won} won. Seed {played.setting.seed}, {dice}.")
    scoring = (
        "The highest score of a game gets a point; everybody who shares it gets one. ± and the "
        "range of a share are 95 %."
    )
    yield Paragraph(scoring, note=True)
    if played.play_off:
        tied, left = (
            ", ".join(played.names[seat] for seat in seats)
            for seats in (played.play_off.tied, played.play_off.left)
        )
        yield Paragraph(f"{tied} tied; after {played.play_off.games:,} games more: {left}.")
    if played.stopped:
        yield Paragraph(
            f"It ended when one led by {LEAD} won games: Wald's sequential test of {SHARE:.0%} of "
            f"the decided games for the one against the other, wrong in at most {ERROR:.0%} of "
            "matches."
        )
    if standings.rows:
        yield from _report_tables(standings)
    if standings.out:
        yield Heading("Disqualified")
        yield Paragraph("Their games count for nothing, nor against anybody.", note=True)
        for out in standings.out:
            yield from _report_disqualified(out)


def _report_tables(standings: Standings) -> Iterator[Part]:
    head = ["", "player", "points", "share of games", "mean", "sd"]
    yield TextTable("Points and scores", head, list(map(_format_row, standings.rows)), left=2)
    value = standings.tournament.value_start
    yield Paragraph(
        f"A score is {value:.3f}, what perfect play is worth, with the luck of "
        "the dice and less the regret of the decisions. Luck comes to nothing in the long run, so "
        "that perfect play less the regret is the mean without the noise of the dice."
    )
    head = ["player", "luck of a game", "regret of a game", "luck of a decision"]
    head += ["regret of a decision", "mean without dice noise"]
    yield TextTable("Luck and regret, in points", head, list(map(_format_costs, standings.rows)))
    if standings.pairs:
        head = ["", "won", "tied", "lost", "difference", "by decisions", "games still needed"]
        yield TextTable("Head to head", head, list(map(_format_pair, standings.pairs)))
        note = (
            "Games still needed: until the 95 % interval of the difference leaves nought out, by "
            "the scores and by what the decisions cost, should both go on as they did."
        )
        yield Paragraph(note, note=True)


def _report_disqualified(out: Out) -> Iterator[Part]:
    reason, where = out.reason.reason, f" ({out.reason.where})" if out.reason.where else ""
    yield Paragraph(f"{out.name} is out: {POSITION.sub('', reason)}{where}")
    for position in POSITION.findall(reason):
        yield Folded("The position", [Paragraph(position)])


def _format_row(row: Placed) -> list[str]:
    won = f" ({row.won[0]:.1%} to {row.won[1]:.1%})" if row.won else ""
    deviation = f"{row.deviation:.2f}" if row.deviation is not None else ""
    place, mean = f"{row.place}.", f"{row.mean:.2f}{_format_half(row.score)}"
    return [place, row.name, f"{row.points:,}", f"{row.share:.1%}{won}", mean, deviation]


def _format_costs(row: Placed) -> list[str]:
    figures = (row.luck, row.regret, row.luck_per_decision, row.regret_per_decision)
    skill = f"{row.without_noise:.2f}{_format_half(row.skill)}"
    return [row.name, *(f"{figure:.4f}" for figure in figures), skill]


def _format_pair(pair: Pair) -> list[str]:
    needed = ("–" if n is None else f"{n:,}" for n in (pair.needed, pair.needed_by_regret))
    return [
        f"{pair.one} – {pair.other}",
        *(f"{games:,}" for games in (pair.won, pair.tied, pair.lost)),
        f"{pair.mean:+.2f}{_format_half(pair.difference)}",
        f"{pair.mean_by_regret:+.2f}{_format_half(pair.by_regret)}",
        " / ".join(needed),
    ]


def _format_half(likely: Interval | None) -> str:
    return f" ±\N{NO-BREAK SPACE}{likely.half:.2f}" if likely else ""
