"""The form fields of the ten design screens (the road). Screens and commands use some of them."""

import re
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from django import forms
from django.conf import settings
from django.core.management.base import CommandError
from django.core.validators import RegexValidator, URLValidator
from django.utils.text import capfirst

from game.core.words.labels import DICE_PLACES, list_ruleset_choices
from game.models import Coach
from game.trials.design.arm_text import (
    KEYS,
    LONGEST_NAME,
    NAME,
    UnreadableArm,
    format_settings,
    make_arm_name,
    read_arms,
)
from game.trials.design.consent import LONGEST, MOST_MONTHS
from game.trials.design.people import WAYS_OUT
from game.trials.design.phases import ArmSettings, TrialDesign
from game.trials.design.writing import normalise_text
from game.trials.joining.recruiting import NAME_IN_ADDRESS, PANELS, PLACEHOLDER
from game.trials.models import (
    MOST_DAYS,
    MOST_GAMES,
    MOST_MINUTES,
    MOST_PLACES,
    Preregistration,
    Publication,
    Trial,
)
from game.trials.results.exclusions import EXCLUSIONS
from game.trials.results.preregistration import DIRECTIONS
from game.trials.results.words import OUTCOMES

MOST_ARMS = 12
RESERVED = {"new"}
LONGEST_WAY_OUT = 500
LABEL = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,39}")
DAY = "%Y-%m-%d"
# Numbers in a design by their names in `TrialDesign`, which are also options of commands.
PHASES = {
    "before": "games_before",
    "after": "games_after",
    "follow_up": "games_follow_up",
    "follow_up_days": "follow_up_days",
}
web_address = URLValidator(schemes=["https", "http"])
COLUMNS = {
    *("title", "slug", "language", "ruleset", "dice", "dice_places", "shared_dice", "round_table"),
    *("resume", "coach_closed", "games_each", "design"),
    *PHASES.values(),
}
NAMES = (*sorted(COLUMNS), "places")  # fields of settings that commands take
Fields = dict[str, forms.Field]


class PlainText(forms.CharField):
    """A text field that makes all line ends alike, because browsers send CRLF."""

    def to_python(self, value: Any) -> str:
        return normalise_text(str(super().to_python(value)))


def _make_text_field(
    label: str, hint: str = "", rows: int = 0, most: int | None = 200, check: Any = None
) -> forms.CharField:
    return PlainText(
        label=label,
        help_text=hint,
        required=False,
        max_length=most,
        widget=forms.Textarea(attrs={"rows": rows}) if rows else forms.TextInput(),
        validators=[check] if check else [],
    )


def _make_number_field(
    label: str, least: int, most: int, hint: str = "", needed: bool = False
) -> forms.Field:
    return forms.IntegerField(
        label=label, help_text=hint, min_value=least, max_value=most, required=needed
    )


def _make_choice_field(label: str, choices: Any, needed: bool = True) -> forms.Field:
    return forms.ChoiceField(label=label, choices=choices, required=needed)


def _make_checkbox(label: str, hint: str = "") -> forms.BooleanField:
    return forms.BooleanField(label=label, help_text=hint, required=False)


def check_way_out(words: str) -> None:
    """Check an address, after made-up external IDs fill it. A code is always valid."""
    if "://" in words:
        web_address(NAME_IN_ADDRESS.sub("x", words))


