"""The form of a preregistration. A rule of exclusion is a field, made from its line."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django import forms

from game.models import Preregistration, Trial
from game.models.trial import MOST_PLACES
from game.trials.results.analyses import ANALYSES, BETWEEN_ARMS, OUTCOMES
from game.trials.results.arm_results import usual_estimand
from game.trials.results.exclusions import EXCLUSIONS, ExclusionRule
from solver.statistics.estimating import Estimand

if TYPE_CHECKING:
    PreregistrationModelForm = forms.ModelForm[Preregistration]
else:
    PreregistrationModelForm = forms.ModelForm

from collections.abc import Iterator
from itertools import combinations

from django import forms

from game.trials.design.reading import design_of
from game.trials.results.words_estimand import CHOICES, LABELS, beside
from solver.statistics.arm_figures import AFTER, BEFORE, FOLLOW_UP, TRAINING
from solver.statistics.estimating import CHOSEN

ESTIMAND = "estimand_"
BETWEEN = "|"  # the two arms of a chosen pair; no name of an arm has it in it
FAULTS: Mapping[str, str] = {
    "needs_lot": "Only the lot can tell the largest difference of every lot.",
    "above_nought": "It must be above 0.",
    "not_played": "This trial has no such games.",
    "within": "Whoever plays every arm is compared with themselves, in the training alone.",
    "several_orders": "With more than two arms within people there is the t alone.",
    "two_arms": "These are not two arms of this trial.",
}


def estimand_fields(trial: Trial) -> Iterator[tuple[str, forms.Field]]:
    pairs = [(BETWEEN.join(pair), beside(*pair)) for pair in _pairs(trial)]
    for name, label in LABELS.items():
        if name == "smallest":
            text = "In points of the outcome; empty: no two arms are ever called equivalent."
            field: forms.Field = forms.FloatField(label=label, required=False, help_text=text)
        else:
            choices = [*CHOICES[name].items(), *(pairs if name == "pairs" else [])]
            field = forms.ChoiceField(label=label, choices=choices, required=False)
        yield ESTIMAND + name, field


def _pairs(trial: Trial) -> list[tuple[str, str]]:
    """Return the pairs of arms to choose from; with two arms there is nothing to choose."""
    every = [
        (later.name, earlier.name) for earlier, later in combinations(design_of(trial).arms, 2)
    ]
    return every if len(every) > 1 else []


def initial(of: Estimand) -> dict[str, Any]:
    told = {ESTIMAND + name: getattr(of, name) for name in LABELS}
    if of.pairs == CHOSEN and of.chosen:
        told[ESTIMAND + "pairs"] = BETWEEN.join(of.chosen)
    return told


def estimand_from(data: Mapping[str, Any], usual: Estimand) -> Estimand:
    """Return the sent estimand; what is missing is as usual."""
    sent = {
        name: data[ESTIMAND + name]
        for name in LABELS
        if data.get(ESTIMAND + name) not in ("", None)
    }
    if BETWEEN in sent.get("pairs", ""):
        sent |= {"pairs": CHOSEN, "chosen": sent["pairs"].split(BETWEEN)}
    return Estimand.from_facts(usual.facts() | sent | {"measure": data["outcome"]})


def estimand_faults(of: Estimand, trial: Trial) -> Iterator[tuple[str, str]]:
    """Yield the wrong fields of an estimand, with the fault."""
    arms = [arm.name for arm in design_of(trial).arms]
    games = {
        BEFORE: trial.games_before,
        TRAINING: trial.games_each,
        AFTER: trial.games_after,
        FOLLOW_UP: trial.games_follow_up,
    }
    phases = [phase for phase, count in games.items() if count]
    for name, why in of.faults(arms=arms, phases=phases, within=trial.within):
        yield ESTIMAND + ("pairs" if name == "chosen" else name), FAULTS[why]


PREFIX = "exclude_"
OFFERED = {name: rule for name, rule in EXCLUSIONS.items() if rule.offered}
NUMBER = "N"  # in the words of a rule that asks for one


class PreregistrationForm(PreregistrationModelForm):
    outcome = forms.ChoiceField(
        label="Outcome",
        choices=lambda: list(OUTCOMES.items()),
        widget=forms.RadioSelect,
    )
    analyses = forms.MultipleChoiceField(
        label="Planned analyses",
        choices=lambda: [(one.name, one.words) for one in ANALYSES.values()],
        widget=forms.CheckboxSelectMultiple,
        help_text="The results show these first, and call everything else exploratory.",
    )

    class Meta:
        model = Preregistration
        fields = ["hypotheses", "stopping", "stopping_people", "stopping_date"]
        labels = {
            "hypotheses": "Hypotheses",
            "stopping": "The trial stops",
            "stopping_people": "So many people",
            "stopping_date": "The day",
        }
        widgets = {
            "hypotheses": forms.Textarea(attrs={"rows": 6}),
            "stopping": forms.RadioSelect,
            "stopping_date": forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        }

    field_order = ["hypotheses", "outcome", "analyses"]

    def __init__(self, *args: Any, trial: Trial | None = None, **kwargs: Any) -> None:
        """With the ``trial`` that it is about, how its arms are to be compared is asked as well."""
        super().__init__(*args, **kwargs)
        self.trial, self.usual = trial, usual_estimand(trial) if trial else None
        self.fields["stopping"].choices = Preregistration.Stopping.choices  # type: ignore[attr-defined]
        self.fields["stopping_people"].widget.attrs |= {"min": 1, "max": MOST_PLACES}
        for rule in OFFERED.values():
            self.fields[PREFIX + rule.name] = _field_of(rule)
        estimand = self._ask_estimand(trial, self.usual) if trial and self.usual else []
        first = ["hypotheses", "outcome", "analyses", *estimand]
        self.order_fields([*first, *map(_name, OFFERED)])
        if self.instance.pk:
            self._begin_with(self.instance)

    def _ask_estimand(self, trial: Trial, usual: Estimand) -> list[str]:
        asked = dict(estimand_fields(trial))
        self.fields.update(asked)
        drafted = self.instance.estimand
        self.initial.update(initial(Estimand.from_facts(drafted) if drafted else usual))
        return list(asked)

    def _begin_with(self, draft: Preregistration) -> None:
        self.initial.update(outcome=draft.outcome, analyses=draft.analyses)
        self.initial.update({_name(name): number for name, number in draft.exclusions.items()})

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        able = [ANALYSES[name] for name in data.get("analyses", ())]
        for one in able:
            if data.get("outcome") in OUTCOMES and data["outcome"] not in one.outcomes:
                self.add_error("analyses", f"“{one.words}” has nothing to say about this outcome.")
        self._check_stopping(data)
        if self.trial and self.usual and self._compares(data):
            for name, why in estimand_faults(estimand_from(data, self.usual), self.trial):
                self.add_error(name, why)
        return data

    def _compares(self, data: Mapping[str, Any]) -> bool:
        return BETWEEN_ARMS in data.get("analyses", ()) and data.get("outcome") in OUTCOMES

    def _check_stopping(self, data: dict[str, Any]) -> None:
        """Drop the fields of other stopping rules."""
        needed = {"people": "stopping_people", "date": "stopping_date"}
        for rule, name in needed.items():
            if data.get("stopping") != rule:
                data[name] = None
            elif not data.get(name) and name not in self.errors:
                self.add_error(name, "This rule needs it.")

    @property
    def planned(self) -> dict[str, Any]:
        data = self.cleaned_data
        plain = {name: data[name] for name in (*self.Meta.fields, "outcome", "analyses")}
        rules = {name: data[_name(name)] for name in OFFERED if data.get(_name(name))}
        usual = self.usual if self._compares(data) else None
        estimand = estimand_from(data, usual).facts() if usual else {}
        return plain | {"exclusions": rules, "estimand": estimand}


def _name(rule: str) -> str:
    return PREFIX + rule


def _field_of(rule: ExclusionRule) -> forms.Field:
    if not rule.takes_number:
        told = f"Leave out: {rule.told(0)}"
        return forms.BooleanField(label=told, required=False)
    return forms.IntegerField(
        label=f"Leave out: {rule.told(NUMBER)}",
        help_text="N; empty leaves nobody out.",
        min_value=1,
        max_value=rule.most,
        required=False,
    )
