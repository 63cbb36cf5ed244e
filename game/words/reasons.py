"""The sentences that make a reason; ``game.coach.reasons`` chooses among them."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game.words import phrases
from solver.advice import Option, Outlook
from solver.rules import Ruleset

WORTH_NAMING = 0.05  # the chance from which on a hold is said to go for a box
NAMED = 3

Aims = tuple[tuple[str, float], ...]


def goes_for(rules: Ruleset, aims: Aims) -> str:
    if not aims:
        return _("This turn then brings no points.")
    return _("Goes for %(aims)s.") % {"aims": _aims(rules, aims)}


def bonus_then(chance: float) -> str:
    return _("The chance of the bonus is then %(chance)s.") % {"chance": phrases.percent(chance)}


def stops_at(rules: Ruleset, scored: Option) -> str:
    facts = {"points": scored.points, "name": phrases.box(rules, scored.category)}
    return (
        ngettext(
            "These dice bring %(points)s point in %(name)s.",
            "These dice bring %(points)s points in %(name)s.",
            scored.points,
        )
        % facts
    )


def only_box() -> str:
    return _("It is the only box that is left.")


def joker_goes_there() -> str:
    return _("These dice are a joker, which must go there.")


def secures_bonus() -> str:
    return _("It secures the bonus.")


def most_now() -> str:
    return _("No other box brings more points now.")


def nothing_fits() -> str:
    return _("These dice bring no points in any open box.")


def now_and_later(rules: Ruleset, better: Option, worse: Option) -> str:
    """Of a box that looks better than it is."""
    more = worse.points - better.points
    fewer = phrases.points(better.value - better.points - (worse.value - worse.points))
    facts = {"name": phrases.box(rules, worse.category), "more": more, "fewer": fewer}
    return (
        ngettext(
            "%(name)s would bring %(more)s point more now, but %(fewer)s fewer later.",
            "%(name)s would bring %(more)s points more now, but %(fewer)s fewer later.",
            more,
        )
        % facts
    )


def left_open(rules: Ruleset, box: str, expected: float) -> str:
    facts = {"name": phrases.box(rules, box), "points": phrases.points(expected)}
    return _("Left open, %(name)s is still expected to bring %(points)s points.") % facts


def only_later(rules: Ruleset, box: str, expected: float) -> str:
    facts = {"name": phrases.box(rules, box), "points": phrases.points(expected)}
    return _("Later, only %(points)s points could be expected of %(name)s.") % facts


def brings_less(rules: Ruleset, box: str, lost: float) -> str:
    facts = {"name": phrases.box(rules, box), "points": phrases.points(lost)}
    return _("%(name)s would be expected to bring %(points)s points less.") % facts


def bonus_falls(before: Outlook, after: Outlook) -> str:
    return _("The chance of the bonus would fall from %(before)s to %(after)s.") % _chances(
        before, after
    )


def costs(rules: Ruleset, worse: Option) -> str:
    return _("“%(option)s” would cost %(cost)s points.") % _cost(rules, worse)


def costs_only_in(rules: Ruleset, worse: Option, box: str) -> str:
    facts = {**_cost(rules, worse), "name": phrases.box(rules, box)}
    return _("“%(option)s” would cost %(cost)s points, in %(name)s.") % facts


def costs_above_all_in(rules: Ruleset, worse: Option, box: str) -> str:
    facts = {**_cost(rules, worse), "name": phrases.box(rules, box)}
    return _("“%(option)s” would cost %(cost)s points, above all in %(name)s.") % facts


def costs_in_box(rules: Ruleset, worse: Option, box: str, lost: float) -> str:
    facts = {"lost": phrases.points(lost), "name": phrases.box(rules, box)}
    return _("“%(option)s” would cost %(cost)s points, %(lost)s of them in %(name)s.") % {
        **_cost(rules, worse),
        **facts,
    }


def costs_and_gains(
    rules: Ruleset, worse: Option, lost: tuple[str, float], won: tuple[str, float]
) -> str:
    facts = {
        "lost": phrases.points(lost[1]),
        "name": phrases.box(rules, lost[0]),
        "won": phrases.points(won[1]),
        "other": phrases.box(rules, won[0]),
    }
    return _(
        "“%(option)s” would cost %(cost)s points: %(lost)s fewer in %(name)s, "
        "but %(won)s more in %(other)s."
    ) % {**_cost(rules, worse), **facts}


def costs_bonus(rules: Ruleset, worse: Option, before: Outlook, after: Outlook) -> str:
    return _(
        "“%(option)s” would cost %(cost)s points, and the chance of the bonus would fall from "
        "%(before)s to %(after)s."
    ) % {**_cost(rules, worse), **_chances(before, after)}


def nearly_as_good(rules: Ruleset, other: Option) -> str:
    return _("“%(option)s” would be worth nearly as much.") % {
        "option": phrases.option(rules, other)
    }


def as_good(rules: Ruleset, other: Option) -> str:
    return _("“%(option)s” is worth just as much.") % {"option": phrases.option(rules, other)}


def _cost(rules: Ruleset, worse: Option) -> dict[str, str]:
    return {"option": phrases.option(rules, worse), "cost": phrases.points(worse.regret)}


def _chances(before: Outlook, after: Outlook) -> dict[str, str]:
    return {
        "before": phrases.percent(before.bonus_chance),
        "after": phrases.percent(after.bonus_chance),
    }


def _aims(rules: Ruleset, aims: Aims) -> str:
    named = [
        _("%(name)s (%(chance)s)") % {"name": phrases.box(rules, n), "chance": phrases.percent(c)}
        for n, c in aims[:NAMED]
        if c >= WORTH_NAMING or n == aims[0][0]
    ]
    if len(named) == 1:
        return named[0]
    return _("%(first)s or %(last)s") % {"first": ", ".join(named[:-1]), "last": named[-1]}
