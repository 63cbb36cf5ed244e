"""Texts for registries and journals from a locked plan: OSF's form, the CONSORT checklist."""

from typing import Any

from django.template.loader import render_to_string
from django.utils import translation

from game.trials.design.arm_text import format_arm
from game.trials.design.consent import USUAL_FACTS
from game.trials.design.people import find_recruitment
from game.trials.design.reading import build_design, make_trial_seal
from game.trials.exports.public.papers import find_publication
from game.trials.models import Preregistration, Trial
from game.trials.questions.reading import load_questionnaire
from game.trials.results.preregistration import describe_plan, list_changes

OSF = "preregistration-osf.md"
CONSORT = "consort-2025.md"


def render_documents(trial: Trial) -> dict[str, bytes]:
    """Return the texts by file name; {} without a locked plan. Only trials with arms get the
    checklist."""
    plan = Preregistration.objects.filter(trial=trial, locked_at__isnull=False).first()
    if plan is None:
        return {}
    with translation.override("en"):
        context = _make_context(trial, plan)
        texts = {OSF: render_to_string("trials/preregistration_osf.txt", context)}
        if context["arms"]:
            texts[CONSORT] = render_to_string("trials/consort_2025.txt", context)
    return {name: text.encode() for name, text in texts.items()}


def _make_context(trial: Trial, plan: Preregistration) -> dict[str, Any]:
    design, link = build_design(trial), find_recruitment(trial)
    quota = link.quota if link and (link.open or not trial.places) else 0
    phases = [
        f"{number} {name} games"
        for name, number in (
            ("baseline", trial.games_before),
            ("training", trial.games_each),
            ("post-test", trial.games_after),
            (f"follow-up (after {trial.follow_up_days} days)", trial.games_follow_up),
        )
        if number
    ]
    return {
        "trial": trial,
        "plan": plan,
        "words": describe_plan(plan),
        "facts": {**USUAL_FACTS, **trial.facts},
        "authors": "; ".join(find_publication(trial).authors),
        "arms": [format_arm(arm) for arm in design.arms],
        "phases": ", ".join(phases),
        "seal": make_trial_seal(trial) if design.arms else "",
        "quota": quota,
        "people": trial.places + quota,
        "screening": load_questionnaire(trial) is not None,
        "changes": [f"{each.name}: {each.was}, now {each.now}" for each in list_changes(plan)],
    }
