"""A tournament as one page that needs nothing else."""

import re

from solver.arena.standings import Out, Pair, Placed, Standings
from solver.statistics.inference import Interval
from solver.statistics.sequential import ERROR, LEAD, SHARE
from solver.study import html
from solver.study.html import TextTable

POSITION = re.compile(r' at (\{"filled": [^{}]*\})')  # as ``arena.programs.program`` tells it


def report(standings: Standings) -> str:
    played = standings.tournament
    title = f"A tournament of {played.games:,} games of {played.setting.rules.title}"
    return html.page(title, [*_about(standings), *_tables(standings), *_outs(standings)])


def _about(of: Standings) -> list[str]:
    played = of.tournament
    dice = "the same dice for everybody" if played.setting.same_dice else "dice of everybody's own"
    won = " and ".join(of.winners) or "Nobody"
    said = [
        html.paragraph(f"{won} won. Seed {played.setting.seed}, {dice}."),
        html.paragraph(
            "The highest score of a game gets a point; everybody who shares it gets one. "
            "± and the range of a share are 95 %.",
            note=True,
        ),
    ]
    if played.play_off:
        tied, left = (
            ", ".join(played.names[seat] for seat in seats)
            for seats in (played.play_off.tied, played.play_off.left)
        )
        said.append(
            html.paragraph(f"{tied} tied; after {played.play_off.games:,} games more: {left}.")
        )
    if played.stopped:
        said.append(html.paragraph(_stopped()))
    return said


def _stopped() -> str:
    return (
        f"It ended when one led by {LEAD} won games: Wald's sequential test of {SHARE:.0%} of the "
        f"decided games for the one against the other, wrong in at most {ERROR:.0%} of matches."
    )


def _tables(of: Standings) -> list[str]:
    if not of.rows:
        return []
    start = of.tournament.value_start
    head = ["", "Player", "Points", "Share of games", "Mean", "Standard deviation"]
    costs = ["Player", "Luck of a game", "Regret of a game", "Luck of a decision"]
    costs += ["Regret of a decision", "Mean without dice noise"]
    found = [
        html.heading("Table"),
        html.table(TextTable("Points and scores", head, [_row(row) for row in of.rows], left=2)),
        html.heading("What the decisions cost"),
        html.paragraph(
            f"A score is {start:.3f}, what perfect play is worth, with the luck of the dice and "
            "less the regret of the decisions. Luck comes to nothing in the long run, so that "
            "perfect play less the regret is the mean without the noise of the dice."
        ),
        html.table(
            TextTable("Luck and regret, in points", costs, [_costs(row) for row in of.rows])
        ),
    ]
    return found + (_head_to_head(of) if of.pairs else [])


def _head_to_head(of: Standings) -> list[str]:
    head = ["", "Won", "Tied", "Lost", "Difference of scores", "Of decisions", "Games still needed"]
    return [
        html.heading("Head to head"),
        html.table(TextTable("Games of two players", head, [_pair(pair) for pair in of.pairs])),
        html.paragraph(
            "Games still needed: until the 95 % interval of the difference leaves nought out, by "
            "the scores and by what the decisions cost, should both go on as they did.",
            note=True,
        ),
    ]


def _outs(of: Standings) -> list[str]:
    if not of.out:
        return []
    told = [part for out in of.out for part in _out(out)]
    note = html.paragraph("Their games count for nothing, nor against anybody.", note=True)
    return [html.heading("Disqualified"), note, *told]


def _out(out: Out) -> list[str]:
    positions = POSITION.findall(out.reason.reason)
    where = [html.paragraph(f"In {out.reason.where}.", note=True)] if out.reason.where else []
    reason = html.paragraph(POSITION.sub("", out.reason.reason))
    folded = [html.folded("The position", position) for position in positions]
    return [html.heading(out.name, level=3), reason, *where, *folded]


def _row(row: Placed) -> list[str]:
    won = f" ({row.won[0]:.1%} to {row.won[1]:.1%})" if row.won else ""
    deviation = f"{row.deviation:.2f}" if row.deviation is not None else ""
    place, mean = f"{row.place}.", f"{row.mean:.2f}{_half(row.score)}"
    return [place, row.name, f"{row.points:,}", f"{row.share:.1%}{won}", mean, deviation]


def _costs(row: Placed) -> list[str]:
    figures = (row.luck, row.regret, row.luck_per_decision, row.regret_per_decision)
    skill = f"{row.without_noise:.2f}{_half(row.skill)}"
    return [row.name, *(f"{figure:.4f}" for figure in figures), skill]


def _pair(pair: Pair) -> list[str]:
    needed = ("–" if n is None else f"{n:,}" for n in (pair.needed, pair.needed_by_regret))
    return [
        f"{pair.one} – {pair.other}",
        *(f"{games:,}" for games in (pair.won, pair.tied, pair.lost)),
        f"{pair.mean:+.2f}{_half(pair.difference)}",
        f"{pair.mean_by_regret:+.2f}{_half(pair.by_regret)}",
        " / ".join(needed),
    ]


def _half(of: Interval | None) -> str:
    return f" ±\N{NO-BREAK SPACE}{of.half:.2f}" if of else ""
