"""Rules by which a preregistered analysis may leave people out: a line each.

``finds`` is asked with the trial, the moment, and the number that the rule takes, or True.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from game.models import Trial
from game.trials.results import reading_exclusions as exclusions

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


@dataclass(frozen=True, slots=True)
class ExclusionRule:
    """``words`` name those who are left out, with a place for the ``number`` where it takes one."""

    name: str
    words: "StrOrPromise"
    finds: Callable[[Trial, datetime, int], set[int]]
    takes_number: bool = False
    offered: bool = True  # what was once locked is still done, and not chosen any more

    def told(self, number: int | str) -> str:
        return str(self.words) % {"number": number}


EXCLUSIONS: Mapping[str, ExclusionRule] = {
    rule.name: rule
    for rule in (
        ExclusionRule(
            "fewer_games",
            _("whoever has finished fewer than %(number)s games"),
            exclusions.with_fewer_games,
            takes_number=True,
        ),
        ExclusionRule(
            "older_consent",
            _("whoever has not agreed to the latest version of the text"),
            lambda trial, until, _number: exclusions.with_an_older_consent(trial, until),
        ),
        ExclusionRule(
            "practised",
            _("whoever has practised with a program that judges moves"),
            lambda trial, until, _number: exclusions.who_practised(trial, until),
        ),
        ExclusionRule(
            "failed_check",
            _("whoever has failed a check of attention"),
            lambda trial, until, _number: exclusions.who_failed_a_check(trial, until),
            offered=False,
        ),
        ExclusionRule(
            "failed_attention",
            _("whoever has failed a check of attention, and not those who were screened out"),
            lambda trial, until, _number: exclusions.who_failed_attention(trial, until),
        ),
        ExclusionRule(
            "screened_out",
            _("whoever was screened out by an answer, also to a question about the rules"),
            lambda trial, until, _number: exclusions.who_was_screened_out(trial, until),
        ),
    )
}


def whom(trial: Trial, until: datetime, chosen: Mapping[str, int]) -> dict[str, set[int]]:
    """Of each rule that was chosen, and that this program has, whom it leaves out."""
    return {
        name: EXCLUSIONS[name].finds(trial, until, number)
        for name, number in chosen.items()
        if name in EXCLUSIONS
    }
