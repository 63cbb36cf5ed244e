"""The description of an export: a Psych-DS file that lists every variable (schema.org format)."""

from collections.abc import Sequence
from datetime import datetime
from importlib.metadata import version
from typing import Any

from game.core.worth.tables import load_advisor
from game.trials.design.phases import derive_list_seed
from game.trials.design.reading import build_design, list_rulesets, make_trial_seal, may_show_seed
from game.trials.exports.rows import Standing
from game.trials.files.export_table import KINDS, AnyTable, Column
from game.trials.files.writers import format_time
from game.trials.models import Agreement, Preregistration, Trial
from game.trials.questions.reading import find_question_file, hash_questions
from solver.rules import Ruleset

PROGRAM = "yatzy"
QUESTIONS = "questions.yaml"
Facts = dict[str, Any]


def build_description(standing: Standing, files: Sequence[str]) -> Facts:
    trial = standing.trial
    return describe_data_set(standing, files) | {
        "identifier": trial.slug,
        "dateCreated": format_time(standing.at),
        "temporalCoverage": "/".join(
            format_time(time) or ".." for time in (trial.opened_at, trial.closed_at)
        ),
        "trial": _describe_settings(trial),
    }


def describe_data_set(standing: Standing, files: Sequence[str]) -> Facts:
    trial = standing.trial
    return {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "name": trial.title,
        "description": explain_data(trial),
        "measurementTechnique": (
            f"Solitaire games of {trial.rules.title}, recorded decision by decision."
        ),
        "variableMeasured": [
            _describe_variable(table, column)
            for table in standing.tables
            for column in table.columns
        ],
        "hasPart": [{"@type": "DataDownload", "name": name} for name in files],
        "versions": list_versions(trial.rules) | _list_other_versions(trial),
    }


def list_versions(rules: Ruleset) -> Facts:
    coach = load_advisor(rules)
    return {
        "program": f"{PROGRAM} {version(PROGRAM)}",
        "ruleset": rules.id,
        "ruleset_hash": rules.hash,
        "value_start": coach.value_start if coach else None,
    }


def _list_other_versions(trial: Trial) -> Facts:
    """Return the versions of rulesets that only some arms use; {} if there are none."""
    _own, *others = list_rulesets(trial)
    versions_by_id = {rules.id: list_versions(rules) for rules in others}
    return {"other_rules": versions_by_id} if versions_by_id else {}


def _describe_assignment(trial: Trial) -> Facts:
    """Describe how arms were assigned; {} without arms. Include the seed once the trial is closed
    and unblinded, because anyone can calculate the allocation list from the seed."""
    design = build_design(trial)
    if not design.arms:
        return {}
    facts = {
        "design": trial.design,
        "stratify_by": trial.stratify_by,
        "seal": make_trial_seal(trial),
        "seal_version": trial.seal_version,
    }
    return {
        "assignment": facts
        | ({"seed": derive_list_seed(trial.seed)} if may_show_seed(trial) else {})
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


def _describe_variable(table: AnyTable, column: Column[Any]) -> Facts:
    facts = {
        "@type": "PropertyValue",
        "@id": f"#{table.name}.{column.name}",
        "name": column.name,
        "description": column.text,
        "valueReference": f"{KINDS[column.kind]}{f': {column.values}' if column.values else ''}",
        "unitText": column.unit,
    }
    return {key: value for key, value in facts.items() if value}


def _describe_questions(trial: Trial) -> Facts | None:
    file = find_question_file(trial)
    if file is None:
        return None
    return {"file": QUESTIONS, "version": file.version, "sha256": hash_questions(file)}


def _describe_settings(trial: Trial) -> Facts:
    return list_conditions(trial) | {
        "state": trial.state,
        "masked": trial.masked,
        "unmasked_at": format_time(trial.unmasked_at),
        "participants": trial.places,
        "questions": _describe_questions(trial),
        "opened_at": format_time(trial.opened_at),
        "closed_at": format_time(trial.closed_at),
        **_describe_assignment(trial),
    }


def list_conditions(trial: Trial) -> Facts:
    return {
        "rehearsal": trial.rehearsal,
        "games_each": trial.games_each,
        "ruleset": trial.ruleset,
        "dice": trial.dice,
        "dice_places": trial.dice_places,
        "shared_dice": trial.shared_dice,
        "round_table": trial.round_table,
        "language": trial.language or "the browser's language",
        "questionnaire": trial.questionnaire,
        "games_before": trial.games_before,
        "games_after": trial.games_after,
        "games_follow_up": trial.games_follow_up,
        "follow_up_days": trial.follow_up_days,
        "texts": trial.texts,
    }


PREREGISTRATION = "preregistration.json"
HOW_TO_CHECK = (
    "sha256 is the hash of the document as UTF-8 JSON with sorted keys, no spaces and no escapes:"
    " python -c \"import hashlib, json, sys; document = json.load(sys.stdin)['document'];"
    " print(hashlib.sha256(json.dumps(document, ensure_ascii=False, sort_keys=True,"
    " separators=(',', ':')).encode()).hexdigest())\" < preregistration.json"
)


def make_preregistration_file(trial: Trial, until: datetime) -> dict[str, Any] | None:
    """Return the content of preregistration.json; None if no plan was locked by ``until``."""
    locked = find_locked_document(trial, until)
    if locked is None:
        return None
    first = Agreement.objects.filter(participant__trial=trial).order_by("at").first()
    return locked | {"first_consent_at": format_time(first.at) if first else None}


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
