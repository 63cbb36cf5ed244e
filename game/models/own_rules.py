from functools import lru_cache

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from game.models.tokens import share_token
from solver.rules import PLAYED, Ruleset, UnknownRuleset
from solver.rules.own import MARK, ruleset_of

LONGEST_RULES_NAME = 40


def own_rules_id() -> str:
    return MARK + share_token()


class OwnRules(models.Model):
    """A ruleset that a player made, and plays alone. Games are by it also when it was removed."""

    id = models.CharField(max_length=32, primary_key=True, default=own_rules_id, editable=False)
    owner = models.ForeignKey("Player", on_delete=models.CASCADE, related_name="own_rules")
    facts = models.JSONField(help_text=_("The rules as data; their name is among them."))
    made_at = models.DateTimeField(default=timezone.now)
    removed = models.BooleanField(default=False)

    class Meta:
        verbose_name = _("own rules")
        verbose_name_plural = _("own rules")
        ordering = ["made_at", "pk"]

    def __str__(self) -> str:
        return str(self.facts["title"])

    @property
    def rules(self) -> Ruleset:
        return ruleset_of(self.facts)


def stored_ruleset(ruleset_id: str) -> Ruleset:
    """What a name means that is kept with a game; raises UnknownRuleset."""
    return PLAYED.get(ruleset_id) or _own(ruleset_id)


@lru_cache(maxsize=256)
def _own(ruleset_id: str) -> Ruleset:
    """Of a name nothing ever changes."""
    own = OwnRules.objects.filter(pk=ruleset_id).first() if ruleset_id.startswith(MARK) else None
    if own is None:
        raise UnknownRuleset(f"unknown ruleset {ruleset_id!r}")
    return own.rules
