"""The standard consent text, part by part, and other texts for participants.

Words in brackets mark facts that only the researcher knows, until the researcher enters the facts.
A trial cannot open while a text for participants has words in brackets.
"""

import re
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import translation
from django.utils.translation import gettext_lazy as _

from game.core.refusals import Refused
from game.core.words import labels
from game.trials.design.people import find_recruitment, is_address, log_changes
from game.trials.models import Arm, Trial
from game.trials.questions.reading import load_questionnaire
from solver.rules import Ruleset

# Facts that only the researcher knows, and the words in brackets that mark each missing fact.
LEFT_OPEN = {
    "researcher": (RESEARCHER := "[researcher]"),
    "contact": (CONTACT := "[contact]"),
    "ethics": (ETHICS := "[ethics]"),
    "minutes": "[minutes]",
    "age": "[age]",
    "pay": (PAY := "[pay]"),
    "kept": "[until when]",
    "law": "[legal basis]",
}
IN_BRACKETS = re.compile(r"\[[^][]*\]")
PARTS = (
    (
        _("What the study is about"),
        _("This study is about how people play %(game)s. You play a number of games alone."),
    ),
    (
        _("How long the study takes"),
        _(
            "The study takes about %(minutes)s minutes in all. You may stop and continue at any "
            "time."
        ),
    ),
    (_("Who may take part"), _("You have to be at least %(age)s years old.")),
    (_("What you get for taking part"), _("You get %(pay)s.")),
    (
        _("What we store"),
        _(
            "We store every move, when you made it and how long it took. We store your answers"
            " to questions, and the times when you leave the page, hide it or return to it. A "
            "random code for your browser shows us whether you go on in another browser. We "
            "store all of this under a random code, not under your name. We do not store your "
            "name or the address of your device. If a panel or another service sent you here, "
            "we store the ID that it gave you separately from the rest, and delete it 30 days "
            "after the study is closed. Until the study is closed, we keep a keyed hash of that "
            "ID, so that no one takes part again after withdrawing."
        ),
    ),
    (
        _("Who publishes what"),
        _(
            "%(researcher)s publishes the results, and may also publish everyone's games and "
            "answers under other codes, without dates and without exact ages. These data "
            "include what you wrote in your own words only if a person has checked that your "
            "words do not identify you."
        ),
    ),
    (_("How long we keep your data"), _("%(kept)s. Published data stay public.")),
    (
        _("Legal basis and your rights"),
        _(
            "The legal basis is %(law)s. You may ask what we store about you, have your data "
            "corrected or deleted, and complain to the data protection authority. You may "
            "withdraw at any time, without giving a reason: we remove your games and answers "
            "from all results and erase them at once. Deleted data can remain in"
            " backups until newer backups replace them. Data that were published before your "
            "withdrawal cannot be taken back."
        ),
    ),
    (
        _("Who runs the study"),
        _(
            "%(researcher)s runs this study. Questions and complaints: %(contact)s. "
            "Ethics approval: %(ethics)s."
        ),
    ),
)
PAUSES, PUBLISHES = 1, 5  # indexes of these two parts in PARTS
AWAY = _("If you are away for %(hours)s hours or longer, you cannot go on.")
RESULTS_ONLY = _("%(researcher)s publishes the results, but not anyone's games and answers.")
USUAL_FACTS: Mapping[str, object] = {
    "researcher": "",
    "contact": "",
    "ethics": "",
    "age": 18,
    "pay": "",
    "law": "consent",
    "law_words": "",
    "kept": 12,
    "published": "coded",
}
LAWS: dict[str, Any] = {
    "consent": _("your consent"),
    "public": _("a task in the public interest"),
}
NOTHING = _("nothing")
KEPT_FOR = _(
    "For %(months)s months after the study is closed, we keep your data under your code. Then we "
    "delete your code, your link and what you wrote in your own words, so that nothing on this "
    "site identifies you. We keep your games and your other answers"
)
MINUTES_A_GAME = 8
MOST_MONTHS = 1_200


