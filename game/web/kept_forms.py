"""What is kept in a list of positions, and which answers one wants to see again."""

from django import forms
from django.utils.translation import gettext_lazy as _

from game.models.drill import LONGEST_LIST_NAME
from game.words import labels

RIGHT, MISSED = "right", "missed"


class KeepForm(forms.Form):
    """``position`` is the query of an address of explore."""

    position = forms.CharField(max_length=400)
    name = forms.CharField(max_length=LONGEST_LIST_NAME, required=False)


class RemoveForm(forms.Form):
    kept = forms.IntegerField(min_value=1, max_value=10**15)


class AnsweredForm(forms.Form):
    """A field that is wrong filters nothing."""

    source = forms.ChoiceField(
        label=_("Where it was asked"),
        required=False,
        choices=[("", _("All")), *labels.SOURCES.items()],
    )
    result = forms.ChoiceField(
        label=_("Answer"),
        required=False,
        choices=[("", _("All")), (RIGHT, _("Right")), (MISSED, _("Missed"))],
    )

    @property
    def wanted(self) -> dict[str, str]:
        self.is_valid()  # one bad field does not spoil the other
        return {name: value for name, value in self.cleaned_data.items() if value}

    @property
    def source_wanted(self) -> str:
        return self.wanted.get("source", "")

    @property
    def right_wanted(self) -> bool | None:
        """None where both are."""
        wanted = self.wanted.get("result")
        return None if wanted is None else wanted == RIGHT
