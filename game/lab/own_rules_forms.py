"""A ruleset put together: its boxes, what they bring, its bonus, its throws."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from game.models.own_rules import LONGEST_RULES_NAME, own_rules_id
from game.words import labels
from game.words.names import visible
from solver.rules import Category, Ruleset
from solver.rules.own import MOST_POINTS, THROWS, made, offered

BOX, POINTS = "box_", "points_"
NOT_AT_FIRST = ("four_in_a_row", 5)  # dice: Yatzy has rows of five alone
EACH = 21  # points of one die of every upper face


@dataclass(frozen=True, slots=True)
class OfferedBox:
    name: str
    hint: str
    chosen: forms.BoundField
    points: forms.BoundField | None  # None where the dice alone say


class OwnRulesForm(forms.Form):
    """All boxes that there are for so many dice; one without points of its own brings those of its
    dice."""

    dice = forms.IntegerField(widget=forms.HiddenInput)
    name = forms.CharField(
        label=gettext_lazy("What it is called"),
        max_length=LONGEST_RULES_NAME,
        widget=forms.TextInput({"autocomplete": "off"}),
    )
    throws = forms.TypedChoiceField(
        label=gettext_lazy("Throws of a turn"),
        coerce=int,
        choices=[(number, str(number)) for number in THROWS],
    )
    saved = forms.BooleanField(
        label=gettext_lazy("Throws that a turn leaves are saved for later"), required=False
    )
    goal = forms.IntegerField(
        label=gettext_lazy("Bonus from so many points in the upper boxes; 0 for none"), min_value=0
    )
    bonus = forms.IntegerField(
        label=gettext_lazy("Points of the bonus"), min_value=0, max_value=MOST_POINTS
    )

    def __init__(self, dice: int, asked: Mapping[str, Any] | None = None) -> None:
        goal = EACH * (dice - 2)
        usual = {"dice": dice, "throws": 3, "goal": goal, "bonus": 50}
        super().__init__(asked, initial=usual)
        self.cup, self.offered = dice, offered(dice)
        for box in self.offered:
            name = labels.category_name(box)
            self.fields[BOX + box.id] = forms.BooleanField(
                label=name, required=False, initial=(box.id, dice) != NOT_AT_FIRST
            )
            if box.pattern != "any":
                self.fields[POINTS + box.id] = forms.IntegerField(
                    required=False,
                    initial=box.points,
                    min_value=1,
                    max_value=MOST_POINTS,
                    widget=forms.NumberInput(
                        {"aria-label": _("Points of %(box)s") % {"box": name}}
                    ),
                )

    @property
    def lines(self) -> Iterator[OfferedBox]:
        cup = made("", "", self.offered, dice=self.cup, throws=1, saved=False, bonus=(0, 0))
        for box in self.offered:
            points = self[POINTS + box.id] if box.pattern != "any" else None
            hint = labels.category_hint(_by_dice(box), cup)
            yield OfferedBox(labels.category_name(box), hint, self[BOX + box.id], points)

    def clean_name(self) -> str:
        name = visible(self.cleaned_data["name"], LONGEST_RULES_NAME)
        if not name:
            raise forms.ValidationError(_("Please type a name."))
        return name

    def clean(self) -> dict[str, Any]:
        told = self.cleaned_data
        goal, bonus, most = told.get("goal"), told.get("bonus"), EACH * self.cup
        if goal is not None and goal > most:
            text = _("The upper boxes bring %(most)s points at most.") % {"most": most}
            self.add_error("goal", text)
        if goal is not None and bonus is not None and bool(goal) != bool(bonus):
            self.add_error("bonus", _("Both of them are more than 0, or neither is."))
        return told

    @property
    def rules(self) -> Ruleset:
        """By a name of its own, which nobody can guess."""
        told = self.cleaned_data
        chosen = (box for box in self.offered if told[BOX + box.id])
        return made(
            own_rules_id(),
            told["name"],
            tuple(_scored(box, told.get(POINTS + box.id)) for box in chosen),
            dice=self.cup,
            throws=told["throws"],
            saved=told["saved"],
            bonus=(told["goal"], told["bonus"]),
        )


def _by_dice(box: Category) -> Category:
    """Without points of its own; dice in a row are worth none by themselves."""
    return box if box.pattern == "run_of" else replace(box, points=None)


def _scored(box: Category, points: int | None) -> Category:
    return replace(box, points=points) if points else _by_dice(box)
