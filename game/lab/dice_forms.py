"""Throws as they come in: typed, in a file, or how many to throw now."""

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from game.lab.dice_words import problem
from game.lab.study_words import whole
from game.models.trial import DICE_PLACES
from solver.statistics.faces import (
    MOST_BYTES,
    BadFaces,
    Faces,
    NotAFace,
    NotAThrow,
    decoded,
    parsed,
)
from solver.statistics.fairness import DicePlaces

MOST_NOW = 200_000  # dice; half a second
USUAL_NOW = 30_000


class ThrowsForm(forms.Form):
    """A file goes before what is typed, which stays where it is."""

    throws = forms.CharField(
        label=gettext_lazy("Throws"),
        help_text=gettext_lazy(
            "The faces one after another, as 13245, 1 3 2 4 5 or 1,3,2,4,5; throws may stand in "
            "lines of their own."
        ),
        required=False,
        strip=False,
        widget=forms.Textarea(
            attrs={"rows": 6, "inputmode": "decimal", "autocomplete": "off", "spellcheck": "false"}
        ),
    )
    order = forms.ChoiceField(
        label=gettext_lazy("Order of the faces"),
        help_text=gettext_lazy("With places, each line is one throw as it fell, not sorted."),
        choices=list(DICE_PLACES.items()),
        widget=forms.RadioSelect,
        initial=DicePlaces.ANY.value,
        required=False,
    )
    file = forms.FileField(
        label=gettext_lazy("Or a text or CSV file with them"),
        required=False,
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": ".txt,.csv,.tsv,text/plain,text/csv"}),
    )

    @property
    def faces(self) -> Faces:
        faces: Faces = self.cleaned_data["faces"]
        return faces

    @property
    def places(self) -> DicePlaces:
        return DicePlaces(self.cleaned_data["order"])

    @property
    def file_name(self) -> str:
        file = self.cleaned_data.get("file")
        return str(file.name) if file else ""

    def clean(self) -> dict[str, Any]:
        file = self.cleaned_data.get("file")
        if not self.errors:
            try:
                self.cleaned_data["faces"] = self._read(file)
            except BadFaces as wrong:
                kept = isinstance(wrong, NotAFace | NotAThrow) and self._keep(file)
                self.add_error("file" if file and not kept else "throws", problem(wrong))
        return self.cleaned_data

    def _read(self, file: "UploadedFile[bytes] | None") -> Faces:
        if (file.size or 0 if file else len(self.cleaned_data["throws"])) > MOST_BYTES:
            raise BadFaces(_too_large())
        text = decoded(file.read()) if file else self.cleaned_data["throws"]
        return parsed(text, self.places)

    def _keep(self, file: "UploadedFile[bytes] | None") -> bool:
        """A file with a mistake can be mended on the page, unless something else stands there."""
        if file is None or self.cleaned_data["throws"].strip():
            return False
        file.seek(0)
        self.data = {**self.data, "throws": decoded(file.read())}
        return True


def _too_large() -> str:
    most = whole(MOST_BYTES // 1_000_000)
    return _("That is too much: at most %(most)s MB can be tested at once.") % {"most": most}


class NowForm(forms.Form):
    virtual = forms.IntegerField(
        label=gettext_lazy("How many"),
        min_value=1,
        max_value=MOST_NOW,
        initial=USUAL_NOW,
    )
