"""Time and memory of the study's programs and of ours, and the graph that it plays by."""

from dataclasses import dataclass
from datetime import date

from django.utils.translation import gettext as _

from game.lab.labels import PLAYERS
from game.lab.study_words import whole
from game.words import phrases
from solver.charts.stages import Stage, Stages
from solver.study.effort import Amount, measured, spent
from solver.study.graph import Vertices, at_work, graph
from solver.study.published import RULES, reported


@dataclass(frozen=True, slots=True)
class EffortLine:
    what: str
    place: str
    theirs: str
    ours: str


@dataclass(frozen=True, slots=True)
class CountLine:
    """A set of the graph, or a sum of sets."""

    name: str
    theirs: str
    reached: str = ""
    solved: str = ""


def context() -> dict[str, object]:
    ours, sets = measured(), graph(RULES)
    return {
        "effort": [
            EffortLine(
                _(one.what) % ({"player": PLAYERS[one.player].name} if one.player else {}),
                one.theirs.place,
                one.theirs.written(number, _),
                one.own.written(number),
            )
            for one in spent(ours)
        ],
        "effort_first": Amount(ours.first, "seconds").written(number),
        "effort_of": ours,
        "effort_day": date.fromisoformat(ours.date),
        "counts": counts(sets),
        "stored": whole(sets[0].defined),
        "at_work": whole(at_work(RULES)),
        "graph_picture": picture(sets),
    }


def number(value: float, decimals: int) -> str:
    return phrases.points(value, decimals) if decimals else whole(round(value))


def counts(sets: tuple[Vertices, ...]) -> list[CountLine]:
    of = ("defined", "reached", "solved")
    lines = [(one.name, *(getattr(one, name) for name in of)) for one in sets]
    sums = (sum(getattr(one, name) for one in sets) for name in of)
    return [
        *(CountLine(name, *map(whole, numbers)) for name, *numbers in lines),
        CountLine("V1–V3", whole(reported()["graph"]["states"])),
        CountLine(f"V1–{sets[-1].name}", *map(whole, sums)),
    ]


def name_of(one: Vertices) -> str:
    told = {
        "cards": _("%(set)s: cards before a throw"),
        "rolls": _("%(set)s: with throw %(number)s"),
        "holds": _("%(set)s: held after throw %(number)s"),
    }
    return told[one.kind] % {"set": one.name, "number": one.number // 2}


def picture(sets: tuple[Vertices, ...]) -> str:
    stages = [Stage(name_of(one), whole(one.defined), one.defined, one.reached) for one in sets]
    told = _(
        "A throw leads from V1 to V2, and from each set of held dice to the next one; a hold "
        "leads from a throw to what is held, and a box from the last set back to V1."
    )
    keys = _("as the study defines them"), _("of these, reached by play")
    return Stages(_("States of the graph"), told, keys, stages).for_page()
