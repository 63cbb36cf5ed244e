"""Texts that pages show while the tables of a ruleset are calculated, or after this failed."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from game.core.words import labels, phrases
from game.core.worth.tables import Making, request_tables
from solver.advice import Advisor
from solver.rules import Ruleset
from solver.tables import EXPLAIN, OUTLOOK, VALUES
from solver.tables.parts import list_parts

PARTS: dict[str, Promise] = {
    VALUES: gettext_lazy("the value of every position"),
    OUTLOOK: gettext_lazy("the chance of the bonus"),
    EXPLAIN: gettext_lazy("why one option is better than another"),
}


@dataclass(frozen=True, slots=True)
class Waiting:
    """A missing ``part`` of the tables; ``expected`` is True if the server will calculate it."""

    part: str
    making: Making

    @property
    def rules(self) -> str:
        return labels.find_ruleset_name(self.making.rules)

    @property
    def expected(self) -> bool:
        return self.making.expected

    @property
    def there(self) -> bool:
        return self.making.there[self.part]

    @property
    def progress(self) -> str:
        """The progress in one sentence; empty before the progress is known."""
        status = self.making.status
        if status is None or status.failed or status.part not in PARTS:
            return ""
        facts = {"what": PARTS[status.part], "share": phrases.format_percent(status.done)}
        done = _("The server is now calculating %(what)s: %(share)s done") % facts
        left = _format_time_left(status.left)
        return f"{done}, {left}." if left else f"{done}."


def request_one_table(rules: Ruleset, part: str = VALUES) -> Waiting:
    return Waiting(part, request_tables(rules))


def find_missing_reasons(coach: Advisor) -> Waiting | None:
    """Return the missing table of reasons, or None if the ruleset has it or needs none."""
    is_there = coach.explain or EXPLAIN not in list_parts(coach.rules)
    return None if is_there else request_one_table(coach.rules, EXPLAIN)


def find_awaited_part(rules: Ruleset, part: str) -> Waiting | None:
    """Return the missing part of the tables if the server makes it now or later, else None."""
    if part not in list_parts(rules):
        return None
    awaited = request_one_table(rules, part)
    return awaited if awaited.expected and not awaited.there else None


def _format_time_left(seconds: float | None) -> str:
    if seconds is None:
        return ""
    if seconds < 60:
        return _("less than a minute left")
    minutes = round(seconds / 60)
    text = ngettext("about %(minutes)s minute left", "about %(minutes)s minutes left", minutes)
    return text % {"minutes": minutes}