def make_all_fields() -> Fields:
    return {
        "title": _make_text_field("Title", "Participants read the title.", most=120),
        "slug": forms.SlugField(label="Short name for addresses", max_length=50),
        "compare": _make_choice_field(
            "Comparison",
            [("arms", "Two ways of playing, assigned by chance"), ("nobody", "Nothing")],
        ),
        "hypotheses": _make_text_field(
            "Hypothesis", "For example: people with a coach lose fewer points.", 3, None
        ),
        "outcome": _make_choice_field("Outcome", list(OUTCOMES.items())),
        "language": _make_choice_field(
            "Language of participants' pages",
            [("", "The browser's language"), *settings.LANGUAGES],
            needed=False,
        ),
        "places": _make_number_field("People", 1, MOST_PLACES, needed=True),
        "come": _make_choice_field(
            "People join by",
            [("personal", "A personal link for each"), ("open", "One open link for all")],
        ),
        "panel": _make_text_field(
            "Address from Prolific or SONA",
            "Paste the completion address of your study. The program reads the IDs from it.",
            most=LONGEST_WAY_OUT,
            check=check_way_out,
        ),
        "age": _make_number_field("Youngest age", 1, 120, needed=True),
        "pay": _make_text_field("Reward for participants", "For example: 10 euros. Or: nothing."),
        "asked": _make_choice_field(
            "Questions to participants",
            [
                ("nothing", "None"),
                ("experience", "Their experience with the game"),
                ("own", "Your own questions"),
            ],
        ),
        "resume": _make_choice_field("An interrupted participant continues", Trial.RESUME),
        "minutes": _make_number_field(
            "Minutes for each session", 1, MOST_MINUTES, "Without a number: no limit."
        ),
        "checks": _make_number_field(
            "Missed attention checks that end participation", 1, 1000, "Empty means no such limit."
        ),
        "labels": _make_text_field(
            "External IDs in the address",
            "Names, separated by spaces. The first name identifies the person.",
        ),
        "expected": _make_text_field(
            "Expected IDs", "NAME=VALUE, separated by spaces. Other values are refused.", 0, 500
        ),
        **{
            name: _make_text_field(
                f"{way.title}: code or address", way.when, 0, LONGEST_WAY_OUT, check_way_out
            )
            for name, way in WAYS_OUT.items()
        },
        "games_before": _make_number_field(
            "Baseline games", 0, MOST_GAMES, "Without a coach.", needed=True
        ),
        "games_each": _make_number_field("Training games", 1, MOST_GAMES, needed=True),
        "games_after": _make_number_field(
            "Post-test games", 0, MOST_GAMES, "Without a coach.", needed=True
        ),
        "ruleset": _make_choice_field("Rules", list_ruleset_choices),
        "dice": _make_choice_field("Dice", Trial.Dice.choices),
        "design": _make_choice_field("Arms per participant", Trial.Kind.choices),
        "games_follow_up": _make_number_field("Follow-up games", 0, MOST_GAMES, "Without a coach."),
        "follow_up_days": _make_number_field("Days until the follow-up", 0, MOST_DAYS),
        "shared_dice": _make_checkbox("The same dice for everyone, game by game"),
        "round_table": _make_checkbox(
            "Participants share one device", "They sit together and take turns."
        ),
        "dice_places": _make_choice_field(
            "Order in which real dice are typed in", list(DICE_PLACES.items()), needed=False
        ),
        "coach_closed": _make_checkbox(
            "Close the coach for everyone on this site",
            "While the trial runs, no one can use reviews, drill, lab or API.",
        ),
        "words": _make_text_field(
            "Your text before the games", "Empty means the standard text.", 3, LONGEST
        ),
        "researcher": _make_text_field(
            "Researcher", "Your name and institution. Participants read this."
        ),
        "contact": _make_text_field("Contact", "An address for questions and complaints."),
        "ethics": _make_text_field("Ethics approval", "The approval number, or why there is none."),
        "law": _make_choice_field(
            "Legal basis", [("consent", "Consent"), ("public", "A task in the public interest")]
        ),
        "kept": _make_number_field(
            "Months from closing until codes, links and free texts are deleted",
            1,
            MOST_MONTHS,
            needed=True,
        ),
        "published": _make_choice_field(
            "Publication",
            [("coded", "Results, games and answers under codes"), ("results", "Results only")],
        ),
        "law_words": _make_text_field("Legal basis in your own words", "Empty: as chosen above."),
        "consent": _make_text_field(
            "Your own consent text",
            "Empty means the text below. Fill this in if your ethics board has its own text.",
            8,
            None,
        ),
        "end": _make_text_field(
            "Your text after all games", "Empty means the standard text.", 3, LONGEST
        ),
        "smallest": forms.FloatField(
            label="Smallest difference that matters",
            help_text="In points of the outcome, for example 6.",
            min_value=0.001,
            required=False,
        ),
        "direction": _make_choice_field(
            "Direction", [(key, capfirst(words)) for key, words in DIRECTIONS.items()]
        ),
        **{
            rule.name: _make_number_field(
                f"Exclude {rule.format_sentence('N')}", 1, rule.most, "N; if empty, exclude no one."
            )
            if rule.takes_number
            else _make_checkbox(f"Exclude {rule.format_sentence('N')}")
            for rule in EXCLUSIONS.values()
        },
        "stopping": _make_choice_field("The trial stops", Preregistration.Stopping.choices),
        "stopping_people": _make_number_field("Number of people", 1, MOST_PLACES),
        "stopping_date": forms.DateField(
            label="Day", required=False, widget=forms.DateInput(attrs={"type": "date"}, format=DAY)
        ),
        "creators": _make_text_field("Creators", "One per line: Family name, Given name.", 3, None),
        "licence": _make_choice_field("Licence", Publication.Licence.choices),
    }


