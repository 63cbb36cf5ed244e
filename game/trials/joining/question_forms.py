"""A file of questions, as researchers send it: pasted, or uploaded."""

from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import get_language

from game.trials.design.writing import plain
from game.trials.questions.nodes import MOST_CHARACTERS, BadQuestions
from game.trials.questions.parsing import questionnaire_of
from game.trials.questions.questionnaire import Questionnaire


class QuestionsForm(forms.Form):
    """``read`` is the text that was sent either way; ``questionnaire`` is there if it is good."""

    text = forms.CharField(
        label="What is asked",
        required=False,
        widget=forms.Textarea(attrs={"rows": 20, "class": "source", "spellcheck": "false"}),
        help_text="Nothing is asked where this is empty.",
    )
    file = forms.FileField(label="or a file with it", required=False)
    language = forms.ChoiceField(
        label="Preview in", required=False, choices=lambda: settings.LANGUAGES
    )

    questionnaire: Questionnaire | None = None
    read = ""

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        data["text"] = self.read = plain(self._sent_text(data))
        if self.read:
            self._check()
        return data

    def _sent_text(self, data: dict[str, Any]) -> str:
        """A file goes before what stands in the entry."""
        file = data.get("file")
        if file is None:
            return str(data.get("text", ""))
        try:
            return str(file.read(4 * MOST_CHARACTERS).decode("utf-8-sig"))
        except UnicodeDecodeError:
            self.add_error("file", "This file is no text in UTF-8.")
            return ""

    def _check(self) -> None:
        try:
            self.questionnaire = questionnaire_of(self.read)
        except BadQuestions as error:
            self.add_error("text", [str(fault) for fault in error.faults])


def preview_language(asked: str | None) -> str:
    known = {code for code, _name in settings.LANGUAGES}
    return asked if asked in known else get_language() or settings.LANGUAGE_CODE
