"""What the page of roles sends."""

from django import forms

from game.models import TrialStaff


class RoleForm(forms.Form):
    username = forms.CharField(label="Username", max_length=150)
    role = forms.ChoiceField(
        label="Role", choices=TrialStaff.Role.choices, widget=forms.RadioSelect
    )
