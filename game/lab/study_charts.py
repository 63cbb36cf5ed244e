"""The charts of the study page, in the reader's language."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from game.coach.scores import HEIGHT, WIDTH, drawn, histograms
from game.words import phrases
from solver.charts import Axis, Bars, Chart, Layer, Rule
from solver.study.people import StudyPeople


def people(title: str, of: StudyPeople, *, alone: bool = False) -> str:
    """The people's games in tens over perfect play; ``alone`` is for a file."""
    theirs = of.published
    label = _("mean of the people %(mean)s") % {"mean": phrases.points(theirs.mean)}
    layers: list[Layer] = histograms(
        [(_("people"), theirs.shares), (_("perfect play"), of.perfect.in_tens())]
    )
    layers.append(Rule(x=theirs.mean, label=label, series=1))
    means = {
        "theirs": phrases.points(theirs.mean, 2),
        "perfect": phrases.points(of.perfect.mean, 2),
    }
    told = _("The people's mean is %(theirs)s, that of perfect play %(perfect)s.") % means
    return drawn(Chart(title, layers), told, alone=alone)


def same_dice(names: Sequence[str], games: Sequence[tuple[int, Sequence[int]]]) -> str:
    """The published scores on the same dice, game by game."""
    bands = tuple(_("Game %(number)s") % {"number": number} for number, _scores in games)
    layers = [
        Bars(bands, [scores[place] for _number, scores in games], name, place, len(names))
        for place, name in enumerate(names)
    ]
    return Chart(
        _("Published scores on the same dice"),
        layers,
        y=Axis(_("points")),
        width=WIDTH,
        height=HEIGHT,
        show_title=False,
    ).for_page()
