"""The ten screens of the road: fields, missing settings, how to save them, and previews."""

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from itertools import chain, count
from typing import Any

from django.conf import settings as site
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone, translation
from django.utils.functional import cached_property
from django.utils.text import slugify
from django.utils.translation import get_language

from game.trials.analysis.lots import EITHER
from game.trials.analysis.primary import COST
from game.trials.design.arm_text import format_settings, make_arm_name
from game.trials.design.consent import (
    CONTACT,
    END,
    ETHICS,
    INSTRUCTIONS,
    PAY,
    RESEARCHER,
    USUAL_FACTS,
    find_bracketed_words,
    format_trial_consent,
    store_texts,
)
from game.trials.design.masking import format_stopping_warning
from game.trials.design.people import WAYS_OUT, find_recruitment, yield_participant_outcomes
from game.trials.design.reading import ANSWERS, NextGame, build_design
from game.trials.design.writing import (
    COACH,
    Preset,
    configure_trial,
    create_trial,
    normalise_text,
)
from game.trials.joining.answering import preview_pages, store_questions
from game.trials.joining.pages import AnswersForm
from game.trials.joining.progress import ParticipantProgress
from game.trials.joining.recruiting import list_ways_out, store_recruitment
from game.trials.models import (
    Participant,
    Preregistration,
    Publication,
    Trial,
    TrialGame,
)
from game.trials.questions.reading import find_question_file, load_questionnaire
from game.trials.results.exclusions import EXCLUSIONS
from game.trials.results.preregistration import save_preregistration
from game.trials.road.form import COLUMNS, RESERVED, RoadForm, make_arm_fields, read_panel

CC_BY = Publication.Licence.CC_BY.value
LINK = ("labels", "expected", "minutes", "checks")
PLAN = ("hypotheses", "outcome", "stopping", "stopping_people", "stopping_date")
ESTIMAND = ("smallest", "direction")
LEFT = {RESEARCHER: "the researcher", CONTACT: "the contact", ETHICS: "the ethics approval"}


@dataclass(frozen=True, slots=True)
class Screen:
    """One of the ten screens. At most six ``fields`` are visible; ``more`` fields are folded."""

    name: str
    title: str
    lead: str
    fields: tuple[str, ...] = ()
    more: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RoadLine:
    """A screen of a trial. ``missing`` says what is still to do on the screen, or is ""."""

    number: int
    screen: Screen
    missing: str


SCREENS: Mapping[str, Screen] = {
    screen.name: screen
    for screen in (
        Screen(
            "question",
            "Question",
            "What do you want to find out?",
            ("title", "compare", "hypotheses", "outcome", "language"),
            ("slug",),
        ),
        Screen(
            "people",
            "People",
            "Who takes part, and how do they join?",
            ("places", "come", "panel", "age", "pay", "asked"),
            ("resume", *LINK, *WAYS_OUT),
        ),
        Screen(
            "games",
            "Games",
            "What does everyone play?",
            ("arm_2_coach", "games_before", "games_each", "games_after", "ruleset", "dice"),
            (
                *("design", "games_follow_up", "follow_up_days", "shared_dice", "round_table"),
                *("dice_places", "coach_closed", "words"),
            ),
        ),
        Screen(
            "consent",
            "Consent",
            "What do participants agree to?",
            ("researcher", "contact", "ethics", "law", "kept", "published"),
            ("law_words", "consent", "end"),
        ),
        Screen(
            "plan",
            "Plan",
            "How will you analyse the results? Lock the plan before anyone plays.",
            (*ESTIMAND, "failed_attention", "shared_browser", "hasty", "stopping"),
            ("stopping_people", "stopping_date", "fewer_games", "too_good"),
        ),
        Screen("open", "Open", "Walk through the pages, lock the plan, and open the trial."),
        Screen("monitor", "Monitor", "Who plays, who is away, who is done?"),
        Screen("close", "Close", "After you close the trial, no one can play."),
        Screen("results", "Results", "What did you find?"),
        Screen("publish", "Publish", "Make the data public.", ("creators", "licence")),
    )
}