def make_arm_fields(arms: int) -> Fields:
    """Return the fields of ``arms`` arms and of one more arm to add, which has only the coach's
    field. Return {} without arms."""
    fields: Fields = {}
    for number in range(1, (min(arms + 1, MOST_ARMS) if arms else 0) + 1):
        prefix = f"arm_{number}_"
        what = {1: "The first arm", 2: "The second arm"}.get(number, f"Arm {number}")
        none = [] if number <= min(arms, 2) else [("", "No such arm")]
        choices = [*none, *Coach.choices]
        fields[f"{prefix}coach"] = _make_choice_field(f"{what}: coach", choices, not none)
        if number > arms:
            break
        fields |= {
            f"{prefix}name": _make_text_field(
                f"{what}: name",
                "Small letters, digits and hyphens. Empty means a name after the coach.",
                most=LONGEST_NAME,
                check=RegexValidator(NAME),
            ),
            f"{prefix}hidden": _make_checkbox(f"{what}: the card hides what the dice would score"),
            f"{prefix}drill": _make_checkbox(f"{what}: practice between the training games"),
            f"{prefix}games": _make_number_field(
                f"{what}: training games", 1, MOST_GAMES, "Empty means the same as for all arms."
            ),
            f"{prefix}words": _make_text_field(
                f"{what}: your text before its training", rows=3, most=LONGEST
            ),
        }
    return fields


class RoadForm(forms.Form):
    """A form with visible fields (``names``), folded fields (``more``) and stored ``values``."""

    def __init__(
        self,
        names: Sequence[str],
        data: Any = None,
        *,
        more: Sequence[str] = (),
        values: Mapping[str, Any] | None = None,
        arms: Sequence[ArmSettings] = (),
        trial: Trial | None = None,
    ) -> None:
        super().__init__(data, initial=dict(values or {}))
        self.trial, self.arms = trial, tuple(arms)
        known = make_all_fields() | make_arm_fields(len(self.arms))
        self.fields = {name: known[name] for name in (*names, *more)}
        self.page = [self[name] for name in names]
        self.more = [self[name] for name in more]

    def clean_slug(self) -> str:
        slug: str = self.cleaned_data["slug"]
        if slug in RESERVED or not re.fullmatch(r"[a-z0-9][a-z0-9-]*", slug):
            raise forms.ValidationError(
                "Use only small letters, digits and hyphens, and not the word “new”."
            )
        if Trial.objects.filter(slug=slug).exclude(pk=self.trial.pk if self.trial else 0).exists():
            raise forms.ValidationError("Another trial has this short name.")
        return slug

    def clean_labels(self) -> str:
        names = self.cleaned_data["labels"].split()
        usable = all(LABEL.fullmatch(name) for name in names)
        if not usable or len(set(names)) < len(names):
            raise forms.ValidationError(
                "Use different names made of letters, digits, dots, hyphens and underscores."
            )
        return " ".join(names)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        meant = {**self.initial, **data}
        if "dice" in data and data["dice"] != Trial.Dice.REAL:
            data["dice_places"] = ""
        data |= {name: data.get(name) or 0 for name in PHASES.values() if name in self.fields}
        needed = f"stopping_{meant.get('stopping')}"
        if needed in self.fields and not meant.get(needed) and needed not in self.errors:
            self.add_error(needed, "The stopping rule needs a value here.")
        if any(name.startswith("arm_") for name in self.fields):
            self.arms = tuple(self._read_arms(meant))
        if "games_each" in self.fields and not self.errors:
            phases: dict[str, Any] = {phase: meant.get(PHASES[phase]) or 0 for phase in PHASES}
            within = meant["design"] == Trial.Kind.WITHIN
            design = TrialDesign(meant["games_each"], self.arms, within=within, **phases)
            shared = bool(meant.get("shared_dice"))
            for fault in find_faults(design, dice=meant["dice"], shared_dice=shared):
                self.add_error(None, fault)
        return data

    def _read_arms(self, meant: Mapping[str, Any]) -> Iterator[ArmSettings]:
        for number, arm in enumerate([*self.arms, ArmSettings("")], start=1):
            prefix = f"arm_{number}_"
            if not meant.get(f"{prefix}coach"):
                continue
            changed = replace(
                arm,
                coach=meant[f"{prefix}coach"],
                offered_points=not meant.get(f"{prefix}hidden"),
                drill=bool(meant.get(f"{prefix}drill")),
                games_each=meant.get(f"{prefix}games"),
            )
            name = meant.get(f"{prefix}name") or make_arm_name(format_settings(changed))
            yield replace(changed, name=name)


