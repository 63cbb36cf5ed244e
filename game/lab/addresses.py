"""Where the lab's pages are: the short addresses belong to the rules that the study played by."""

from django.http import Http404
from django.urls import reverse

from solver.rules import RULESETS, Ruleset
from solver.study.published import RULES


def lab_url(name: str, rules: Ruleset, *more: object) -> str:
    named = () if rules == RULES else (rules.id,)
    return reverse(name, args=[*named, *more])


def lab_rules(ruleset: str) -> Ruleset:
    """Those that an address names; Http404 where there are none of that name."""
    if not ruleset:
        return RULES
    if ruleset not in RULESETS:
        raise Http404
    return RULESETS[ruleset]