class Road:
    """A trial with its screens. An object reads the database only once."""

    def __init__(self, trial: Trial) -> None:
        self.trial = trial
        self.arms = build_design(trial).arms
        self.link = find_recruitment(trial)
        self.draft = Preregistration.objects.filter(trial=trial).first()
        self.own_questions = find_question_file(trial) is not None

    @cached_property
    def values(self) -> dict[str, Any]:
        trial, link = self.trial, self.link
        by_link = link is not None and (link.open or not trial.places)
        standard = "experience" if trial.questionnaire else "nothing"
        papers = Publication.objects.filter(trial=trial).first() or Publication(licence=CC_BY)
        common, consent = trial.texts.get("", {}), trial.consents.latest("version").text
        if consent == normalise_text(format_trial_consent(trial)):
            consent = ""  # not the researcher's own text
        values: dict[str, Any] = {name: getattr(trial, name) for name in COLUMNS}
        values |= {
            **USUAL_FACTS,
            **trial.facts,
            "compare": "arms" if self.arms else "nobody",
            "places": link.quota if link and by_link else trial.places,
            "come": "open" if by_link else "personal",
            "asked": "own" if self.own_questions or trial.facts.get("own_questions") else standard,
            "consent": consent,
            "words": common.get(INSTRUCTIONS, ""),
            "end": common.get(END, ""),
            "creators": papers.creators,
            "licence": papers.licence,
        }
        if link:
            values |= {name: getattr(link, name) for name in LINK} | link.ways_out
            values["panel"] = link.panel and link.ways_out.get("complete", "")
        for number, arm in enumerate(self.arms, start=1):
            named = arm.name != make_arm_name(format_settings(arm))
            values |= {
                f"arm_{number}_coach": arm.coach,
                f"arm_{number}_name": arm.name if named else "",
                f"arm_{number}_hidden": not arm.offered_points,
                f"arm_{number}_drill": arm.drill,
                f"arm_{number}_games": arm.games_each,
                f"arm_{number}_words": trial.texts.get(arm.name, {}).get(INSTRUCTIONS, ""),
            }
        return values | plan_values(self.draft)

    def make_form(self, screen: Screen, data: Any = None, *, secrets: bool = True) -> RoadForm:
        """Return the form of a screen. Without ``secrets``, omit codes and addresses."""
        away = {"words"} if self.arms else {*ESTIMAND, "arm_2_coach"}
        if not secrets or self.values["come"] != "open":
            away |= {"panel", *WAYS_OUT}
        if self.values["come"] != "open":
            away |= {*LINK}
        if len(self.arms) != 2 and not self.trial.within:
            away.add("design")
        page = [name for name in screen.fields if name not in away]
        more = [*screen.more, *(make_arm_fields(len(self.arms)) if screen.name == "games" else ())]
        return RoadForm(
            page,
            data,
            more=[name for name in more if name not in {*away, *page}],
            values=self.values,
            arms=self.arms,
            trial=self.trial,
        )

    @property
    def lines(self) -> list[RoadLine]:
        missing = dict(reversed(list(self._list_missing())))
        screens = enumerate(SCREENS.values(), start=1)
        return [RoadLine(number, shown, missing.get(shown.name, "")) for number, shown in screens]

    def _list_missing(self) -> Iterator[tuple[str, str]]:
        """Yield (screen name, missing setting as a sentence). A screen shows one of them."""
        values, left = self.values, find_bracketed_words(self.trial)
        if not values["title"]:
            yield "question", "Enter the title."
        if self.arms and not values["hypotheses"]:
            yield "question", "Enter the hypothesis."
        if values["asked"] == "own" and not self.own_questions:
            yield "people", "Write your questions."
        if PAY in left:
            yield "people", "Enter the reward for participants."
        yield "people", format_stopping_warning(self.trial)
        if others := [LEFT.get(word, word) for word in left if word != PAY]:
            yield "consent", f"Enter {', '.join(others)}."
        if self.arms and not values.get("smallest"):
            yield "plan", "Enter the smallest difference that matters."
        yield from self._list_running()

    def _list_running(self) -> Iterator[tuple[str, str]]:
        trial, values = self.trial, self.values
        if trial.opened_at is None:
            yield "open", "The trial is not open."
            yield "monitor", "No one can play yet."
        elif trial.is_open:
            ways = [way for _participant, way in yield_participant_outcomes(trial, timezone.now())]
            done, places = ways.count("complete"), values["places"]
            yield "monitor", f"{done} of {places} people have played all their games."
        if trial.closed_at is None:
            yield "close", "The trial is not closed."
            yield "results", "Results by arm are shown once the trial is closed."
            yield "publish", "The data are published once the trial is closed."
        elif trial.masked:
            yield "results", "The arms are still hidden."
            yield "publish", "The arms are still hidden."
        elif values["published"] == "coded" and not values["creators"]:
            yield "publish", "Enter the creators."


