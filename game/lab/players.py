"""Figures and tables of the lab's pages, from the stored exact results.

Nothing is calculated here, because that would load a compiler into the web process.
"""

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from game.coach.score_charts import drawn
from game.core.words import phrases
from game.lab.labels import PLAYERS, lab_url, whole
from solver.arena.results import Exact, stored
from solver.arena.standing import ExactStanding, standing
from solver.charts import Chart, histograms, side_by_side
from solver.exact.distribution import Distribution
from solver.players import PLAYERS as ALL
from solver.players import PlayerEntry
from solver.rules import Ruleset
from solver.study import charts
from solver.study.published import Published, distance, published

RARE = 5e-5  # share of games; tables omit rarer groups of ten points, except published ones


@dataclass(frozen=True, slots=True)
class Figures:
    mean: str
    deviation: str
    median: int
    bonus: str


@dataclass(frozen=True, slots=True)
class LabPlayer:
    """A player with its results, for the lab's pages."""

    player: PlayerEntry
    rules: Ruleset
    exact: Exact
    published: Published | None

    @property
    def pk(self) -> str:
        return self.player.id

    @property
    def url(self) -> str:
        return lab_url("lab_player", self.rules, self.pk)

    @property
    def csv(self) -> str:
        return self._file("distribution.csv")

    @property
    def json(self) -> str:
        return self._file("distribution.json")

    @property
    def scores_svg(self) -> str:
        return self._file("scores.svg")

    @property
    def tens_svg(self) -> str:
        return self._file("tens.svg")

    def _file(self, name: str) -> str:
        return lab_url("lab_file", self.rules, self.pk, name)

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
        bonus = percent(distribution.bonus_probability)
        mean, deviation = (
            phrases.points(distribution.mean, 2),
            phrases.points(distribution.deviation, 2),
        )
        return Figures(mean, deviation, distribution.median, bonus)

    @property
    def distance(self) -> str:
        """The share of games in another group of ten points than the study's."""
        if self.published is None:
            return ""
        return percent(distance(self.exact.distribution.in_tens(), self.published.shares))


@dataclass(frozen=True, slots=True)
class ExactTen:
    """A row of the table behind the charts; ``games`` is the published count."""

    low: int
    high: int
    share: str
    up_to_here: str
    perfect: str
    published: str
    games: str


def lab_player(player_id: str, rules: Ruleset) -> LabPlayer | None:
    """Return a player with its result, or None if it does not play these rules."""
    player = ALL[player_id]
    exact = stored(player, rules) if player.plays(rules) else None
    return LabPlayer(player, rules, exact, published(player_id, rules)) if exact else None


def everybody(rules: Ruleset) -> list[LabPlayer]:
    """Return the players of these rules, perfect play first, each distribution once."""
    players = [lab_player(player.id, rules) for player in ALL.values() if not player.alone]
    return [player for player in players if player]


def percent(share: float) -> str:
    return phrases.share(phrases.points(100 * share, 1))


def tens(
    distribution: Distribution, best: Distribution | None, theirs: Published | None
) -> Iterator[ExactTen]:
    """Yield the groups of ten points: ours if they are not too rare, and all published ones."""
    nothing = np.zeros(0)
    ideal, printed = (
        best.in_tens() if best else nothing,
        theirs.counts.astype(float) if theirs else nothing,
    )
    ours, ideal, printed = side_by_side(distribution.in_tens(), ideal, printed)
    so_far, shown = ours.cumsum(), (np.maximum(ours, ideal) > RARE) | (printed > 0)
    for n in np.flatnonzero(shown).tolist():
        yield ExactTen(
            10 * n,
            10 * n + 9,
            percent(float(ours[n])),
            percent(float(so_far[n])),
            percent(float(ideal[n])) if best else "",
            percent(float(printed[n] / theirs.games)) if theirs else "",
            whole(int(printed[n])) if theirs else "",
        )


def overlaid(
    title: str, distributions: Mapping[str, Distribution], reference: str, *, alone: bool = False
) -> str:
    """Return a chart of exact distributions; ``alone`` is for a file, which needs its title."""
    lines = [
        _("%(name)s: mean %(mean)s") % {"name": name, "mean": phrases.points(distribution.mean)}
        for name, distribution in distributions.items()
    ]
    chart = charts.several(title, dict(distributions), reference)
    return drawn(chart, "; ".join(lines), alone=alone)


def against_published(
    title: str, exact: Distribution, theirs: Published, *, alone: bool = False
) -> str:
    """Return a chart of two histograms in groups of ten points."""
    layers = [(_("exact"), exact.in_tens()), (_("published"), theirs.shares)]
    means = {"ours": phrases.points(exact.mean), "theirs": phrases.points(theirs.mean, 0)}
    description = _("Mean %(ours)s, published %(theirs)s.") % means
    return drawn(Chart(title, histograms(layers)), description, alone=alone)


GAMES = 1000  # games for which the page shows the expected points


@dataclass(frozen=True, slots=True)
class StandingRow:
    """A row of the tournament; ``chances`` are those to beat each player, "" against itself."""

    name: Promise
    mean: str
    points: str
    chances: tuple[str, ...]


def standing_rows(rules: Ruleset) -> list[StandingRow]:
    exact = standing(rules)
    return [_row(exact, number) for number in range(len(exact.names))]


def _row(exact: ExactStanding, number: int) -> StandingRow:
    chances = tuple(
        "" if other == number else percent(float(chance))
        for other, chance in enumerate(exact.wins[number])
    )
    return StandingRow(
        PLAYERS[exact.names[number]].name,
        phrases.points(exact.means[number], 2),
        phrases.points(GAMES * float(exact.points[number]), 1),
        chances,
    )


def distribution_csv(exact: Exact) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["score", "probability"])
    writer.writerows(enumerate(exact.distribution.probabilities.tolist()))
    return text.getvalue()
