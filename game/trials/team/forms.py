"""What the page of roles sends."""

from django import forms
from django.utils.translation import gettext_lazy as _

from game.models import TrialStaff


class RoleForm(forms.Form):
    username = forms.CharField(label=_("Username"), max_length=150)
    role = forms.ChoiceField(
        label=_("Role"), choices=TrialStaff.Role.choices, widget=forms.RadioSelect
    )
