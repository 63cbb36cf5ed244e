"""One more rule of a playbook, put together from what rules may say."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from game.lab.playbook_asked import MOST_RULES
from game.words import labels
from solver.players.playbook_rules import (
    ALIKE,
    ALWAYS,
    END,
    EVERY,
    FIRST,
    MADE,
    MOST,
    OWN,
    PAIRS,
    ROW,
    SECOND,
    SOME,
    STRAIGHT,
    BookRule,
)
from solver.rules import Ruleset
from solver.rules.dice import FACES

HOLDS = {
    ALIKE: gettext_lazy("Hold dice alike"),
    PAIRS: gettext_lazy("Hold both pairs"),
    SOME: gettext_lazy("Hold different dice"),
    ROW: gettext_lazy("Hold dice in a row"),
    EVERY: gettext_lazy("Hold every die of some faces"),
}
SCORES = {
    OWN: gettext_lazy("Score dice alike in their own box"),
    MOST: gettext_lazy("Score in the lower box that brings most"),
    MADE: gettext_lazy("Score a straight, a full house or all dice alike"),
}
WHEN = {
    ALWAYS: gettext_lazy("At once, after any throw"),
    FIRST: gettext_lazy("Hold after the first throw only"),
    SECOND: gettext_lazy("Hold after the second throw only"),
    END: gettext_lazy("Score at the end of the turn only"),
}


class RuleForm(forms.Form):
    """One more rule, put together from what rules may say."""

    do = forms.ChoiceField(label=gettext_lazy("What to do"), required=False)
    count = forms.IntegerField(
        label=gettext_lazy("How many dice, or points, at least"), initial=1, min_value=0
    )
    low = forms.TypedChoiceField(label=gettext_lazy("Lowest face"), coerce=int, initial=1)
    high = forms.TypedChoiceField(label=gettext_lazy("Highest face"), coerce=int, initial=FACES)
    free = forms.ChoiceField(label=gettext_lazy("While this is open"), required=False)
    filled = forms.ChoiceField(label=gettext_lazy("Once this is filled"), required=False)
    when = forms.ChoiceField(label=gettext_lazy("When"), choices=list(WHEN.items()))
    at = forms.IntegerField(label=gettext_lazy("Its place"), initial=1, min_value=1)

    def __init__(self, rules: Ruleset, asked: QueryDict | None = None) -> None:
        super().__init__(asked if asked and asked.get("do") else None)
        self.rules = rules
        for name, offered in _offers(rules).items():
            self.fields[name].choices = offered  # type: ignore[attr-defined]


def added(form: RuleForm, rules: int) -> BookRule | None:
    """None where no rule was asked for, or it cannot be had: the form then says so."""
    if form.is_valid() and rules >= MOST_RULES:
        form.add_error(None, _("A playbook has %(most)s rules at most.") % {"most": MOST_RULES})
    elif form.is_valid():
        try:
            return _said(form.cleaned_data, form.rules)
        except ValueError:
            form.add_error(None, _("No rule can say that."))
    return None


def _said(facts: Mapping[str, Any], rules: Ruleset) -> BookRule:
    kind, _space, name = facts.get("do", "").partition(" ")
    what = {"hold": name, "score": ALIKE if name == OWN else ""}.get(kind, "")
    box = name if kind == "score" else ""
    seen = [what, *(facts.get(field, "") for field in ("count", "low", "high"))]
    around = [box, *(facts.get(field, "") for field in ("free", "filled", "when"))]
    return BookRule.read(",".join(map(str, seen + around)), rules)


def _offers(rules: Ruleset) -> dict[str, list[tuple[str, str]]]:
    boxes = [(one.id, labels.category_name(one)) for one in rules.categories]
    faces = [(str(face), str(face)) for face in range(1, FACES + 1)]
    deeds = [("", _("Nothing"))]
    deeds += [(f"hold {name}", str(text)) for name, text in HOLDS.items()]
    deeds += [(f"score {name}", str(text)) for name, text in SCORES.items()]
    deeds += [(f"score {name}", _("Score in %(box)s") % {"box": text}) for name, text in boxes]
    some = [("", _("Any")), *boxes]
    own = [(OWN, _("The box of that face")), (STRAIGHT, _("A straight"))]
    return {
        "do": deeds,
        "low": faces,
        "high": faces,
        "free": [some[0], *own, *boxes],
        "filled": some,
    }
