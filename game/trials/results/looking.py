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
from game.trials.results.arm_results import arm_results_of
from game.trials.results.exclusions import whom
from game.trials.results.looks import LookTaken, look_due, looks_taken, people_wanted
from game.trials.results.reading_exclusions import labels_of
from game.trials.results.words_arms import told_range
from solver.statistics.arm_figures import ArmDifference
from solver.statistics.spending import boundaries

ARMS = 2  # that a look compares
COMPARISON = "between_arms"  # the planned analysis that a look does


def looks_plan(*, trial: Trial, looks: int, spending: str) -> None:
    """None with ``looks`` of 0. What a preregistration has locked stays."""
    with transaction.atomic():
        trial = Trial.objects.select_for_update().get(pk=trial.pk)
        if trial.opened_at is not None or stopping_rule(trial) is not None:
            raise Refused(_("Looks are planned before the trial is opened, or anything is locked."))
        if looks and trial.arms.count() != ARMS:
            raise Refused(_("Looks compare two arms, and this trial has another number of them."))
        trial.looks, trial.spending = looks, spending if looks else ""
        trial.save(update_fields=["looks", "spending"])


def look_take(*, trial: Trial) -> TrialEvent:
    """The comparison as it was locked, held against the boundary at what there is by now."""
    now = timezone.now()
    rule = stopping_rule(trial)
    if rule is None or COMPARISON not in rule.analyses:
        raise Refused(
            _("No comparison of the arms was locked before, so there is none to look at.")
        )
    pair = _comparison(trial, rule, now)
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
            **asdict(_seen(trial, look, done, pair, rule.outcome)),
        )


def _comparison(trial: Trial, rule: Preregistration, now: datetime) -> ArmDifference:
    without = set().union(*whom(trial, now, rule.exclusions).values())
    found = arm_results_of(trial, now, labels_of(trial, without))
    phases = found.analysis.phases if found else ()
    wanted = found and (found.analysis.design.outcome, rule.outcome)
    pairs = [
        pair for one in phases if (one.phase, one.measure) == wanted for pair in one.comparisons
    ]
    if len(pairs) != 1 or told_range(pairs[0]) is None:
        raise Refused(_("There are too few games to tell."))
    return pairs[0]


def _seen(trial: Trial, look: int, done: int, pair: ArmDifference, outcome: str) -> LookTaken:
    share = done / people_wanted(trial)
    shares = [*(one.share for one in looks_taken(trial)), share]
    bound = boundaries(shares, trial.spending)[-1].p
    _low, _high, p = told_range(pair) or (0.0, 0.0, 1.0)
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
        difference=-pair.difference if turned else pair.difference,
        p=p,
        bound=bound,
        ends=p <= bound,
    )
