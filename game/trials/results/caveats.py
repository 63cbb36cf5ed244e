"""Caveats: what a trial's numbers do not tell, in plain sentences, as important as what they do."""

from game.models import Trial
from game.trials.results.reading import TakingPart
from solver.statistics.trial import Analysis


def caveats(trial: Trial, people: TakingPart, of: Analysis, *, by_lot: bool = False) -> list[str]:
    """``by_lot``: arms are compared that were drawn."""
    return [
        *_bots(trial),
        *_arms(trial, people),
        *_open(trial),
        *_missing(trial, people, of),
        *_withdrawn(people),
        *_sittings(of),
        (
            "Ranges are 95 % ranges: of a hundred such ranges, about ninety-five hold what they "
            "are about. Of the tests on this page, about one in twenty finds something where "
            "there is nothing; do not pick the one that did."
        ),
        (
            "“People like these” are those who would have come to this trial in the same way. "
            "Whether others play alike, it cannot tell."
        ),
        _cause(by_lot=by_lot),
    ]


def _cause(*, by_lot: bool) -> str:
    if by_lot:
        return (
            "Arms were drawn by lot, so what lies between them is what they do. No other "
            "difference has a cause in these numbers: who knew the game, who was tired and who "
            "tried hard was not drawn."
        )
    return (
        "A difference has no cause in these numbers: who knew the game, who was tired and who "
        "tried hard was not drawn by lot."
    )


def _bots(trial: Trial) -> list[str]:
    if not trial.rehearsal:
        return []
    return ["This is a rehearsal: its participants are bots, and nothing here is about people."]


def _arms(trial: Trial, people: TakingPart) -> list[str]:
    """Warn that a mean over all arms mixes treatments."""
    if not trial.designed:
        return []
    together = (
        "The figures of the whole trial put all arms and phases together, coached games and silent "
        "ones. What an arm does is told by comparing the arms alone."
    )
    if not people.elsewhere:
        return [together]
    text = (
        "%(games)s finished game of an arm with other rules or dice is not among them."
        if people.elsewhere == 1
        else "%(games)s finished games of arms with other rules or dice are not among them."
    )
    return [together, text % {"games": people.elsewhere}]


def _open(trial: Trial) -> list[str]:
    if not trial.is_open:
        return []
    return [
        (
            "The trial is open, and these numbers move with every game. Stop when you planned to: "
            "anyone who stops when the numbers please makes every range too narrow and every p too "
            "small."
        )
    ]


def _missing(trial: Trial, people: TakingPart, of: Analysis) -> list[str]:
    missing = people.planned - of.games - people.elsewhere
    if missing <= 0:
        return []
    text = (
        (
            "%(games)s game of those who take part is not finished. If they stopped because of how "
            "their games went, the means are off, and no statistic mends that."
        )
        if missing == 1
        else (
            "%(games)s games of those who take part are not finished. If they stopped because "
            "of how "
            "their games went, the means are off, and no statistic mends that."
        )
    )
    return [text % {"games": missing}]


def _withdrawn(people: TakingPart) -> list[str]:
    if not people.withdrawn:
        return []
    text = (
        "%(people)s participant has withdrawn; nothing of theirs is left here."
        if people.withdrawn == 1
        else "%(people)s participants have withdrawn; nothing of theirs is left here."
    )
    return [text % {"people": people.withdrawn}]


def _sittings(of: Analysis) -> list[str]:
    """Say whether the intervals allow for good and bad sessions."""
    if of.games < 2:
        return []
    if of.sessions:
        return [
            (
                "Games less than 30 minutes apart are one sitting, of which there are "
                f"{of.sessions}. The ranges for these people, and the test of learning, take "
                "sittings to be independent, and not games."
            )
        ]
    return [
        (
            "The ranges for these people take games to be independent. If somebody's level moves "
            "from day to day, they are too narrow: where it moves by a fifth between sittings of "
            "ten games, they hold what they are about in some 70 trials of a hundred, and learning "
            "is found in 30 where there is none. Several sittings of each would tell."
        )
    ]
