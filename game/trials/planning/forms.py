"""The form of a plan, for the page and for the command."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from game.core.words.labels import ruleset_choices
from game.models import Trial
from game.models.trial import MOST_GAMES, MOST_PLACES
from game.trials.design.design_form import MOST_ARMS, faults_of
from game.trials.planning.one_trial import Phases, SimulatedTrial
from game.trials.planning.simulation import SECONDS
from solver.statistics.planning import Spread

PEOPLE, GAMES = 60, 5
MOST_SECONDS = 600
MOST_SIMULATED = 50_000  # games of one trial: of more a simulation would be none within a minute
MAX_T = "max_t"
OWN = ("minutes", "between", "within", "change", "from_trials")
PARTS = ("baseline", "test", "followup", "screened", "dropouts", "weak_leave")
DESIGN = ("arms", "design", *PARTS, "multiplicity", "seconds")
OUTCOME_NAMES = {
    "cost": "What decisions cost (the skill estimate)",
    "score": "The score",
}
MULTIPLICITY = {
    MAX_T: "allowed for, as results do",
    "none": "each difference for itself, at 5 %",
}


def _points(label: Any, help_text: Any = "") -> forms.FloatField:
    return forms.FloatField(
        label=label, help_text=help_text, min_value=0.01, max_value=1000, required=False
    )


def _games(label: Any) -> forms.IntegerField:
    return forms.IntegerField(label=label, min_value=0, max_value=MOST_GAMES, required=False)


def _share(label: Any, help_text: Any = "") -> forms.FloatField:
    return forms.FloatField(
        label=label, help_text=help_text, min_value=0, max_value=0.9, required=False
    )


class PlanForm(forms.Form):
    people = forms.IntegerField(label="People", min_value=2, max_value=MOST_PLACES)
    games = forms.IntegerField(
        label="Games of each",
        min_value=1,
        max_value=MOST_GAMES,
        help_text="With arms: those of the training.",
    )
    outcome = forms.ChoiceField(label="Measured by", choices=list(OUTCOME_NAMES.items()))
    shared_dice = forms.BooleanField(
        label="the same dice for everyone, game by game", required=False
    )
    ruleset = forms.ChoiceField(label="Rules", choices=ruleset_choices)
    effect = _points(
        "Difference to be found, in points a game",
        "Leave it empty to see the smallest one that would be.",
    )
    arms = forms.IntegerField(
        label="Arms",
        min_value=2,
        max_value=MOST_ARMS,
        required=False,
        help_text="The first is silent, the others have a coach in their training.",
    )
    design = forms.ChoiceField(label="Design", choices=Trial.Kind.choices)
    baseline = _games("Games before the training, without a coach")
    test = _games("Games after the training, without a coach")
    followup = _games("Games of the follow-up, without a coach")
    screened = _share("Share of people who are screened out", "Such as 0.1: of ten who come, one.")
    dropouts = _share("Share of people who stop on their way")
    weak_leave = forms.BooleanField(label="anyone who plays worse stops more often", required=False)
    multiplicity = forms.ChoiceField(
        label="Several differences", choices=list(MULTIPLICITY.items())
    )
    seconds = forms.IntegerField(
        label="Seconds that the simulation may take", min_value=1, max_value=MOST_SECONDS
    )
    minutes = _points("Minutes a game", "Leave it empty for what is known here.")
    between = _points("How far people differ", "Own figures, as standard deviations.")
    within = _points("How far games of one person differ")
    change = _points("How differently people change")
    from_trials = forms.BooleanField(
        label="as far as in the closed trials of this site, in games without a coach",
        required=False,
    )

    @property
    def questions(self) -> list[forms.BoundField]:
        return [field for field in self if field.name not in (*OWN, *DESIGN)]

    @property
    def of_design(self) -> list[forms.BoundField]:
        return [field for field in self if field.name in DESIGN]

    @property
    def own_figures(self) -> list[forms.BoundField]:
        return [field for field in self if field.name in OWN]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if not self.errors:
            for fault in self._faults(data):
                self.add_error("arms", fault)
        return data

    def _faults(self, data: dict[str, Any]) -> Sequence[str]:
        """With other settings, each of which is valid by itself."""
        trial = simulated_trial(data, Spread(1.0, 1.0, 1.0, 0.0))
        if trial is None:
            alone = data["design"] == Trial.Kind.WITHIN or any(data[name] for name in PARTS)
            return ["Say how many arms there are."] if alone else []
        dice = Trial.Dice.VIRTUAL
        found = faults_of(trial.design, dice=dice, shared_dice=trial.shared_dice, most=MOST_GAMES)
        if trial.people * len(trial.order) > MOST_SIMULATED:
            found.append(str(f"Trials of at most {MOST_SIMULATED} games are simulated."))
        return found


def plan_form(data: Any) -> PlanForm:
    usual = {
        "people": PEOPLE,
        "games": GAMES,
        "outcome": "cost",
        "ruleset": Trial().ruleset,
        "design": Trial.Kind.BETWEEN.value,
        "multiplicity": MAX_T,
        "seconds": SECONDS,
    }
    told = {name: data.get(name) for name in PlanForm.base_fields if data.get(name)}
    return PlanForm(usual | told)


def simulated_trial(data: Mapping[str, Any], spread: Spread) -> SimulatedTrial | None:
    """Return the simulated trial if arms are asked for, else None."""
    if not data["arms"]:
        return None
    return SimulatedTrial(
        ruleset=data["ruleset"],
        outcome=data["outcome"],
        people=data["people"],
        arms=data["arms"],
        phases=Phases(
            baseline=data["baseline"] or 0,
            training=data["games"],
            test=data["test"] or 0,
            followup=data["followup"] or 0,
        ),
        spread=spread,
        effect=data["effect"],
        within=data["design"] == Trial.Kind.WITHIN,
        shared_dice=data["shared_dice"],
        screened=data["screened"] or 0.0,
        dropouts=data["dropouts"] or 0.0,
        weak_leave=data["weak_leave"],
        together=data["multiplicity"] == MAX_T,
    )


def words_of(data: dict[str, Any]) -> list[str]:
    """Return the plan as options of the command."""
    asked = {name: value for name, value in data.items() if value not in (None, False, "")}
    return [
        f"--{name.replace('_', '-')}" + ("" if value is True else f"={value}")
        for name, value in asked.items()
    ]
