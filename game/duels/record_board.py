"""The page of a player's results: a line per opponent, with a link to the games."""

from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from game.core.duel_record_queries import DuelRecord, list_records, measure_differences
from game.core.profile_queries import find_player_skills
from game.core.words import labels, phrases
from game.core.worth.skill import Skill, compare_players
from game.core.worth.tables import find_value_start
from game.models import Player
from solver.rules import Ruleset
from solver.statistics.inference import Interval

FEWEST = 5  # least number of games for an interval


@dataclass(frozen=True, slots=True)
class RecordLine:
    """An opponent's line in the results. ``level`` and ``better`` are "" after too few games."""

    name: str
    text: str
    url: str
    level: str = ""
    better: str = ""


@dataclass(frozen=True, slots=True)
class AmongOthers:
    skill: Skill | None
    lines: Collection[RecordLine]

    @property
    def words(self) -> str:
        return format_sure_skill(self.skill)


def build_player_standing(
    player: Player, rules: Ruleset, rivals: Collection[Player] = (), *, judged: bool = True
) -> AmongOthers:
    """Return the results under all rules and, if ``judged``, the skill estimates for ``rules``."""
    results = list_records(player, rivals)
    start = find_value_start(rules) if judged else None
    if start is None:
        return AmongOthers(None, [_make_line(record, None, None) for record in results])
    skills = find_player_skills([player, *(record.rival for record in results)], rules, start)
    apart = measure_differences(player, rules, start) if results else {}
    mine, lines = skills.get(player.pk), []
    for record in results:
        theirs, better = skills.get(record.rival.pk), None
        more = apart.get(record.rival.pk)
        if more and mine and theirs and min(mine.games, theirs.games) >= FEWEST:
            better = compare_players(more, (mine, theirs))
        lines.append(_make_line(record, theirs, better))
    return AmongOthers(mine, lines)


def _make_line(record: DuelRecord, theirs: Skill | None, better: Interval | None) -> RecordLine:
    name = labels.format_player(record.rival)
    query = urlencode({"rules": "all", "opponent": record.rival.code})
    facts = {"name": name, "won": record.won, "lost": record.lost, "drawn": record.drawn}
    return RecordLine(
        name=name,
        text=_("You against %(name)s: %(won)s won, %(lost)s lost, %(drawn)s drawn.") % facts,
        url=f"{reverse('you')}?{query}",
        level=format_sure_skill(theirs),
        better=describe_lead(name, better),
    )


def describe_lead(name: str, difference: Interval | None) -> str:
    """Return a sentence about who plays better. It is unclear if the interval includes 0."""
    if difference is None:
        return ""
    points = round(abs(difference.mean), phrases.DIGITS)
    if not points:
        return _("You both played equally well.")
    sure = 0.0 not in difference
    facts = {
        "name": name,
        "points": phrases.format_points(points),
        "half": phrases.format_points(difference.half),
    }
    if difference.mean > 0:
        text = (
            _("You played better by %(points)s ± %(half)s points per game: a clear difference.")
            if sure
            else _(
                "You played better by %(points)s ± %(half)s points per game: not yet a clear "
                "difference."
            )
        )
    else:
        text = (
            _(
                "%(name)s played better by %(points)s ± %(half)s points per game: a clear "
                "difference."
            )
            if sure
            else _(
                "%(name)s played better by %(points)s ± %(half)s points per game: not yet a clear "
                "difference."
            )
        )
    return phrases.keep_on_one_line(text % facts)


def format_sure_skill(known: Skill | None) -> str:
    """Return a skill estimate with its range; "" after too few games."""
    return phrases.format_skill(*known.numbers) if known and known.games >= FEWEST else ""