def plan_values(draft: Preregistration | None) -> dict[str, Any]:
    plan = draft or Preregistration(
        outcome=COST,
        stopping=Preregistration.Stopping.EVERYBODY.value,
        exclusions={"failed_attention": True, "shared_browser": True},
    )
    saved = {name: getattr(plan, name) for name in PLAN}
    return {"direction": EITHER, **saved, **plan.estimand, **plan.exclusions}


def plan_save(trial: Trial, values: Mapping[str, Any]) -> Preregistration:
    planned = {name: values.get(name) for name in PLAN}
    for rule in ("people", "date"):
        if values["stopping"] != rule:
            planned[f"stopping_{rule}"] = None
    estimand = {name: values[name] for name in ESTIMAND if values.get(name)}
    exclusions = {name: values[name] for name in EXCLUSIONS if values.get(name)}
    return save_preregistration(trial=trial, estimand=estimand, exclusions=exclusions, **planned)


def save_road(road: Road, form: RoadForm) -> Trial:
    """Store the changed fields of a form. Raise Refused if one of the fields is fixed."""
    trial, new = road.trial, {name: form.cleaned_data[name] for name in form.changed_data}
    values = {**road.values, **new}
    columns = _collect_columns(road, new)
    arms = form.arms if form.arms != road.arms else None
    if "compare" in new:
        arms = COACH.arms if new["compare"] == "arms" else ()
    meant = copy(trial)
    for name, value in columns.items():
        setattr(meant, name, value)
    consent = values["consent"] or format_trial_consent(meant)
    texts = {"": {INSTRUCTIONS: values["words"], END: values["end"]}}
    for number, arm in enumerate(road.arms if arms is None else arms, start=1):
        texts[arm.name] = {INSTRUCTIONS: values.get(f"arm_{number}_words", "")}
    link = _collect_link_settings(road, new, values)
    with transaction.atomic():
        trial = configure_trial(trial=trial, consent=consent, arms=arms, **columns)
        store_texts(trial=trial, texts=texts)
        if new.get("asked") in {"nothing", "experience"}:
            store_questions(trial=trial, text="")
        if link:
            store_recruitment(trial=trial, **link)
        if new.keys() & {*PLAN, *ESTIMAND, *EXCLUSIONS}:
            plan_save(trial, values)
        if {"creators", "licence"} & new.keys():
            papers = {name: values[name] for name in ("creators", "licence")}
            Publication.objects.update_or_create(trial=trial, defaults=papers)
    return Trial.objects.get(pk=trial.pk)


def _collect_columns(road: Road, new: Mapping[str, Any]) -> dict[str, Any]:
    """Return those changed settings that are columns of the model ``Trial``."""
    trial = road.trial
    columns = {name: new[name] for name in COLUMNS & new.keys()}
    columns["facts"] = trial.facts | {name: new[name] for name in USUAL_FACTS.keys() & new.keys()}
    if "asked" in new:
        columns["questionnaire"] = new["asked"] == "experience"
        columns["facts"]["own_questions"] = new["asked"] == "own"
    if "title" in new and "slug" not in new and trial.slug.startswith("draft-"):
        columns["slug"] = make_free_slug(new["title"], trial)
    if {"places", "come"} & new.keys():
        by_link = new.get("come", road.values["come"]) == "open"
        if not by_link or "come" in new:
            columns["places"] = 0 if by_link else new.get("places", road.values["places"])
    return columns


