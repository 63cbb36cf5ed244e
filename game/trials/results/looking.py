"""Looks are planned before a trial opens, and taken one by one; each is told in the log."""

from dataclasses import asdict
from datetime import datetime

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from game.models import Preregistration, Trial, TrialEvent
from game.services.refusals import Refused
from game.trials.design.log import note
from game.trials.design.masking import letters
from game.trials.design.stopping import people_done, stopping_rule
from game.trials.results.analyses import BETWEEN_ARMS
from game.trials.results.arm_results import arm_data
from game.trials.results.exclusions import whom
from game.trials.results.looks import LookTaken, look_due, looks_taken, people_wanted
from game.trials.results.preregistration import estimand_of, locked_estimand
from game.trials.results.reading_exclusions import labels_of
from solver.statistics.estimand import Estimand
from solver.statistics.estimating import PairAnswer
from solver.statistics.randomisation import TWO_SIDED
from solver.statistics.spending import boundaries

ARMS = 2  # that a look compares


def looks_plan(*, trial: Trial, looks: int, spending: str) -> None:
    """None with ``looks`` of 0. What a preregistration has locked stays."""
    with transaction.atomic():
        trial = Trial.objects.select_for_update().get(pk=trial.pk)
        if trial.opened_at is not None or stopping_rule(trial) is not None:
            raise Refused(_("Looks are planned before the trial is opened, or anything is locked."))
        if looks and trial.arms.count() != ARMS:
            raise Refused(_("Looks compare two arms, and this trial has another number of them."))
        if looks and _asks_one_side(trial):
            raise Refused(_("Looks ask in either direction, and the draft asks in one alone."))
        trial.looks, trial.spending = looks, spending if looks else ""
        trial.save(update_fields=["looks", "spending"])


def _asks_one_side(trial: Trial) -> bool:
    draft = Preregistration.objects.filter(trial=trial).first()
    estimand = estimand_of(draft) if draft else None
    return estimand is not None and estimand.side != TWO_SIDED


def look_take(*, trial: Trial) -> TrialEvent:
    """The comparison as it was locked, held against the boundary at what there is by now."""
    now = timezone.now()
    rule = stopping_rule(trial)
    estimand = locked_estimand(rule) if rule and BETWEEN_ARMS in rule.analyses else None
    if rule is None or estimand is None:
        raise Refused(
            _("No comparison of the arms was locked before, so there is none to look at.")
        )
    pair = _comparison(trial, rule, estimand, now)
    with transaction.atomic():
        trial = Trial.objects.select_for_update().get(pk=trial.pk)
        done = people_done(trial, now)
        look = look_due(trial, done)
        if not look:
            raise Refused(_("No look is due now."))
        return note(
            trial,
            TrialEvent.Kind.LOOKED,
            None,
            **asdict(_seen(trial, look, done, pair, estimand.measure)),
        )


def _comparison(
    trial: Trial, rule: Preregistration, estimand: Estimand, now: datetime
) -> PairAnswer:
    """The one pair of the estimand, by its own test."""
    without = set().union(*whom(trial, now, rule.exclusions).values())
    found = arm_data(trial, now, labels_of(trial, without))
    pairs = found.answered(estimand).pairs if found else ()
    if len(pairs) != 1 or not pairs[0].told:
        raise Refused(_("There are too few games to tell."))
    return pairs[0]


def _seen(trial: Trial, look: int, done: int, pair: PairAnswer, outcome: str) -> LookTaken:
    share = done / people_wanted(trial)
    shares = [*(one.share for one in looks_taken(trial)), share]
    bound = boundaries(shares, trial.spending)[-1].p
    difference, p = pair.estimate or 0.0, 1.0 if pair.p is None else pair.p
    called = {arm.name: letters(trial)[arm.position] for arm in trial.arms.all()}
    # The later letter beside the earlier one: that it is beside the first arm would tell which.
    arm, beside = called[pair.arm], called[pair.beside]
    turned = arm < beside
    return LookTaken(
        look=look,
        people=done,
        share=share,
        outcome=outcome,
        arm=max(arm, beside),
        beside=min(arm, beside),
        difference=-difference if turned else difference,
        p=p,
        bound=bound,
        ends=p <= bound,
    )
