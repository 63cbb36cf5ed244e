"""The bots that a player can challenge, and what the page shows about each bot."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from game.core.profile_queries import find_player_skill
from game.core.words import opponent_words as words
from game.core.words import phrases
from game.core.worth.peers import find_temperature_of
from game.core.worth.skill import Skill
from game.core.worth.tables import find_value_start
from game.models import Player
from solver.advice import Advisor
from solver.arena.results import read_result
from solver.players import PLAYERS, Agent, PlayerEntry, UnknownPlayer, find_player
from solver.players.erring import Erring
from solver.rules import PLAYED, Ruleset

CHANCE = "random"  # the bot that plays at random
PERFECT = "optimal"  # the perfect bot, which plays in every ruleset
GENTLE = "greedy"  # the bot that plays in every ruleset, and can lose to a beginner
# Bots that are only in "More settings", because each plays like a bot that has a card.
SIMILAR = {
    *("playbook-20", "playbook-30", "td-yatzy", "td-yahtzee", "DummyPlayer"),
    *("scorecard-based", "dice-based", "upper-first", CHANCE),
}
# Points per game: the range of the bot with a slider, and the usual loss of a beginner.
LOST, USUAL_LOST = range(5, 105, 5), 60


def _make_erring(rules: Ruleset, points: str) -> Agent:
    return Erring(Advisor.open(rules), 1.0, find_temperature_of(rules, float(points)))


ERRING = PlayerEntry("erring", "", "", _make_erring, rulesets=tuple(PLAYED))


def find_bot(name: str) -> PlayerEntry:
    """Return the bot with this name; ``erring:30`` loses 30 points per game on average."""
    kind, _colon, points = name.partition(":")
    if kind != ERRING.id:
        return find_player(name)
    if points not in map(str, LOST):
        raise UnknownPlayer(name)
    return replace(ERRING, reading=points)


@dataclass(frozen=True, slots=True)
class Opponent:
    """A bot; ``mean`` is its exact average score, or None if it is not known."""

    id: str
    mean: float | None


def list_opponents(rules: Ruleset) -> list[Opponent]:
    """Return the bots that play this ruleset, the strongest first, unknown strengths last."""
    bots = []
    for bot in (entry for entry in PLAYERS.values() if entry.plays(rules)):
        # The published averages are of other programs, so only exact averages count. A bot that
        # plays differently in duels has none.
        mean, exact = None, None if bot.alone else read_result(bot, rules)
        if exact is not None:
            mean = exact.distribution.mean
        elif bot.id == PERFECT and not bot.alone:
            mean = find_value_start(rules)
        bots.append(Opponent(bot.id, mean))
    return sorted(bots, key=lambda bot: -1.0 if bot.mean is None else bot.mean, reverse=True)


def find_own_skill(player: Player | None, rules: Ruleset) -> Skill | None:
    start = find_value_start(rules)
    return find_player_skill(player, rules, start) if player and start is not None else None


def choose_opponent(programs: Sequence[Opponent], level: Skill | None) -> Opponent:
    """Return the weakest bot that is stronger than the player, or perfect play if no bot is. A
    player without games gets the weakest bot that is better than chance. If no strengths are known,
    return a gentle bot: a beginner should not meet perfect play."""
    known = [program for program in programs if program.mean is not None]
    chance = next((program.mean for program in known if program.id == CHANCE), None)
    bar = level.estimate if level else chance
    if bar is None or all(program.id == PERFECT for program in known):
        return next(program for program in programs if program.id == GENTLE)
    above = [program for program in known if program.mean is not None and program.mean > bar]
    if above:
        return min(above, key=lambda program: program.mean or 0.0)
    return next(program for program in programs if program.id == PERFECT)


@dataclass(frozen=True, slots=True)
class OpponentCard:
    """A bot on the page. ``mean`` is "" if unknown; ``why`` says why the page proposes it."""

    id: str
    name: str
    face: str
    strategy: str
    manner: str
    mean: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class OwnRung:
    points: str
    games: int


@dataclass(frozen=True, slots=True)
class Ladder:
    first: OpponentCard
    rungs: Sequence[OpponentCard | OwnRung]  # the strongest bot first
    mine: OwnRung | None
    erring: OpponentCard
    points_lost: int  # the first position of the slider


def build_ladder(programs: Sequence[Opponent], level: Skill | None, wanted: str = "") -> Ladder:
    """Return the bots by strength. Propose ``wanted``, or else a bot stronger than the player."""
    proposed = next((program for program in programs if program.id == wanted), None)
    first = proposed or choose_opponent(programs, level)
    others = [bot for bot in programs if bot is not first and bot.id not in SIMILAR]
    mine = OwnRung(phrases.format_points(level.estimate), level.games) if level else None
    rungs: list[OpponentCard | OwnRung] = [_make_card(bot) for bot in others]
    if level and mine:
        weaker = (bot.mean is None or bot.mean <= level.estimate for bot in others)
        rungs.insert([*weaker, True].index(True), mine)
    why = _("First opponent")
    if level and first.mean is not None:
        is_stronger = first.mean > level.estimate
        why = _("A little stronger than you") if is_stronger else _("The strongest")
    return Ladder(
        first=_make_card(first, "" if proposed else why),
        rungs=rungs,
        mine=mine,
        erring=_make_card(Opponent(ERRING.id, None)),
        points_lost=USUAL_LOST
        if level is None
        else max((points for points in LOST if points < level.lost), default=LOST[0]),
    )


def _make_card(program: Opponent, why: str = "") -> OpponentCard:
    character = words.CHARACTERS.get(program.id)
    return OpponentCard(
        id=program.id,
        name=words.find_bot_name(program.id),
        face=words.find_bot_face(program.id),
        strategy="" if program.id == ERRING.id else words.translate_strategy(program.id),
        manner=str(character.manner) if character else _(find_player(program.id).summary),
        mean="" if program.mean is None else phrases.format_points(program.mean),
        why=why,
    )
