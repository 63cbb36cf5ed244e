"""Names of boxes, dice and players, in the reader's language."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import lru_cache, wraps
from typing import TypeVar

from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext_lazy, ngettext, pgettext
from django.utils.translation import gettext as _

from game.core.words.opponent_words import find_bot_name
from game.models import Player
from solver.rules import PLAYED, Category, Joker, Ruleset
from solver.rules.scoring import STRAIGHT
from solver.statistics.fairness import DicePlaces

T = TypeVar("T")
# The orders in which a player can type real dice.
DICE_PLACES = {
    DicePlaces.ANY.value: gettext_lazy("The dice are in any order: we test them only together"),
    DicePlaces.FIRST.value: gettext_lazy(
        "The die of another colour always comes first: we test it separately"
    ),
    DicePlaces.EACH.value: gettext_lazy("Each die has its own place: we test each die separately"),
}
MOST = 2048  # the most results that one function caches, all languages together


def cache_by_language(worded: Callable[..., T]) -> Callable[..., T]:
    """Cache a function whose result depends only on its arguments and the language."""

    @lru_cache(maxsize=MOST)
    def call_cached(language: str | None, *arguments: Hashable) -> T:
        return worded(*arguments)

    @wraps(worded)
    def call_in_language(*arguments: Hashable) -> T:
        return call_cached(get_language(), *arguments)

    return call_in_language


CATEGORIES: dict[str, Promise] = {
    "ones": gettext_lazy("Ones"),
    "twos": gettext_lazy("Twos"),
    "threes": gettext_lazy("Threes"),
    "fours": gettext_lazy("Fours"),
    "fives": gettext_lazy("Fives"),
    "sixes": gettext_lazy("Sixes"),
    "pair": gettext_lazy("Pair"),
    "two_pairs": gettext_lazy("Two pairs"),
    "three_pairs": gettext_lazy("Three pairs"),
    "three_of_a_kind": gettext_lazy("Three of a kind"),
    "four_of_a_kind": gettext_lazy("Four of a kind"),
    "five_of_a_kind": gettext_lazy("Five of a kind"),
    "small_straight": gettext_lazy("Small straight"),
    "large_straight": gettext_lazy("Large straight"),
    "full_straight": gettext_lazy("Full straight"),
    "full_house": gettext_lazy("Full house"),
    "villa": gettext_lazy("Villa"),
    "tower": gettext_lazy("Tower"),
    "chance": gettext_lazy("Chance"),
    "yatzy": gettext_lazy("Yatzy"),
    "maxi_yatzy": gettext_lazy("Maxi Yatzy"),
    "yahtzee": gettext_lazy("Yahtzee"),
}
# The boxes for two groups of equal dice: what they need, and how they score.
GROUPS: dict[str, tuple[Promise, Promise]] = {
    "two_pairs": (
        gettext_lazy("2 + 2 equal"),
        gettext_lazy("Two pairs of different numbers: the sum of those four dice."),
    ),
    "three_pairs": (
        gettext_lazy("2 + 2 + 2 equal"),
        gettext_lazy("Three pairs of different numbers: the sum of all six dice."),
    ),
    "full_house": (
        gettext_lazy("3 + 2 equal"),
        gettext_lazy("Three equal dice and two other equal dice: the sum of all five."),
    ),
    "villa": (
        gettext_lazy("3 + 3 equal"),
        gettext_lazy("Three equal dice and three other equal dice: the sum of all six."),
    ),
    "tower": (
        gettext_lazy("4 + 2 equal"),
        gettext_lazy("Four equal dice and two other equal dice: the sum of all six."),
    ),
}
# The sources of drill positions, as `game/practice/answered.py` names them.
SOURCES: dict[str, Promise] = {
    "drill": gettext_lazy("Drill"),
    "win": gettext_lazy("To win"),
    "five": gettext_lazy("Five a day"),
}
RULES: dict[str, Promise] = {
    "yatzy": gettext_lazy("Yatzy"),
    "yahtzee": gettext_lazy("Yahtzee"),
    "yahtzee-free-joker": gettext_lazy("Yahtzee, free joker"),
    "yahtzee-plain": gettext_lazy("Yahtzee without jokers"),
    "maxi-yatzy": gettext_lazy("Maxi Yatzy"),
    "maxi-yatzy-50": gettext_lazy("Maxi Yatzy, bonus 50"),
    "yatzy-saved": gettext_lazy("Yatzy, saved rolls"),
}
FACES: tuple[Promise, ...] = (
    gettext_lazy("nothing yet"),
    gettext_lazy("one"),
    gettext_lazy("two"),
    gettext_lazy("three"),
    gettext_lazy("four"),
    gettext_lazy("five"),
    gettext_lazy("six"),
)


@cache_by_language
def format_whole_day(day: date) -> str:
    return date_format(day)


def find_ruleset_name(rules: Ruleset) -> str:
    return str(RULES.get(rules.id, rules.title))


def list_ruleset_choices(among: Mapping[str, Ruleset] = PLAYED) -> list[tuple[str, str]]:
    return [(rules.id, find_ruleset_name(rules)) for rules in among.values()]


def find_category_name(category: Category) -> str:
    return str(CATEGORIES[category.id])


@dataclass(frozen=True, slots=True)
class BoxWords:
    name: str
    hint: str
    key: str
    maximum: int


@cache_by_language
def describe_boxes(rules: Ruleset) -> tuple[BoxWords, ...]:
    """Return the name, rule, key and highest score of each box, in the order of the rules."""
    return tuple(
        BoxWords(
            find_category_name(c),
            describe_category(c, rules),
            "abcdefgijklmnopqrsuv"[n],  # chooses the box; the keys h, t and w have other uses
            max(c.score(roll) for roll in rules.cup.rolls),
        )
        for n, c in enumerate(rules.categories)
    )


def count(number: int) -> str:
    words = (
        pgettext("number of dice", "two"),
        pgettext("number of dice", "three"),
        pgettext("number of dice", "four"),
        pgettext("number of dice", "five"),
        pgettext("number of dice", "six"),
    )
    return words[number - 2]


def name_chip_bonus(joker: Joker) -> str:
    return _("%(name)s bonus") % {"name": CATEGORIES[joker.box]}


def describe_category(category: Category, rules: Ruleset) -> str:
    """Return what a box needs and how it scores, in a few words."""
    size = category.size
    match category.pattern:
        case "faces":
            wanted = _("every %(face)s") % {"face": category.face}
        case "of_a_kind":
            wanted = _("%(count)s equal") % {"count": size}
        case "straight_from":
            wanted = _("%(first)s to %(last)s") % {"first": size, "last": size + STRAIGHT - 1}
        case "run_of":
            wanted = _("%(count)s in a row") % {"count": size}
        case "any":
            wanted = _("any dice")
        case pattern:
            wanted = str(GROUPS[pattern][0])
    scores = {category.score(roll) for roll in rules.cup.rolls} - {0}
    if len(scores) == 1:
        return _("%(wanted)s = %(points)s") % {"wanted": wanted, "points": scores.pop()}
    if category.pattern == "any":
        return _("sum of dice")
    if category.counts_every_die:
        return _("%(wanted)s: sum of all") % {"wanted": wanted}
    return _("%(wanted)s: sum") % {"wanted": wanted}


def explain_category(category: Category) -> str:
    """Return the rule of a box as a sentence."""
    points = category.points
    match category.pattern:
        case "faces":
            return _("The sum of the dice that show %(face)s.") % {"face": category.face}
        case "of_a_kind" if points is not None:
            return ngettext(
                "%(count)s equal dice: %(points)s point.",
                "%(count)s equal dice: %(points)s points.",
                points,
            ) % {"count": category.size, "points": points}
        case "of_a_kind" if category.counts_every_die:
            return _("%(count)s equal dice: the sum of all dice.") % {"count": category.size}
        case "of_a_kind":
            return _("%(count)s equal dice: the sum of those dice.") % {"count": category.size}
        case "full_house" if points is not None:
            return _("Three equal dice and two other equal dice: %(points)s points.") % {
                "points": points
            }
        case "straight_from":
            return _describe_straight(category.size, category.size + STRAIGHT - 1, points)
        case "run_of" if points is None:
            return _describe_straight(1, category.size)
        case "run_of":
            return _("%(count)s dice in a row: %(points)s points.") % {
                "count": category.size,
                "points": points,
            }
        case "any":
            return _("The sum of all dice, whatever they show.")
    wanted, sum_rule = GROUPS[category.pattern]
    fixed = _("%(wanted)s: %(points)s points.") % {"wanted": wanted, "points": points}
    return str(sum_rule) if points is None else fixed


def _describe_straight(first: int, last: int, points: int | None = None) -> str:
    """Describe a straight. Without ``points``, the box scores the sum of its dice."""
    shown = sum(range(first, last + 1))
    facts = {"first": first, "last": last, "points": shown if points is None else points}
    return _("The dice %(first)s to %(last)s: %(points)s points.") % facts


def join_faces(dice: Iterable[int]) -> str:
    return ", ".join(map(str, dice))


def format_player(player: Player | None) -> str:
    """Return the name of a player: bot, nickname or account; else "Guest" with a code."""
    if player is None:
        return _("Guest")
    if player.bot:
        return find_bot_name(player.bot)
    if player.nickname:
        return player.nickname
    if player.user is not None:
        return player.user.get_username()
    return _("Guest %(code)s") % {"code": player.code[:4]}


def format_nickname(player: Player) -> str:
    """Return the player's nickname, or "A guest". Strangers see no other name of a player."""
    return player.nickname or _("A guest")


def name_deleted_player() -> str:
    return _("A deleted player")


def shorten_player(seated: Player) -> str:
    guest = not (seated.bot or seated.nickname or seated.user)
    return seated.code[:4] if guest else format_player(seated).split()[0]
