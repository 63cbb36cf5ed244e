"""Figures and tables of the lab's pages, from the stored exact results.

Nothing is calculated here, because that would load a compiler into the web process.
"""

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from game.coach.score_charts import draw_chart
from game.core.words import phrases
from game.lab.labels import PLAYERS, make_lab_url, whole
from solver.arena.results import Exact, read_result
from solver.arena.standing import rank_players
from solver.charts import Chart, make_histograms, pad_to_longest
from solver.exact.distribution import Distribution
from solver.players import PLAYERS as ALL
from solver.players import PlayerEntry
from solver.rules import Ruleset
from solver.study import charts
from solver.study.html import Folded, TextTable
from solver.study.html import render_parts as drawn_parts
from solver.study.published import Published, find_published, measure_distance

FILES = {"csv": "distribution", "json": "distribution", "svg": "scores", "svg_tens": "tens"}
RARE = 5e-5  # share of games; tables omit rarer groups of ten points, except published ones


@dataclass(frozen=True, slots=True)
class Figures:
    mean: str
    deviation: str
    median: int
    bonus: str


@dataclass(frozen=True, slots=True)
class LabPlayer:
    player: PlayerEntry
    rules: Ruleset
    exact: Exact
    published: Published | None

    @property
    def pk(self) -> str:
        return self.player.id

    @property
    def url(self) -> str:
        return make_lab_url("lab_player", self.rules, self.pk)

    @property
    def files(self) -> dict[str, str]:
        """The URLs of the player's downloads, by kind of file."""
        return {
            kind: make_lab_url("lab_file", self.rules, self.pk, f"{name}.{kind.partition('_')[0]}")
            for kind, name in FILES.items()
        }

    @property
    def name(self) -> Promise:
        return PLAYERS[self.pk].name

    @property
    def summary(self) -> Promise:
        return PLAYERS[self.pk].summary

    @property
    def reading(self) -> Promise | None:
        return PLAYERS[self.pk].reading

    @property
    def figures(self) -> Figures:
        distribution = self.exact.distribution
        bonus = format_percent(distribution.bonus_probability)
        mean, deviation = (
            phrases.format_points(distribution.mean, 2),
            phrases.format_points(distribution.deviation, 2),
        )
        return Figures(mean, deviation, distribution.median, bonus)

    @property
    def distance(self) -> str:
        """The percentage of games that must move to another range of ten points to match the study;
        "" if the study has no scores of this player."""
        if self.published is None:
            return ""
        return format_percent(
            measure_distance(self.exact.distribution.group_in_tens(), self.published.shares)
        )


def find_lab_player(player_id: str, rules: Ruleset) -> LabPlayer | None:
    player = ALL[player_id]
    exact = read_result(player, rules) if player.plays(rules) else None
    return LabPlayer(player, rules, exact, find_published(player_id, rules)) if exact else None


def list_lab_players(rules: Ruleset) -> list[LabPlayer]:
    """Return the players with results; leave out players that play exactly as another one when
    alone."""
    players = [find_lab_player(player.id, rules) for player in ALL.values() if not player.alone]
    return [player for player in players if player]


def format_percent(share: float) -> str:
    return phrases.add_percent_sign(phrases.format_points(100 * share, 1))


def draw_tens_table(player: LabPlayer, best: Distribution | None) -> str:
    """Return an HTML table of the share of games in each range of ten points; omit rare ranges."""
    nothing, theirs = np.zeros(0), player.published
    ideal, printed = (
        best.group_in_tens() if best else nothing,
        theirs.counts.astype(float) if theirs else nothing,
    )
    ours, ideal, printed = pad_to_longest(player.exact.distribution.group_in_tens(), ideal, printed)
    so_far, shown = ours.cumsum(), (np.maximum(ours, ideal) > RARE) | (printed > 0)
    head = [_("Score"), _("Exact"), _("Up to this row")]
    head += [_("Perfect play")] if best else []
    head += [_("Published"), _("Published games")] if theirs else []
    rows = []
    for n in np.flatnonzero(shown).tolist():
        row = [_("%(low)s to %(high)s") % {"low": 10 * n, "high": 10 * n + 9}]
        row += [format_percent(float(ours[n])), format_percent(float(so_far[n]))]
        row += [format_percent(float(ideal[n]))] if best else []
        if theirs:
            row += [format_percent(float(printed[n] / theirs.games)), whole(int(printed[n]))]
        rows.append(row)
    return drawn_parts(
        [
            Folded(
                _("Show the numbers behind the charts"),
                [TextTable(_("Scores in bands of ten"), head, rows)],
            )
        ]
    )


def draw_distributions(
    title: str, distributions: Mapping[str, Distribution], reference: str, *, alone: bool = False
) -> str:
    """Draw exact distributions as one SVG chart; ``alone`` adds the title, for a file."""
    lines = [
        _("%(name)s: mean %(mean)s")
        % {"name": name, "mean": phrases.format_points(distribution.mean)}
        for name, distribution in distributions.items()
    ]
    chart = charts.draw_distributions(title, dict(distributions), reference)
    return draw_chart(chart, "; ".join(lines), alone=alone)


def draw_against_published(
    title: str, exact: Distribution, theirs: Published, *, alone: bool = False
) -> str:
    """Draw the exact and the published scores as SVG histograms with bars of ten points."""
    layers = [(_("exact"), exact.group_in_tens()), (_("published"), theirs.shares)]
    means = {
        "ours": phrases.format_points(exact.mean),
        "theirs": phrases.format_points(theirs.mean, 0),
    }
    description = _("The exact mean is %(ours)s; the published mean is %(theirs)s.") % means
    return draw_chart(Chart(title, make_histograms(layers)), description, alone=alone)


GAMES = 1000  # the page shows the tournament points expected in this number of games


def make_standing_tables(rules: Ruleset) -> tuple[str, str] | None:
    """Return two HTML tables: a tournament of all players, and the chance of each player to beat
    each other player. Return None if no results are stored."""
    exact = rank_players(rules)
    names = [str(PLAYERS[name].name) for name in exact.names]
    if not names:
        return None
    together = [
        [name, phrases.format_points(GAMES * float(points), 1), phrases.format_points(mean, 2)]
        for name, points, mean in zip(names, exact.points, exact.means, strict=True)
    ]
    head = [_("Player"), _("Points in 1,000 games"), _("Mean")]
    pairs = [
        [
            name,
            *("–" if n == at else format_percent(float(chance)) for n, chance in enumerate(wins)),
        ]
        for at, (name, wins) in enumerate(zip(names, exact.wins, strict=True))
    ]
    title = _("Head to head: the chance of the higher score")
    return (
        drawn_parts([TextTable(_("All players in one game"), head, together)]),
        drawn_parts([TextTable(title, [_("Player"), *names], pairs)]),
    )


def make_distribution_csv(exact: Exact) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["score", "probability"])
    writer.writerows(enumerate(exact.distribution.probabilities.tolist()))
    return text.getvalue()