def _collect_link_settings(
    road: Road, new: Mapping[str, Any], values: Mapping[str, Any]
) -> dict[str, Any]:
    link: dict[str, Any] = {name: new[name] for name in LINK if name in new}
    if "come" in new and (road.link or new["come"] == "open"):
        link["open"] = new["come"] == "open"
        if not road.link and not values["games_follow_up"]:  # a follow-up needs external IDs
            link["labels"] = ""
    if values["come"] == "open" and {"come", "places"} & new.keys():
        link["quota"] = values["places"]
    before: dict[str, str] = dict(road.link.ways_out) if road.link else {}
    ways = before | {name: new[name] for name in WAYS_OUT if name in new}
    if new.get("panel"):
        read = read_panel(new["panel"])
        ways["complete"] = read.pop("complete", ways.get("complete", ""))
        link |= read
    ways = {name: way for name, way in ways.items() if way}
    return link | ({"ways_out": ways} if ways != before else {})


def make_free_slug(title: str, trial: Trial | None = None) -> str:
    """Return a short name made from a title, which no other trial has."""
    stem = slugify(title)[:44] or "trial"
    others = Trial.objects.exclude(pk=trial.pk if trial else 0).values_list("slug", flat=True)
    taken = {*others, *RESERVED}
    names = chain([stem], (f"{stem}-{number}" for number in count(2)))
    return next(name for name in names if name not in taken)


def create_draft(*, preset: Preset, created_by: User) -> Trial:
    settings: dict[str, Any] = {"title": "", "language": site.LANGUAGE_CODE, **preset.settings}
    slug = make_free_slug(str(settings["title"]) or f"draft-{Trial.objects.count() + 1}")
    settings |= {"slug": slug, "facts": dict(preset.facts)}
    with transaction.atomic():
        trial = create_trial(
            consent=format_trial_consent(Trial(**settings)),
            created_by=created_by,
            arms=preset.arms,
            **settings,
        )
        plan_save(trial, plan_values(None))
        return trial


SHOWN: Mapping[str, tuple[str, ...]] = {
    "question": ("consent",),
    "people": ("consent", "questions"),
    "games": ("play",),
    "consent": ("consent", "done"),
}


@dataclass(frozen=True, slots=True)
class Preview:
    """A preview of a participant's page, rendered with ``template`` and ``context``."""

    label: str
    template: str
    context: dict[str, Any]


def make_previews(trial: Trial, screen: str = "") -> dict[str, Any]:
    """Return the previews of the pages that a screen changes, and their language. Without a screen,
    return all previews."""
    language = trial.language or get_language() or "en"
    kinds = SHOWN.get(screen, ()) if screen else ("consent", "questions", "play", "done", "out")
    with translation.override(language):
        return {"previews": list(_yield_previews(trial, kinds)), "language": language}


def _yield_previews(trial: Trial, kinds: Sequence[str]) -> Iterator[Preview]:
    consent, games = trial.consents.latest("version"), trial.games_planned
    someone = Participant(trial=trial, number=1, consent=consent)
    start = ParticipantProgress(someone, consent, 0, None, None, None, games, "")
    if "consent" in kinds:
        yield Preview("The first page", "trials/_agree.html", {"consent": consent})
    if "questions" in kinds and trial.questionnaire:
        yield Preview("Before the games", "_form.html", {"form": AnswersForm(ANSWERS[:2])})
    if "questions" in kinds and (questionnaire := load_questionnaire(trial)):
        for page in preview_pages(questionnaire):
            yield Preview(page.when, "trials/_asked.html", {"asked": page})
    if "play" in kinds:
        phase = TrialGame.Phase.TRAINING.value if trial.designed else ""
        for arm in trial.arms.order_by("position") or [None]:
            label = f"Before a training game: {arm.name}" if arm else "Before a game"
            progress = replace(start, following=NextGame(1, phase, arm, None))
            context = {"progress": progress, "preview": True}
            yield Preview(label, "trials/_next.html", context)
    if "done" in kinds:
        yield Preview("After all games", "trials/_done.html", {"progress": start})
    if "out" in kinds and (link := find_recruitment(trial)):
        yield Preview("The ways out", "trials/_ways_out.html", {"passages": list_ways_out(link)})