def format_standard_consent(
    rules: Ruleset, *, coded: bool = True, hours: int | None = None, **known: str
) -> str:
    """Return the standard text; words in brackets stand for facts that are not in ``known``. If
    ``coded``, the text says that games and answers are published too. ``hours`` limits absences."""
    facts = LEFT_OPEN | {"game": labels.find_ruleset_name(rules), "hours": str(hours)} | known
    parts: dict[Any, Any] = dict(PARTS)
    if not coded:
        parts[PARTS[PUBLISHES][0]] = RESULTS_ONLY
    if hours is not None:
        heading, text = PARTS[PAUSES]
        parts[heading] = f"{text} {AWAY}"
    return "\n\n".join(f"{heading}\n{text % facts}" for heading, text in parts.items())


def find_months_kept(trial: Trial) -> Any:
    """Return for how many months a closed trial keeps data that can identify people."""
    return {**USUAL_FACTS, **trial.facts}["kept"]


def format_trial_consent(trial: Trial) -> str:
    facts = {**USUAL_FACTS, **trial.facts}
    words = {name: str(facts[name]) for name in LEFT_OPEN if facts.get(name)}
    words.setdefault("minutes", str(MINUTES_A_GAME * trial.games_planned))
    with translation.override(trial.language or settings.LANGUAGE_CODE):
        words["law"] = str(facts["law_words"] or LAWS.get(words["law"], words["law"]))
        words["kept"] = str(KEPT_FOR) % {"months": find_months_kept(trial)}
        if facts["pay"] == "nothing":
            words["pay"] = str(NOTHING)
        coded = facts["published"] == "coded"
        return format_standard_consent(trial.rules, coded=coded, hours=trial.hours_away, **words)


def check_texts(trial: Trial) -> None:
    """Raise Refused if the title is missing. Except in rehearsals, also raise it if a text for
    participants still has words in brackets."""
    if not trial.title:
        raise Refused("Enter the title first: participants read it.")
    if not trial.rehearsal and (left := find_bracketed_words(trial)):
        words = ", ".join(left)
        raise Refused(f"Participants would still read {words}: replace the words in brackets.")


def find_bracketed_words(trial: Trial) -> list[str]:
    """Return the words in brackets in all texts that participants read."""
    texts = [trial.title, trial.consents.latest("version").text]
    texts += (text for by_moment in trial.texts.values() for text in by_moment.values())
    if questionnaire := load_questionnaire(trial):
        texts += questionnaire.texts
    if link := find_recruitment(trial):
        texts += (ending for ending in link.ways_out.values() if not is_address(ending))
    return list(dict.fromkeys(word for text in texts for word in IN_BRACKETS.findall(text)))


# Texts that a researcher writes for participants, by arm and moment: before a training game, or
# after the last game. If a text is empty, participants read the standard text. Two texts belong to
# no arm, so their arm name is empty: the text at the end, and the text before the training of a
# trial without arms.
INSTRUCTIONS, END = ("instructions", "end")
LONGEST = 2_000
Texts = Mapping[str, Mapping[str, str]]  # texts by arm name and moment


def find_text(trial: Trial, arm: Arm | None, moment: str) -> str:
    texts: Texts = trial.texts
    return texts.get(arm.name if arm else "", {}).get(moment, "")


def store_texts(*, trial: Trial, texts: Texts) -> Trial:
    """Store the texts. Refuse this once the trial has opened: all must read the same text."""
    with transaction.atomic():
        trial = Trial.objects.select_for_update().get(pk=trial.pk)
        arms = list(trial.arms.order_by("position").values_list("name", flat=True))
        kept: dict[str, dict[str, str]] = {}
        before, after = {}, {}
        for arm, moment in [*((arm, INSTRUCTIONS) for arm in arms or [""]), ("", END)]:
            name = f"{arm}: {moment}" if arm else moment
            before[name] = trial.texts.get(arm, {}).get(moment, "")
            after[name] = text = texts.get(arm, {}).get(moment, "")
            if text:
                kept.setdefault(arm, {})[moment] = text
        if before == after:
            return trial
        if trial.opened_at is not None:
            raise Refused("This trial has been opened, so its texts can no longer change.")
        trial.texts = kept
        trial.save(update_fields=["texts"])
        log_changes(trial, before, after)
        return trial
