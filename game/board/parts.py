"""Every part of the look in every state, of boards that are made up: what the page of parts shows.

A part is a template as pages include it, with the values that they would give it. Whatever is drawn
otherwise one day is drawn otherwise here, too.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any, Literal

from game.board.ending import Account, Costly, Ending, Moment, Result
from game.board.model import Board, Die, Sight, build
from game.board.opponents import ladder
from game.board.story import Sentence, own_games
from game.board.streaks import daily_told
from game.coach.dice import ShownDie
from game.coach.hints import Hint, Ranked
from game.coach.panel import Feedback, GameStanding, Panel, prices_of
from game.judgement.severity import BEST, GOOD, SEVERITIES, Severity
from game.judgement.streaks import Repair, Streak
from game.models import Game, Player
from game.selectors.day_boards import DayBoard, Leader
from game.selectors.duels.opponents import Opponent, OwnLevel
from game.selectors.games import Thrown
from game.words import phrases
from game.words.opponents import CHARACTERS
from solver.rules import RULESETS, Action, Hold, Ruleset, Score, State, start, step, throw

RULES = Player().rules
DICE = (6, 4, 6, 6, 2)
KEPT = Hold(0b01101)
LOST = {"blunder": 7.25, "mistake": 2.4, "inaccuracy": 0.83, "small": 0.2, "good": 0.01, "best": 0}
TODAY = date(2026, 6, 14)
REASON = "Three sixes are worth keeping: the bonus is near, and every further six brings it nearer."


@dataclass(frozen=True, slots=True)
class DesignPart:
    """``within`` are the classes of what its look hangs on: a tray, a column of the card."""

    name: str
    template: str
    values: Mapping[str, Any]
    within: str = ""


@dataclass(frozen=True, slots=True)
class DesignGroup:
    """What is ``small`` stands side by side, what is ``wide`` has one theme below the other."""

    title: str
    parts: tuple[DesignPart, ...]
    size: Literal["", "small", "wide"] = ""


def groups() -> Iterator[DesignGroup]:
    yield DesignGroup("Dice", tuple(_dice()), size="small")
    yield DesignGroup("The throws of a turn", tuple(_throws()))
    yield DesignGroup("What is said in the tray", tuple(_said()))
    yield DesignGroup("Buttons of the tray", tuple(_actions()))
    yield DesignGroup("The card", tuple(_card()), size="small")
    yield DesignGroup("The coach's sheet", tuple(_sheet()))
    yield DesignGroup("Key moments, the end", tuple(_end()))
    yield DesignGroup("Tables, forms, days", tuple(_pages()))
    yield DesignGroup("Opponents", (_opponents(),), size="wide")
    yield DesignGroup("Whole boards", tuple(_boards()), size="wide")


def _played(*actions: Action, rules: Ruleset = RULES, dice: tuple[int, ...] = DICE) -> State:
    """Every throw brings the same dice, and after a box the next turn has begun."""
    state = throw(step(start(rules), Hold(0)), dice)
    for action in actions:
        state = step(state, action)
        state = throw(state if state.waiting else step(state, Hold(0)), dice)
    return state


FILLED: tuple[Action, ...] = (Score("sixes"), Score("three_of_a_kind"), Score("full_house"))


def _sight(*actions: Action, **more: Any) -> Sight:
    game = Game(pk="parts", player=Player(), coach=more.pop("level", Game.Coach.LIVE))
    state = more.pop("state", None) or _played(*actions)
    return Sight(state, actions=actions, game=game, player=game.player, owner=True, **more)


def _board(*actions: Action, **more: Any) -> Board:
    return build(_sight(*actions, **more))


def _feedback(severity: Severity, *, reason: bool = True, **more: Any) -> Feedback:
    regret, better = LOST[severity.id], severity is not BEST
    return Feedback(
        severity=severity,
        regret=regret,
        move=phrases.deed(_played(), KEPT),
        cost=phrases.cost(regret),
        luck=phrases.luck(1.4),
        veiled=more.pop("veiled", False),
        best=phrases.held((6, 6, 6), RULES) if better else "",
        reason=REASON if reason else "",
        praise=more.pop("praise", ""),
    )


def _ranked(label: str, regret: float, slots: tuple[int, ...] = (), category: str = "") -> Ranked:
    severity = next((one for one in SEVERITIES if regret >= one.at_least), GOOD if regret else BEST)
    cost = phrases.cost(regret)
    return Ranked(label, slots, False, category, 243.2 - regret, regret, severity, cost)


HOLD_IT = _ranked("6 6 6", 0, slots=KEPT.places)
OPTIONS = (HOLD_IT, _ranked("6 6", 2.4, (0, 2)), _ranked("4 6 6 6", 5.3, (0, 1, 2, 3)))
HINT = Hint(OPTIONS, REASON, phrases.percent(0.46))
STANDING = GameStanding(248.4, 243.2, 9.6)
QUIET = Panel(True, True, None, None, (), {})
HOLDS = tuple(phrases.prices(0 if mask == KEPT.slots else 2.4 for mask in range(32)))
PRICES = prices_of({"ones": 9.1, "twos": 7.25, "sixes": 0, "pair": 3.3, "chance": 24.6})
LIVE = replace(QUIET, holds=HOLDS, boxes=PRICES, standing=STANDING)


def _dice() -> Iterator[DesignPart]:
    free = Die(0, 5, held=False, fresh=False)
    states = {
        "free": free,
        "held": replace(free, held=True),
        "fresh": replace(free, fresh=True),
        "marked by a hint": replace(free, marked=True),
        "marked and held": replace(free, held=True, marked=True),
        "let go": replace(free, dropped=True),
    }
    for name, die in states.items():
        yield _die(name, die, live=True)
    shown = {
        "blank": replace(free, face=0),
        "of the turn before": replace(free, face=0, past=5),
        "kept": replace(free, held=True),
        "shown": free,
    }
    for name, die in shown.items():
        yield _die(f"not to press: {name}", die, live=False)
    marked = tuple((face, face == 6) for face in DICE)
    yield DesignPart("laid", "game/_laid.html", {"dice": marked, "mark": "counts"})


def _throws() -> Iterator[DesignPart]:
    behind = (Thrown((1, 3, 6, 2, 6), (2, 4)), Thrown(DICE, KEPT.places))
    for now in (0, 1, 2, 3):
        track = {
            "before": 0,
            "thrown": behind[: max(0, now - 1)],
            "now": now,
            "coming": range(now + 1, 4),
        }
        yield DesignPart(f"throws, {now} made", "game/_thrown.html", track, "tray")


def _die(name: str, die: Die, *, live: bool) -> DesignPart:
    return DesignPart(name, "game/_die.html", {"die": die, "live": live}, "dice")


def _said() -> Iterator[DesignPart]:
    yield _status("what to do", coach=QUIET)
    yield _status("a refusal", coach=QUIET, message="This was decided already, on another page.")
    yield _status("a first turn", newcomer=True, level=Game.Coach.AFTER, coach=QUIET)
    yield _status("a hint", coach=replace(QUIET, hint=HINT))
    yield _status("price of a hold that is best", coach=LIVE, held=KEPT.places)
    yield _status("price of a hold that is not", coach=LIVE, held=(0,))
    for severity in (BEST, GOOD, *reversed(SEVERITIES)):
        yield _verdict(severity.id, _feedback(severity))
        yield _verdict(f"{severity.id}, no reason", _feedback(severity, reason=False))
    yield _verdict("praise", _feedback(BEST, praise=phrases.praise("Expert")))
    yield _verdict("alert, veiled", _feedback(SEVERITIES[0], veiled=True))


def _verdict(name: str, feedback: Feedback) -> DesignPart:
    return _status(name, coach=replace(LIVE, feedback=feedback), held=(0,))


def _status(name: str, **sight: Any) -> DesignPart:
    return DesignPart(name, "game/_status.html", {"board": _board(**sight)}, "tray")


def _actions() -> Iterator[DesignPart]:
    boards = {
        "throw": _board(coach=QUIET),
        "throw, with a price": _board(coach=LIVE, held=(0,)),
        "a hint to take": _board(coach=replace(QUIET, hint=HINT)),
        "no throw left": _board(Hold(0), Hold(0), coach=QUIET),
        "others play": _board(waits="Wait for Vera."),
        "watching": replace(_board(), may_act=False),
    }
    for name, board in boards.items():
        yield DesignPart(name, "game/_roll.html", {"board": board}, "tray")
    asked = {
        "a question": _board(confirm=Score("ones"), coach=replace(QUIET, better=HOLD_IT)),
        "alert": _board(confirm=Score("ones"), coach=QUIET, level=Game.Coach.ALERT),
        "alert at a throw": _board(confirm=Hold(0), coach=QUIET, level=Game.Coach.ALERT),
    }
    for name, board in asked.items():
        yield DesignPart(name, "game/_confirm.html", {"board": board}, "tray")


def _card() -> Iterator[DesignPart]:
    board = _board(*FILLED, coach=replace(LIVE, better=_ranked("", 0, category="pair")))
    row = board.lower[0]
    rows = {
        "open": replace(row, best=False, price="", cost=""),
        "open, worth nothing": replace(row, offer=0, best=False, price="", cost=""),
        "priced": replace(row, best=False, price=phrases.price(3.3)),
        "best": replace(row, best=True, price="", cost=""),
        "before a throw": replace(row, offer=None, best=False, price="", cost=""),
        "nobody's to fill": replace(row, playable=False),
        "filled": replace(row, points=12, dice=(6, 6)),
        "filled just now": replace(row, points=12, dice=(6, 6), just_filled=True),
        "crossed out": replace(row, points=0, dice=(1, 2, 3, 4, 6)),
    }
    for name, one in rows.items():
        yield DesignPart(name, "game/_row.html", {"row": one}, "boxes")
    far = {"bonus": 0, "sum": 42, "goal": 63, "hint": board.bonus_hint}
    yield DesignPart("bonus under way", "game/_bonus.html", far)
    yield DesignPart("bonus won", "game/_bonus.html", {**far, "bonus": 50, "sum": 66})
    yahtzee = build(
        _sight(state=_played(Score("yahtzee"), rules=RULESETS["yahtzee"], dice=(4,) * 5))
    )
    yield DesignPart("chips", "game/_chips.html", {"board": yahtzee})
    yield DesignPart("total", "game/_totals.html", {"board": board})


def _sheet() -> Iterator[DesignPart]:
    for severity in (BEST, SEVERITIES[0]):
        given = {"feedback": _feedback(severity)}
        yield DesignPart(f"why, {severity.id}", "coach/_feedback.html", given)
    yield DesignPart(
        "why, veiled", "coach/_feedback.html", {"feedback": _feedback(GOOD, veiled=True)}
    )
    yield DesignPart("options", "coach/_options.html", {"options": OPTIONS, "chosen": "6 6"})
    yield DesignPart("how it stands", "coach/_standing.html", {"standing": STANDING})


def _ending() -> Ending:
    dice = tuple(ShownDie(face, face == 6) for face in DICE)
    worst = [
        Costly(n, n, n, 2, dice, "Hold 6 6", phrases.taken_off(lost), one, "#", "#")
        for n, (one, lost) in enumerate(((SEVERITIES[0], 7.25), (SEVERITIES[1], 2.4)), start=1)
    ]
    moments = [("flawless", "Flawless"), ("best", "Best of your 9 games"), ("bonus", "Bonus +50")]
    told = (
        Sentence(phrases.taken_off(7.25), "The turn", "Full house went in turn 3.", lost=True),
        Sentence(phrases.signed(12.4), "Luck", "Better than 61 of 100 games.", lost=False),
    )
    return Ending(
        moments=(*(Moment(*one) for one in moments), Moment("five", "Yatzy!", (6,) * 5)),
        account=Account(RULES, 251, 12.4, 9.8),
        worst=tuple(worst),
        headline="Turn 3 decided it.",
        sentences=told,
        turns=("best", "good", *(one.id for one in reversed(SEVERITIES)), ""),
        way="review",
        own_games=own_games((188, 204, 231, 239, 240, 262, 251), 251),
    )


def _end() -> Iterator[DesignPart]:
    ending = _ending()
    yield DesignPart("moments", "game/_over_moments.html", {"moments": ending.moments})
    yield DesignPart("equation", "game/_account.html", {"account": ending.account})
    yield DesignPart("what cost most", "game/_worst.html", {"worst": ending.worst})
    result = Result(251, 50, is_best=False, best=262, average=230.7, games=7, rank=2, players=9)
    yield DesignPart("result", "game/_result.html", {"result": result})
    over = replace(_board(), phase="over", total=251, bonus=50, ending=ending, result=result)
    yield DesignPart("the end", "game/_over.html", {"board": over}, "tray")


def _pages() -> Iterator[DesignPart]:
    leaders = [Leader(1, "Ada", 287, mine=False), Leader(2, "Ben", 251, mine=True)]
    board = DayBoard(2, 269.0, (leaders[0], leaders[1]))
    yield DesignPart(
        "results of a day", "game/_daily_leaders.html", {"players": board, "guests": DayBoard()}
    )
    missed = Repair(TODAY - timedelta(days=1), 13)
    told = daily_told(Streak(12, 19, repair=missed), "/five/")
    yield DesignPart("a streak", "game/_streak.html", {"told": told})
    yield DesignPart("rulesets", "game/_choice.html", {"board": _board()})
    yield DesignPart("a code", "_code.html", {"digits": "404"})


def _opponents() -> DesignPart:
    found = [Opponent(one, 245.9 - 22 * n) for n, one in enumerate(CHARACTERS)]
    known = ladder(found, OwnLevel(205.1, 12))
    return DesignPart(
        "a ladder", "duels/_opponents.html", {"ladder": known, "chosen": known.first.id}
    )


def _boards() -> Iterator[DesignPart]:
    boards = {
        "a hint in the middle of a turn": _board(*FILLED, coach=replace(LIVE, hint=HINT)),
        "a question": _board(
            *FILLED, confirm=Score("chance"), coach=replace(QUIET, better=HOLD_IT)
        ),
    }
    for name, board in boards.items():
        yield DesignPart(name, "game/_board.html", {"board": board}, "play")
