"""The Psych-DS description of an export, its README, licence and citation, and registry texts.

The description lists every variable in schema.org format.
"""

import json
from collections.abc import Iterable
from datetime import datetime
from functools import partial
from importlib.metadata import version
from typing import Any

from django.template.loader import render_to_string

from game.core.worth.tables import load_advisor
from game.trials.design.arm_text import format_arm
from game.trials.design.consent import USUAL_FACTS
from game.trials.design.people import find_recruitment
from game.trials.design.phases import derive_list_seed
from game.trials.design.reading import build_design, list_rulesets, make_trial_seal, may_show_seed
from game.trials.exports.tables import Standing
from game.trials.files.export_table import KINDS, format_time
from game.trials.models import Preregistration, Publication, Trial
from game.trials.questions.reading import find_question_file, hash_questions, load_questionnaire
from game.trials.results.preregistration import describe_plan, list_changes
from solver.rules import Ruleset

QUESTIONS = "questions.yaml"
CONDITIONS = (
    "rehearsal games_each ruleset dice dice_places shared_dice round_table language questionnaire"
    " games_before games_after games_follow_up follow_up_days texts"
)
Facts = dict[str, Any]


def build_description(standing: Standing, files: Iterable[str]) -> Facts:
    """Return the description of a data set. It includes the seed of the allocation list once the
    trial is closed and unblinded, because anyone can calculate the list from the seed."""
    trial, questions = standing.trial, None
    opened, closed = format_time(trial.opened_at), format_time(trial.closed_at)
    if file := find_question_file(trial):
        questions = {"file": QUESTIONS, "version": file.version, "sha256": hash_questions(file)}
    settings = list_conditions(trial) | {
        "state": trial.state,
        "masked": trial.masked,
        "unmasked_at": format_time(trial.unmasked_at),
        "participants": trial.places,
        "questions": questions,
        "opened_at": opened,
        "closed_at": closed,
    }
    if trial.arms.exists():
        settings["assignment"] = {
            "design": trial.design,
            "stratify_by": trial.stratify_by,
            "seal": make_trial_seal(trial),
            "seal_version": trial.seal_version,
        }
        if may_show_seed(trial):
            settings["assignment"]["seed"] = derive_list_seed(trial.seed)
    return describe_data_set(standing, files) | {
        "identifier": trial.slug,
        "dateCreated": format_time(standing.at),
        "temporalCoverage": f"{opened or '..'}/{closed or '..'}",
        "trial": settings,
    }


def describe_data_set(standing: Standing, files: Iterable[str]) -> Facts:
    trial, rules = standing.trial, standing.trial.rules.title
    versions = list_versions(trial.rules)
    _own, *others = list_rulesets(trial)
    if others:
        versions["other_rules"] = {rules.id: list_versions(rules) for rules in others}
    return {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "name": trial.title,
        "description": explain_data(trial),
        "measurementTechnique": f"Solitaire games of {rules}, recorded decision by decision.",
        "variableMeasured": [
            {
                "@type": "PropertyValue",
                "@id": f"#{table.name}.{column.name}",
                "name": column.name,
                "description": column.text,
                "valueReference": ": ".join(filter(None, [KINDS[column.kind], column.values])),
                **({"unitText": column.unit} if column.unit else {}),
            }
            for table in standing.tables
            for column in table.columns
        ],
        "hasPart": [{"@type": "DataDownload", "name": name} for name in files],
        "versions": versions,
    }


def list_versions(rules: Ruleset) -> Facts:
    coach = load_advisor(rules)
    return {
        "program": f"yatzy {version('yatzy')}",
        "ruleset": rules.id,
        "ruleset_hash": rules.hash,
        "value_start": coach.value_start if coach else None,
    }


def explain_data(trial: Trial) -> str:
    who = "bots, in a rehearsal of the study" if trial.rehearsal else "people"
    dice = "real dice whose rolls they typed in" if trial.real_dice else "virtual dice"
    same = ", the same for everyone, game by game" if trial.shared_dice else ""
    return (
        f"Games of {trial.rules.title}, played by {who} with {dice}{same}. Every decision has its"
        " cost compared with perfect play (regret) and the luck of the roll before it (luck);"
        " score = value_start + luck - regret holds for every game. Codes stand for participants;"
        " the tables leave out participants who withdrew."
    )


def list_conditions(trial: Trial) -> Facts:
    conditions: Facts = {name: getattr(trial, name) for name in CONDITIONS.split()}
    return conditions | {"language": trial.language or "the browser's language"}


