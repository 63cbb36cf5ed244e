"""What a report says on a page: in the reader's language, with the addresses of the site."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from django.urls import reverse
from django.utils.formats import number_format
from django.utils.translation import gettext, ngettext

from game.coach.score_charts import HEIGHT, WIDTH
from game.core.words import phrases
from game.core.words.times import day_text
from game.lab.labels import PLAYERS
from solver.charts import Chart
from solver.rules import Ruleset
from solver.study.html import Words


class SiteWords(Words):
    def gettext(self, text: str) -> str:
        return gettext(text)

    def ngettext(self, one: str, several: str, count: int) -> str:
        return ngettext(one, several, count)

    def number(self, value: float, digits: int = 1) -> str:
        return phrases.points(value, digits)

    def whole(self, count: int) -> str:
        return number_format(count, use_l10n=True, force_grouping=True)

    def percent(self, share: float, digits: int = 1) -> str:
        return phrases.share(phrases.points(100 * share, digits))

    def unbroken(self, text: str) -> str:
        return phrases.unbroken(text)

    def box(self, rules: Ruleset, category: str) -> str:
        return phrases.box(rules, category)

    def held(self, rules: Ruleset, dice: Sequence[int]) -> str:
        return phrases.held(tuple(dice), rules)

    def scored(self, rules: Ruleset, category: str, points: int) -> str:
        return phrases.scored(rules, category, points)

    def player(self, player: str) -> str:
        return str(PLAYERS[player].name)

    def day(self, iso: str) -> str:
        return day_text(date.fromisoformat(iso))

    def url(self, page: str, *arguments: object, part: str = "") -> str:
        return reverse(page, args=arguments) + part

    def chart(self, of: Chart) -> Chart:
        return replace(of, width=WIDTH, height=HEIGHT, show_title=False)

    def alone(self, of: Chart) -> Chart:
        """A chart of a page as a file, which needs its title."""
        return replace(of, show_title=True)


SITE = SiteWords()
whole = SITE.whole