def find_faults(
    design: TrialDesign, *, dice: str, shared_dice: bool, most: int = MOST_GAMES
) -> Iterator[str]:
    """Yield a sentence per fault of a design. ``dice`` and ``shared_dice`` are trial settings."""
    if len(design.arms) > MOST_ARMS:
        yield f"A trial has at most {MOST_ARMS} arms."
    names = Counter(arm.name for arm in design.arms)
    for name in names - Counter(set(names)):
        yield f"Two arms are called “{name}”."
    if design.within and len(design.arms) != 2:
        yield "Everyone can play all arms only if there are two arms."
        return
    if design.follow_up_days and not design.follow_up:
        yield "A follow-up needs at least one game."
    if max(design.lengths) > most:
        yield f"A participant can have at most {most} games."
    for arm in design.arms or [ArmSettings("")]:
        shared = shared_dice if arm.shared_dice is None else arm.shared_dice
        if (arm.dice or dice) == "real" and shared:
            of_arm = f": arm “{arm.name}”" if arm.name else ""
            yield f"Real dice cannot be the same for everyone{of_arm}."


def read_panel(address: str) -> dict[str, Any]:
    """Return the names of IDs, fixed values and return address that a panel's address contains."""
    parts = urlsplit(address)
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    host = parts.hostname or ""
    for name in ("prolific", "sona", "mturk"):
        if name in host:
            panel, back = PANELS[name], address
            for key in panel.names:
                back = re.sub(rf"([?&]{key}=)[^&#]*", rf"\1{{{key}}}", back)
            return {"panel": name, "labels": " ".join(panel.names), "complete": back}
    fixed = [f"{key}={value}" for key, value in pairs if not PLACEHOLDER.search(value) and value]
    labels = " ".join(dict.fromkeys(key for key, _value in pairs))
    return {"panel": "", "labels": labels, "expected": " ".join(fixed)}


def add_design_arguments(parser: ArgumentParser) -> None:
    group = parser.add_argument_group(
        "arms and phases",
        "Put commas between arms, + or ; between settings: --arms coach=off,coach=after+drill=no."
        f" Settings: {KEYS}. Coach is one of {', '.join(Coach.values)}. Points are"
        " shown or hidden; drill and shared are yes or no. Without rules, dice, shared or games, an"
        " arm uses the trial's settings.",
    )
    group.add_argument(
        "--arms", metavar="LIST", help=("settings of each arm (default: one arm without a coach)")
    )
    group.add_argument(
        "--design",
        choices=Trial.Kind.values,
        help="compare arms between or within people (default: between)",
    )
    for name, games in (("before", "baseline"), ("after", "post-test"), ("follow-up", "follow-up")):
        text = f"number of {games} games without a coach (default: 0)"
        group.add_argument(f"--{name}", type=int, metavar="N", help=text)
    group.add_argument(
        "--follow-up-days",
        type=int,
        metavar="D",
        help="minimum number of days before the follow-up (default: 0)",
    )


def read_design(options: Mapping[str, Any]) -> dict[str, Any]:
    flags = PHASES | {"design": "design"}
    given = {name: options[flag] for flag, name in flags.items() if options[flag] is not None}
    if options["arms"] is not None:
        try:
            given["arms"] = read_arms(options["arms"])
        except UnreadableArm as error:
            raise CommandError(f"arms: {error}", returncode=2) from None
    return given


def check_settings(settings: dict[str, Any], arms: Sequence[ArmSettings] = ()) -> dict[str, Any]:
    """Return the settings for ``trial_create``. Raise CommandError if a setting is wrong."""
    usual = dict.fromkeys(PHASES.values(), 0) | {"design": Trial.Kind.BETWEEN.value}
    form = RoadForm(NAMES, usual | settings, arms=arms)
    if not form.is_valid():
        faults = [f"{name}: {error}" for name, errors in form.errors.items() for error in errors]
        raise CommandError("\n".join(faults), returncode=2)
    return {**settings, **form.cleaned_data, "arms": tuple(arms)}
