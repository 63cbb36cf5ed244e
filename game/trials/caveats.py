"""What a trial's numbers do not tell, in plain sentences: as important as what they do."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game.models import Trial
from game.selectors.trial_results import TakingPart
from solver.statistics.trial_figures import Analysis


def caveats(trial: Trial, people: TakingPart, of: Analysis, *, by_lot: bool = False) -> list[str]:
    """``by_lot``: arms are compared that were drawn."""
    return [
        *_bots(trial),
        *_arms(trial, people),
        *_open(trial),
        *_unfinished(trial, people, of),
        *_withdrawn(people),
        *_uneven(of),
        _(
            "Ranges are 95 %% ranges: of a hundred such ranges, about ninety-five hold what they "
            "are about. Of the tests on this page, about one in twenty finds something where "
            "there is nothing; do not pick the one that did."
        )
        % {},
        _(
            "“People like these” are those who would have come to this trial in the same way. "
            "Whether others play alike, it cannot tell."
        ),
        _cause(by_lot=by_lot),
    ]


def _cause(*, by_lot: bool) -> str:
    if by_lot:
        return _(
            "Arms were drawn by lot, so what lies between them is what they do. No other "
            "difference has a cause in these numbers: who knew the game, who was tired and who "
            "tried hard was not drawn."
        )
    return _(
        "A difference has no cause in these numbers: who knew the game, who was tired and who "
        "tried hard was not drawn by lot."
    )


def _bots(trial: Trial) -> list[str]:
    if not trial.rehearsal:
        return []
    return [_("This is a rehearsal: its participants are bots, and nothing here is about people.")]


def _arms(trial: Trial, people: TakingPart) -> list[str]:
    """What a mean over people who were treated differently is not."""
    if not trial.designed:
        return []
    together = _(
        "The figures of the whole trial put all arms and phases together, coached games and silent "
        "ones. What an arm does is told by comparing the arms alone."
    )
    if not people.elsewhere:
        return [together]
    text = ngettext(
        "%(games)s finished game of an arm with other rules or dice is not among them.",
        "%(games)s finished games of arms with other rules or dice are not among them.",
        people.elsewhere,
    )
    return [together, text % {"games": people.elsewhere}]


def _open(trial: Trial) -> list[str]:
    if not trial.is_open:
        return []
    return [
        _(
            "The trial is open, and these numbers move with every game. Stop when you planned to: "
            "whoever stops when the numbers please makes every range too narrow and every p too "
            "small."
        )
    ]


def _unfinished(trial: Trial, people: TakingPart, of: Analysis) -> list[str]:
    missing = people.planned - of.games - people.elsewhere
    if missing <= 0:
        return []
    text = ngettext(
        "%(games)s game of those who take part is not finished. If they stopped because of how "
        "their games went, the means are off, and no statistic mends that.",
        "%(games)s games of those who take part are not finished. If they stopped because of how "
        "their games went, the means are off, and no statistic mends that.",
        missing,
    )
    return [text % {"games": missing}]


def _withdrawn(people: TakingPart) -> list[str]:
    if not people.withdrawn:
        return []
    text = ngettext(
        "%(people)s participant has withdrawn; nothing of theirs is left here.",
        "%(people)s participants have withdrawn; nothing of theirs is left here.",
        people.withdrawn,
    )
    return [text % {"people": people.withdrawn}]


def _uneven(of: Analysis) -> list[str]:
    if len({person.games for person in of.people}) < 2:
        return []
    return [
        _(
            "Not everybody has played as many games: the mean score is that of all games, while "
            "for people like these every participant counts the same, so that range lies around "
            "another mean."
        )
    ]
