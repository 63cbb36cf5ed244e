"""Games as text: pasted, or in a file."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from game.words import labels
from game.words.game_text import BadLine, Recorded, games_of_text
from solver.rules import find_ruleset

MOST_TOLD = 20  # faults


class ImportForm(forms.Form):
    """``recorded`` is there where all of it could be read."""

    ruleset = forms.ChoiceField(
        label=gettext_lazy("Rules"), choices=labels.ruleset_choices, widget=forms.HiddenInput
    )
    text = forms.CharField(
        label=gettext_lazy("Games"),
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 16, "class": "source", "spellcheck": "false"}),
    )
    file = forms.FileField(
        label=gettext_lazy("or a text file with them"),
        required=False,
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": ".txt,text/plain"}),
    )

    recorded: list[Recorded]

    def clean(self) -> dict[str, Any]:
        text = self._sent()
        if not self.errors:
            rules = find_ruleset(self.cleaned_data["ruleset"])
            self.recorded, faults = games_of_text(text, rules)
            self._tell(faults)
        return self.cleaned_data

    def _sent(self) -> str:
        """A file goes before what stands in the entry, and stands there if it must be mended."""
        file = self.cleaned_data.get("file")
        if file is None:
            return str(self.cleaned_data.get("text", ""))
        try:
            text = str(file.read().decode("utf-8-sig"))
        except UnicodeDecodeError:
            self.add_error("file", _("This file is no text in UTF-8."))
            return ""
        self.data = {**self.data, "ruleset": self.data.get("ruleset", ""), "text": text}
        return text

    def _tell(self, faults: list[BadLine]) -> None:
        for fault in faults[:MOST_TOLD]:
            told = _("Line %(line)s: %(told)s")
            self.add_error("text", told % {"line": fault.line, "told": fault.told})
        if not faults and not self.recorded:
            self.add_error("text", _("Please write down one game at least."))