HOW_TO_CHECK = (
    "sha256 is the hash of the document as UTF-8 JSON with sorted keys, no spaces and no escapes:"
    " python -c \"import hashlib, json, sys; document = json.load(sys.stdin)['document'];"
    " print(hashlib.sha256(json.dumps(document, ensure_ascii=False, sort_keys=True,"
    " separators=(',', ':')).encode()).hexdigest())\" < preregistration.json"
)


def find_locked_document(trial: Trial, until: datetime) -> dict[str, Any] | None:
    """Return the locked plan, or None. Omit facts about people, such as the first consent."""
    plan = Preregistration.objects.filter(trial=trial, locked_at__lte=until).first()
    if plan is None:
        return None
    return {
        "locked_at": format_time(plan.locked_at),
        "sha256": plan.digest,
        "how_to_check": HOW_TO_CHECK,
        "document": plan.locked,
    }


LICENCES = {
    Publication.Licence.CC0: (
        "https://creativecommons.org/publicdomain/zero/1.0/",
        "To the extent possible under law, {who} has waived all copyright and related or"
        " neighboring rights to {what}. This work is published without any rights reserved.",
    ),
    Publication.Licence.CC_BY: (
        "https://creativecommons.org/licenses/by/4.0/",
        "{what} by {who} is licensed under the Creative Commons Attribution 4.0 International"
        " License: share and adapt it for any purpose, and name the creators in CITATION.cff.",
    ),
}
NOBODY = "its creators"  # the creator if the researcher enters no name


def find_publication(trial: Trial) -> Publication:
    return Publication.objects.filter(trial=trial).first() or Publication(trial=trial)


def build_creator_facts(publication: Publication) -> Facts:
    address, _notice = LICENCES[Publication.Licence(publication.licence)]
    people = [
        {"@type": "Person", "name": _format_full_name(author)} for author in publication.authors
    ]
    return {"creator": people, "license": address, "isAccessibleForFree": True}


def format_licence(publication: Publication) -> str:
    address, notice = LICENCES[Publication.Licence(publication.licence)]
    who = "; ".join(map(_format_full_name, publication.authors)) or NOBODY
    notice_text = notice.format(who=who, what=f"“{publication.trial.title}”")
    return f"{publication.licence}\n\n{notice_text}\n\nThe full licence: {address}legalcode\n"


def format_citation(publication: Publication) -> str:
    """Return the text of CITATION.cff 1.2.0. Its values are JSON strings, which are valid YAML."""
    quote = partial(json.dumps, ensure_ascii=False)
    lines = [
        "cff-version: 1.2.0",
        "message: If you use these data, please cite them as below.",
        "type: dataset",
        f"title: {quote(publication.trial.title)}",
        f"license: {publication.licence}",
        "authors:",
    ]
    for author in publication.authors or [NOBODY]:
        family, comma, given = (part.strip() for part in author.partition(","))
        if comma:
            lines += [f"  - family-names: {quote(family)}", f"    given-names: {quote(given)}"]
        else:
            lines.append(f"  - name: {quote(author)}")
    return "\n".join(lines) + "\n"


def _format_full_name(name: str) -> str:
    family, _comma, given = (part.strip() for part in name.partition(","))
    return f"{given} {family}".strip()


OSF = "preregistration-osf.md"
CONSORT = "consort-2025.md"


def render_documents(trial: Trial) -> dict[str, bytes]:
    """Return the texts by file name; {} without a locked plan. Only trials with arms get the
    checklist."""
    plan = Preregistration.objects.filter(trial=trial, locked_at__isnull=False).first()
    if plan is None:
        return {}
    design, link = build_design(trial), find_recruitment(trial)
    quota = link.quota if link and (link.open or not trial.places) else 0
    phases = {
        "baseline": trial.games_before,
        "training": trial.games_each,
        "post-test": trial.games_after,
        f"follow-up (after {trial.follow_up_days} days)": trial.games_follow_up,
    }
    context = {
        "trial": trial,
        "plan": plan,
        "words": describe_plan(plan),
        "facts": {**USUAL_FACTS, **trial.facts},
        "authors": "; ".join(find_publication(trial).authors),
        "arms": [format_arm(arm) for arm in design.arms],
        "phases": ", ".join(f"{n} {name} games" for name, n in phases.items() if n),
        "seal": make_trial_seal(trial) if design.arms else "",
        "quota": quota,
        "people": trial.places + quota,
        "screening": load_questionnaire(trial) is not None,
        "changes": [f"{each.name}: {each.was}, now {each.now}" for each in list_changes(plan)],
    }
    texts = {OSF: render_to_string("trials/preregistration_osf.txt", context)}
    if context["arms"]:
        texts[CONSORT] = render_to_string("trials/consort_2025.txt", context)
    return {name: text.encode() for name, text in texts.items()}
