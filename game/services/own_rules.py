"""Rulesets that players make: kept with their account, worked out in the background, removed."""

from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models.signals import post_delete
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game.judgement.tables import lacks, note
from game.models import Game, OwnRules, Player
from game.selectors.own_rules import own_rules_lately, own_rules_of, own_rulesets_kept
from game.services.refusals import Refused
from solver.dp.cost import cost_of
from solver.making import describe, forget
from solver.rules import Ruleset
from solver.rules.own import facts_of

MEGABYTE = 1_000_000


def own_rules_make(*, player: Player, rules: Ruleset) -> OwnRules:
    """``rules`` with the name that a new row would have."""
    with transaction.atomic():
        owner = Player.objects.select_for_update().get(pk=player.pk)
        if twice := _alike(owner, rules):
            return twice
        reason = own_rules_refused(owner, rules)
        if reason:
            raise Refused(reason)
        own = OwnRules.objects.create(pk=rules.id, owner=owner, facts=facts_of(rules))
        transaction.on_commit(lambda: _want(rules))
    return own


def _alike(owner: Player, rules: Ruleset) -> OwnRules | None:
    """A double click makes one."""
    facts = facts_of(rules)
    every = own_rules_of(owner)
    return next((one for one in every if {**one.facts, "id": rules.id} == facts), None)


def own_rules_refused(player: Player | None, rules: Ruleset) -> str:
    """Why not these, now; nothing where they may be made, by whoever has an account."""
    if cost_of(rules).bytes > settings.OWN_RULES_MEGABYTES * MEGABYTE:
        return _(
            "This is too large: the tables of such rules may take %(most)s MB here. Take fewer"
            " boxes, or a bonus for fewer points."
        ) % {"most": settings.OWN_RULES_MEGABYTES}
    most = settings.OWN_RULES
    if player is None:
        return ""
    if own_rules_of(player).count() >= most:
        return ngettext(
            "You have %(most)s ruleset of your own: delete it first.",
            "You have %(most)s rulesets of your own: delete one of them first.",
            most,
        ) % {"most": most}
    if own_rules_lately(player) >= settings.OWN_RULES_A_DAY:
        return _("You have made enough rulesets for a day: come back tomorrow.")
    return ""


def own_rules_remove(*, player: Player, ruleset_id: str) -> None:
    """Games by it can still be read; its tables are deleted, and nobody begins another."""
    own = own_rules_of(player).filter(pk=ruleset_id).first()
    if own is None:
        return
    with transaction.atomic():
        own.removed = True
        own.save(update_fields=["removed"])
        usual = Game().ruleset
        Player.objects.filter(pk=player.pk, ruleset=own.pk).update(ruleset=usual)
        transaction.on_commit(lambda: forget(own.rules))


def own_rules_wanted() -> None:
    """What is missing of those that are kept is made, also after a restart or from a backup."""
    for rules in own_rulesets_kept():
        if lacks(rules):
            _want(rules)


def _want(rules: Ruleset) -> None:
    describe(rules)
    note(rules)


def listen() -> None:
    """However a player is deleted, nothing of their rules is left."""
    post_delete.connect(_deleted, sender=OwnRules, dispatch_uid="game.services.own_rules")


def _deleted(*, instance: OwnRules, **_: Any) -> None:
    transaction.on_commit(lambda: forget(instance.rules))
