"""The part of a trial's settings that makes it an experiment: arms, phases, assignment."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

from django import forms

from game.models import Trial
from game.models.trial import MOST_DAYS, MOST_GAMES
from game.trials.design.arm_text import UnreadableArm, read_arms, written
from game.trials.design.forms import TrialForm
from game.trials.design.phases import ArmSettings, TrialDesign
from game.trials.design.reading import design_of

MOST_ARMS = 12


def faults_of(design: TrialDesign, *, dice: str, shared_dice: bool, most: int) -> list[str]:
    """``dice`` and ``shared_dice`` are what the trial says, ``most`` the games of one person."""
    found = list(_faults(design, most))
    for arm in design.arms:
        found += _of_dice(arm, dice, shared_dice)
    return found


def _faults(design: TrialDesign, most: int) -> Iterator[str]:
    if len(design.arms) > MOST_ARMS:
        yield f"A trial has at most {MOST_ARMS} arms."
    for one, other in combinations(design.arms, 2):
        if one.name == other.name:
            yield f"Two arms are called “{one.name}”."
    if design.within and len(design.arms) != 2:
        yield "Everybody can play all arms only if there are two."
    if design.follow_up_days and not design.follow_up:
        yield "A follow-up after some days needs games that are played in it."
    if _longest(design) > most:
        yield f"Nobody can be asked to play more than {most} games."


def _longest(design: TrialDesign) -> int:
    training = [design.training(arm) for arm in range(len(design.arms))] or [design.games_each]
    games = sum(training) if design.within else max(training)
    return games + design.before + design.after + design.follow_up


def _of_dice(arm: ArmSettings, dice: str, shared_dice: bool) -> Iterator[str]:
    shared = shared_dice if arm.shared_dice is None else arm.shared_dice
    if (arm.dice or dice) == "real" and shared:
        yield f"Real dice cannot be the same for everyone: arm “{arm.name}”."


STRATA = [
    ("", "one list for everybody"),
    ("experience", "how well the game is known"),
    ("last_played", "when it was last played"),
    ("strategy", "whether it was studied"),
]


def _number(label: Any, most: int, help_text: Any = "") -> forms.IntegerField:
    return forms.IntegerField(
        label=label, min_value=0, max_value=most, required=False, initial=0, help_text=help_text
    )


class DesignForm(forms.Form):
    """Left empty, a trial is one silent group of people who all play the same."""

    arms = forms.CharField(
        label="Arms",
        required=False,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        help_text=(
            "One a line, such as “coach=after + points=hidden”. An arm may set coach (off, after,"
            " alert, before, live, hint), points (shown, hidden), rules, dice (virtual, real),"
            " shared (yes, no), games, drill (yes, no) and its name; coach, points and drill are"
            " in force in the games of its training alone. Left empty: nobody has a coach."
        ),
    )
    design = forms.ChoiceField(
        label="Design",
        choices=Trial.Kind.choices,
        required=False,
        initial=Trial.Kind.BETWEEN.value,
        widget=forms.RadioSelect,
    )
    games_before = _number("Games before the training, without a coach", MOST_GAMES)
    games_after = _number("Games after the training, without a coach", MOST_GAMES)
    games_follow_up = _number("Games of the follow-up, without a coach", MOST_GAMES)
    follow_up_days = _number(
        "Days until the follow-up",
        MOST_DAYS,
        "From the end of the last game before it; earlier it cannot be begun.",
    )
    stratify_by = forms.ChoiceField(
        label="Arms are given in blocks",
        choices=STRATA,
        required=False,
        help_text="With a question, every answer to it has blocks of its own.",
    )

    def clean_arms(self) -> tuple[ArmSettings, ...]:
        try:
            return read_arms(self.cleaned_data["arms"])
        except UnreadableArm as error:
            raise forms.ValidationError(str(error)) from None

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        for name, field in self.fields.items():
            if isinstance(field, forms.IntegerField):
                data[name] = data.get(name) or 0
        data["design"] = data.get("design") or Trial.Kind.BETWEEN.value
        return data

    def fits(self, trial: dict[str, Any]) -> bool:
        """Return whether the design fits the other settings, which are valid by themselves."""
        data = self.cleaned_data
        design = TrialDesign(
            games_each=trial["games_each"],
            arms=data["arms"],
            before=data["games_before"],
            after=data["games_after"],
            follow_up=data["games_follow_up"],
            follow_up_days=data["follow_up_days"],
            within=data["design"] == Trial.Kind.WITHIN,
        )
        dice, shared = trial["dice"], trial["shared_dice"]
        for fault in faults_of(design, dice=dice, shared_dice=shared, most=MOST_GAMES):
            self.add_error(None, fault)
        self._check_stratum(trial)
        return not self.errors

    def _check_stratum(self, trial: dict[str, Any]) -> None:
        asked = self.cleaned_data["stratify_by"]
        if asked and not self.cleaned_data["arms"]:
            self.add_error("stratify_by", "There are no arms to be given.")
        elif asked and not trial["questionnaire"]:
            self.add_error("stratify_by", "This question is not asked: ask about experience.")


def both_valid(form: TrialForm, design: DesignForm) -> bool:
    """Each by itself, and the two together; every fault is told at once."""
    valid = [form.is_valid(), design.is_valid()]
    return all(valid) and design.fits(form.cleaned_data)


def design_initial(trial: Trial) -> dict[str, object]:
    arms = design_of(trial).arms
    names = ("design", "games_before", "games_after", "games_follow_up", "follow_up_days")
    told = {name: getattr(trial, name) for name in (*names, "stratify_by")}
    return told | {"arms": "\n".join(written(arm) for arm in arms)}
