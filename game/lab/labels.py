"""Names and descriptions of the lab's players, in the reader's language."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from types import MappingProxyType

from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from game.coach.score_charts import HEIGHT, WIDTH
from game.core.words import labels, phrases
from game.core.words.times import format_day
from game.pages.rulesets import list_rules_choices
from solver.charts import Chart
from solver.players import PLAYERS as REGISTERED
from solver.rules import RULESETS, Ruleset
from solver.study.html import Words
from solver.study.published import RULES


@dataclass(frozen=True, slots=True)
class PlayerWords:
    name: Promise
    summary: Promise
    reading: Promise | None  # the interpretation, if the source's words are ambiguous


# The registry has the English texts, marked for translators.
PLAYERS: Mapping[str, PlayerWords] = MappingProxyType(
    {
        player.id: PlayerWords(
            _(player.title), _(player.summary), _(player.taken) if player.taken else None
        )
        for player in REGISTERED.values()
    }
)


class SiteWords(Words):
    def gettext(self, text: str) -> str:
        return gettext(text)

    def ngettext(self, singular: str, plural: str, count: int) -> str:
        return ngettext(singular, plural, count)

    def number(self, value: float, digits: int = 1) -> str:
        return phrases.format_points(value, digits)

    def format_whole(self, count: int) -> str:
        return number_format(count, use_l10n=True, force_grouping=True)

    def format_percent(self, share: float, digits: int = 1) -> str:
        return phrases.add_percent_sign(phrases.format_points(100 * share, digits))

    def keep_on_one_line(self, text: str) -> str:
        return phrases.keep_on_one_line(text)

    def box(self, rules: Ruleset, category: str) -> str:
        return phrases.name_box(rules, category)

    def held(self, rules: Ruleset, dice: Sequence[int]) -> str:
        return phrases.describe_hold(tuple(dice), rules)

    def describe_score(self, rules: Ruleset, category: str, points: int) -> str:
        return phrases.describe_score(rules, category, points)

    def player(self, player: str) -> str:
        return str(PLAYERS[player].name)

    def day(self, iso: str) -> str:
        return format_day(date.fromisoformat(iso))

    def url(self, page: str, *arguments: object, part: str = "") -> str:
        return reverse(page, args=arguments) + part

    def adapt_chart(self, chart: Chart) -> Chart:
        return replace(chart, width=WIDTH, height=HEIGHT, show_title=False)


SITE = SiteWords()
whole, format_percent = SITE.format_whole, SITE.format_percent


SVG, CSV, JSON = "image/svg+xml", "text/csv; charset=utf-8", "application/json"


def make_lab_url(name: str, rules: Ruleset, *more: object) -> str:
    named = () if rules == RULES else (rules.id,)
    return reverse(name, args=[*named, *more])


def find_lab_rules(ruleset: str) -> Ruleset:
    """Return the ruleset with this id, or the default for "". Raise Http404 if it is unknown."""
    if not ruleset:
        return RULES
    if ruleset not in RULESETS:
        raise Http404
    return RULESETS[ruleset]


def make_rules_context(page: str, rules: Ruleset) -> dict[str, object]:
    return {
        "rules": rules,
        "game_name": labels.find_ruleset_name(rules),
        "choices": list_rules_choices(rules, partial(make_lab_url, page), RULESETS),
    }


def make_file_response(name: str, content_type: str, text: str) -> HttpResponse:
    """Return a response that downloads the text as a file. Raise Http404 if the text is empty."""
    if not text:
        raise Http404
    response = HttpResponse(text, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
