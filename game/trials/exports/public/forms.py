"""What the page sends from which a trial's data go to everybody."""

from typing import TYPE_CHECKING

from django import forms

from game.models import Publication

if TYPE_CHECKING:
    PublicationModelForm = forms.ModelForm[Publication]
else:
    PublicationModelForm = forms.ModelForm


class PublicationForm(PublicationModelForm):
    class Meta:
        model = Publication
        fields = ["creators", "licence"]
        widgets = {"creators": forms.Textarea(attrs={"rows": 3}), "licence": forms.RadioSelect}
