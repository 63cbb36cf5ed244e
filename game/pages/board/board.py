"""The view model of the board, for pages, htmx responses and sockets. It reads no database."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal
from zlib import crc32

from django.urls import get_script_prefix, reverse
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game.coach.hints import Ranked
from game.coach.panel import Feedback, Panel
from game.coach.waiting import Waiting
from game.core.fair.tickets import Ticket
from game.core.game_queries import Thrown
from game.core.kind import Kind, find_kind
from game.core.words import labels, phrases, sentences
from game.core.words.sentences import Event
from game.core.words.speech import TABLE, say
from game.models import Game, Player
from game.pages.board.challenge import Rivals
from game.pages.board.ending import Ending, Result
from game.pages.board.sharing import Shared
from game.pages.board.target import TargetLine
from game.pages.daily.daily_board import DayEnd
from game.pages.presentation import Presentation, load_pages
from game.pages.rulesets import RulesChoice, list_rules_choices, make_card_url, make_rules_url
from solver.rules import Action, Hold, Ruleset, Score, State
from solver.rules.dice import Dice


@dataclass(frozen=True, slots=True)
class Die:
    slot: int
    face: int  # 0 before the first roll of a turn
    held: bool
    fresh: bool  # true if the last action rolled this die
    marked: bool = False  # true if the hint holds this die
    dropped: bool = False  # true if the hint releases this die
    past: int = 0  # the die's face when the last box was filled; 0 after the next roll

    @property
    def key(self) -> str:
        return str(self.slot + 1)

    @property
    def label(self) -> str:
        return self.label_held if self.held else self.label_free

    @property
    def hint(self) -> str:
        """The coach's hint for this die, as text after its label; empty without a hint."""
        return f", {_('Hold')}" if self.marked else f", {_('Release')}" if self.dropped else ""

    @property
    def label_held(self) -> str:
        facts = {"number": self.slot + 1, "face": labels.FACES[self.face]}
        return _("die %(number)s, shows %(face)s, held") % facts

    @property
    def label_free(self) -> str:
        facts = {"number": self.slot + 1, "face": labels.FACES[self.face]}
        return _("die %(number)s, shows %(face)s") % facts


@dataclass(frozen=True, slots=True)
class Row:
    """A box of the card. ``offer`` is the score of the current dice in this box, or None."""

    id: str
    name: str
    hint: str
    key: str
    maximum: int
    points: int | None
    dice: tuple[int, ...]
    offer: int | None
    playable: bool
    just_filled: bool
    best: bool = False  # true for the coach's best box
    cost: str = ""  # the cost of this box as text, if the coach shows costs before moves
    price: str = ""  # the cost as a number

    @property
    def alike(self) -> bool:
        return len(set(self.dice)) == 1

    @property
    def label(self) -> str:
        if self.offer is None:
            return self.name
        text = ngettext(
            "%(name)s: score %(points)s point", "%(name)s: score %(points)s points", self.offer
        )
        return text % {"name": self.name, "points": self.offer}

    @property
    def used_label(self) -> str:
        points = self.points or 0
        text = ngettext(
            "%(name)s: %(points)s point, with the dice %(dice)s",
            "%(name)s: %(points)s points, with the dice %(dice)s",
            points,
        )
        return text % {"name": self.name, "points": points, "dice": labels.join_faces(self.dice)}


@dataclass(frozen=True, slots=True)
class Chips:
    name: str
    points: int
    hint: str
    offered: bool  # true if the rolled dice bring a chip


def make_game_address(name: str, game_id: str) -> str:
    return _make_cached_url(name, game_id, get_script_prefix())


@lru_cache(maxsize=4096)
def _make_cached_url(name: str, game_id: str, prefix: str) -> str:
    """Return a game's URL. ``reverse`` adds ``prefix``, which is only a key of the cache here."""
    return reverse(name, args=[game_id])


FALLS = 16  # number of arrangements in which the style sheet can draw rolled dice

# enter: the player types real dice; wait: the duel's opponents still play this turn
Phase = Literal["roll", "enter", "decide", "score", "wait", "over"]


@dataclass(frozen=True, slots=True)
class TrayGuest:
    """The player whose dice are on the tray while this viewer waits."""

    name: str
    face: str  # id of the drawn face
    board: "Board"

    @property
    def key(self) -> str:
        """A key that changes when the tray shows another player, or this player's next decision."""
        return f"{self.name} {self.board.seq}"


@dataclass(frozen=True)
class Board:
    state: State
    actions: tuple[Action, ...] = ()
    game: Game | None = None
    ticket: Ticket | None = None
    player: Player | None = None
    may_act: bool = False
    held: Collection[int] | None = None
    message: str = ""
    doubted: Action | None = None  # an action that the player must confirm first
    result: Result | None = None
    ending: Ending | None = None
    day_end: DayEnd | None = None
    shared: Shared | None = None
    tried: Rivals | None = None
    coach: Panel | None = None
    level: str = Game.Coach.OFF.value  # the coach level of a new game
    closed: str = ""  # why the player cannot choose a coach; else empty
    number: str = ""  # the target score that the player typed for a new game
    target: TargetLine | None = None
    entries: int = 0  # the number of rolls of real dice that the player typed
    typed: str = ""  # the typed dice that the server refused
    waits: str = ""  # why the player must wait; else empty
    outcome: str = ""  # the result of a duel for this viewer
    outcome_words: str = ""  # the result of a duel as a sentence
    guest: TrayGuest | None = None
    can_take_back: bool = False
    earlier: tuple[Thrown, ...] = ()  # the rolls of this turn before the current one
    before: Dice = ()  # the dice on the table when the last box was filled
    newcomer: bool = False  # true for a beginner, who gets a guide in the first turn

    @cached_property
    def rules(self) -> Ruleset:
        return self.state.rules

    @cached_property
    def kind(self) -> Kind:
        return find_kind(self.game or Game())

    @property
    def mode_label(self) -> str:
        return self.kind.label

    @property
    def player_label(self) -> str:
        return self.kind.player_label if self.game else labels.format_player(self.player)

    @property
    def coach_level(self) -> str:
        return self.game.coach if self.game else self.level

    @cached_property
    def real_dice(self) -> bool:
        return self.game is not None and self.game.real_dice

    @property
    def points_hidden(self) -> bool:
        return self.game is not None and find_kind(self.game).points_hidden

    @property
    def seq(self) -> int:
        return len(self.actions)

    @property
    def last(self) -> Action | None:
        return self.actions[-1] if self.actions else None

    @cached_property
    def over(self) -> bool:
        return self.state.finished or (self.game is not None and self.game.over)

    @cached_property
    def phase(self) -> Phase:
        if self.over:
            return "over"
        if self.waits:
            return "wait"
        if self.real_dice and (self.state.waiting or not self.state.dice):
            return "enter"
        if not self.state.dice:
            return "roll"
        return "decide" if self.state.throws_left else "score"

    @property
    def turn(self) -> int:
        return min(self.state.turn + 1, len(self.rules.categories))

    @cached_property
    def tray(self) -> "Board":
        """The board of the player for whom this viewer waits, or else the viewer's own board."""
        return self.guest.board if self.guest else self

    @property
    def throws_left(self) -> int:
        return 0 if self.over else self.tray.state.throws_left

    @property
    def saved(self) -> int:
        """The number of rolls left over from earlier turns."""
        return 0 if self.over else self.tray.state.saved_left

    @cached_property
    def dice(self) -> list[Die]:
        if self.guest:
            return self.guest.board.dice
        kept = self.last.slots if isinstance(self.last, Hold) else 0
        faces: tuple[int, ...]
        held: Collection[int]
        if not self.state.dice:
            faces = (0,) * self.state.rules.dice
        elif not self.state.waiting:
            faces = self.state.dice
        else:
            faces = tuple(
                face if self.state.held >> slot & 1 else 0
                for slot, face in enumerate(self.state.dice)
            )
        deciding = ("decide",) if self.may_act else ("decide", "score")  # watchers see held dice
        if self.phase == "wait" and self.state.waiting:
            held = Hold(kept).places
        elif self.phase not in deciding:
            held = ()
        elif self.held is not None:
            held = self.held
        else:
            held = Hold(kept).places
        thrown = bool(self.state.dice) and not self.state.waiting
        best = self.coach.best if self.coach else None
        hinted = best.slots if best else ()
        lets_go = best is not None and not best.scores
        before = self.before if self.phase in {"roll", "wait"} else ()
        return [
            Die(
                slot,
                face,
                slot in held,
                thrown and not kept >> slot & 1,
                marked=slot in hinted,
                dropped=lets_go and slot not in hinted,
                past=before[slot] if before and not face else 0,
            )
            for slot, face in enumerate(faces)
        ]

    @property
    def arrangement(self) -> int:
        """The number of the pattern in which the dice lie on the tray; each roll changes it."""
        board = self.tray
        throw = board.seq - isinstance(board.last, Score)
        return crc32(f"{board.game.pk if board.game else ''} {throw}".encode()) % FALLS

    @cached_property
    def rows(self) -> list[Row]:
        state, coach, last = self.state, self.coach, self.last
        offered = {} if self.over else state.offers
        shown = {} if self.points_hidden else offered
        prices = coach.boxes if coach else {}
        # Mark boxes after a hint, while a question is open, or if the coach shows costs before
        # moves.
        best = {box for box, price in prices.items() if price.best}
        if coach and coach.best:
            best.add(coach.best.category)
        filled = last.category if isinstance(last, Score) else ""
        boxes = zip(
            state.rules.categories, labels.describe_boxes(state.rules), state.boxes, strict=True
        )
        return [
            Row(
                id=category.id,
                name=words.name,
                hint=words.hint,
                key=words.key,
                maximum=words.maximum,
                points=box.points if box else None,
                dice=box.dice if box else (),
                offer=shown.get(number),
                playable=self.may_act and number in offered,
                just_filled=category.id == filled,
                best=category.id in best,
                cost=prices[category.id].words if category.id in prices else "",
                price=prices[category.id].figure if category.id in prices else "",
            )
            for number, (category, words, box) in enumerate(boxes)
        ]

    @cached_property
    def upper(self) -> list[Row]:
        return [self.rows[number] for number in self.rules.upper]

    @cached_property
    def lower(self) -> list[Row]:
        return [row for number, row in enumerate(self.rows) if number not in self.rules.upper]

    @property
    def bonus_hint(self) -> str:
        return sentences.describe_bonus(self.state)

    @property
    def chips(self) -> Chips | None:
        state, joker = self.state, self.rules.joker
        if joker is None:
            return None
        offered = state.joker is not None and state.joker.chip > 0 and not self.points_hidden
        hint = sentences.describe_chips(state, joker, mentions_dice=not self.points_hidden)
        return Chips(labels.name_chip_bonus(joker), state.chips, hint, offered)

    @cached_property
    def joker(self) -> str:
        """The text about the boxes that a joker may fill; empty if the dice are no joker."""
        shown = self.may_act and not self.over and not self.points_hidden
        return sentences.explain_joker(self.state) if shown else ""

    @property
    def status(self) -> str:
        if self.outcome_words or self.phase == "wait":
            return self.outcome_words or self.waits
        status = sentences.describe_status(self.state, self.game, self.last, self.may_act)
        return phrases.keep_on_one_line(status)

    @cached_property
    def confirm(self) -> Row | None:
        return next((row for row in self.rows if self.doubted == Score(row.id)), None)

    @property
    def can_correct(self) -> bool:
        entered = self.real_dice and isinstance(self.last, Hold)
        return entered and self.may_act and self.phase in {"decide", "score"}

    @property
    def verdict_is_new(self) -> bool:
        """True from the judged move until the next roll."""
        state = self.state
        if self.real_dice and state.dice and not state.waiting:
            return False  # the typed dice are newer than the stored dice
        rolls = self.rules.throws + state.stock
        return not state.dice or state.waiting or state.throws_left < rolls - 1

    @property
    def roll_number(self) -> int:
        """The number of the current roll of the turn; 0 before the first roll."""
        return self.rules.throws + self.tray.state.stock - self.throws_left

    @property
    def own_left(self) -> int:
        """The rolls left in this turn. They do not include saved rolls, which are used last."""
        return self.throws_left - self.saved

    @property
    def earlier_rolls(self) -> tuple[Thrown, ...]:
        """The turn's earlier rolls: with saved rolls, only the last ``rules.throws`` of them."""
        return self.tray.earlier[-self.rules.throws :]

    @property
    def before_those(self) -> int:
        return len(self.tray.earlier) - len(self.earlier_rolls)

    @property
    def lower_left(self) -> list[Row]:
        """Lower boxes that a long card shows on the left, to make both columns equally long."""
        return self.lower[: max(0, len(self.lower) - len(self.upper) - 2) // 2]

    @property
    def lower_right(self) -> list[Row]:
        return self.lower[len(self.lower_left) :]

    @property
    def current_roll(self) -> int:
        """The number of the current roll, or 0 if ``earlier`` already includes this roll."""
        return self.roll_number if len(self.tray.earlier) < self.roll_number else 0

    @property
    def later_rolls(self) -> range:
        """The numbers of the rolls that are left in this turn, without saved rolls."""
        return range(self.roll_number + 1, self.rules.throws + 1)

    @cached_property
    def best(self) -> Ranked | None:
        """The coach's best option, or None if the viewer cannot play it now."""
        return self.coach.best if self.coach and self.may_act else None

    @property
    def waiting(self) -> Waiting | None:
        """The missing value tables that the coach or the end of the game needs, or None."""
        awaited = (part.waiting for part in (self.ending, self.coach) if part)
        return next(filter(None, awaited), None)

    @property
    def can_hold(self) -> bool:
        return self.may_act and self.phase == "decide" and self.doubted is None

    @property
    def hints_later(self) -> bool:
        gives = self.coach_level not in {Game.Coach.OFF, Game.Coach.ALERT}
        return gives and (self.game is None or bool(self.coach and self.coach.available))

    @property
    def game_name(self) -> str:
        return labels.find_ruleset_name(self.rules)

    @property
    def sheet(self) -> str:
        """An additional style sheet for a long card or saved rolls, or ""."""
        return "css/more.css" if self.lower_left or self.rules.stock else ""

    @property
    def choices(self) -> list[RulesChoice]:
        return list_rules_choices(self.rules, make_card_url)

    @property
    def hold_url(self) -> str:
        return self._make_address("game_hold")

    @property
    def score_url(self) -> str:
        return self._make_address("game_score")

    @property
    def hint_url(self) -> str:
        return self._make_address("game_hint")

    def _make_address(self, name: str) -> str:
        return make_game_address(name, self.game.pk) if self.game else ""

    @property
    def watch_url(self) -> str:
        watched = self.game is not None and self.kind.watched
        return reverse("watch", args=[self.kind.game.share_token]) if watched else ""

    @property
    def pages(self) -> Presentation:
        return load_pages(self.kind.mode)

    @property
    def rules_url(self) -> str:
        return make_rules_url(self.rules)

    @property
    def total_is_lower(self) -> bool:
        """True if the total is shown below the lower column, because that column is shorter."""
        return len(self.lower) + (2 if self.chips else 0) < len(self.upper) + 2

    @property
    def live_cost(self) -> str:
        slots = sum(1 << die.slot for die in self.dice if die.held)
        return self.coach.holds[slots] if self.coach and self.coach.holds else ""

    @property
    def live_costs(self) -> bool:
        return self.live_cost.startswith("−")

    @cached_property
    def verdict(self) -> Feedback | None:
        return self.coach.feedback if self.coach and self.phase != "over" else None

    @property
    def slip(self) -> Feedback | None:
        """The verdict in the tray; None while the tray shows another message."""
        return self.verdict if self.verdict and self.verdict.shown and not self.notes else None

    @cached_property
    def events(self) -> list[Event]:
        """The latest events, in order. The page reads each event aloud once, except events that are
        too unimportant for the player's setting (``read_out`` in ``coach.json``)."""
        events = [Event("question", self.message)]
        if not self.message:
            names = {"over": "end", "wait": "opponent", "roll": "box", "enter": "box"}
            kind = names.get(self.phase, "dice")
            events = [Event(kind, self.status, self.next_act), Event("moment", self._moment_text)]
            events += [Event("joker", self.joker), Event("guide", self.guide, "skip")]
        if self.verdict and self.verdict_is_new and not self.message:
            events.append(self.verdict.event)
        if self.ending and self.phase == "over":
            events += [moment for moment in self.ending.moments if moment.event in TABLE["events"]]
            events.append(Event("end", self.ending.headline, self.ending.way))
            events.append(Event("end", "" if self.ending.is_first else self.ending.points_lost))
        if self.target and (self.roll_number == (1 if self.seq == 1 else 0)):
            events.append(Event("target", self.target.aloud))
        if self.coach and self.seq == 1:
            events.append(Event("coach", self.coach.excuse))
        if self.best:
            events.append(Event("hint", say("best_is", option=self.best.label), "why"))
        return [event for event in events if event.says]

    @cached_property
    def notes(self) -> list[Event]:
        """The texts in the tray: a question and a hint, or else a joker or the guide."""
        heavy = [event for event in self.events if event.weight >= TABLE["read_out"]["answers"]]
        return heavy or [event for event in self.events if event.event in TABLE["noted"]]

    @property
    def events_json(self) -> str:
        return f"[{', '.join(event.json for event in self.events)}]"

    @cached_property
    def next_act(self) -> str:
        """The name of the text for the next move; "back" if the last box can be emptied."""
        if self.may_act and self.phase in {"decide", "score"} and not self.confirm:
            return "mark" if self.real_dice and self.phase == "decide" else self.phase
        return "back" if self.can_take_back and self.may_act and not self.real_dice else ""

    @property
    def _moment_text(self) -> str:
        """The text for equal dice, or for a box that brings the bonus; "" at other moments."""
        filled = next((row.points for row in self.upper if row.just_filled), None)
        state = self.state
        if state.bonus and filled and state.upper - filled < self.rules.bonus_threshold:
            return say("bonus", points=state.bonus)
        again = any(len(set(thrown.dice)) == 1 for thrown in self.earlier)
        if again or not (self.alike and any(die.fresh for die in self.dice)):
            return ""
        for box in self.rules.categories:
            if box.size == self.rules.dice and box.pattern == "of_a_kind":
                return say("all_alike", name=labels.find_category_name(box))
        return ""

    @property
    def alike(self) -> bool:
        faces = {die.face for die in self.dice}
        return len(faces) == 1 and 0 not in faces

    @property
    def typed_places(self) -> list[str]:
        """The keys of the dice that the player must type: all real dice that are not held."""
        return [die.key for die in self.dice if die.fresh or not die.face]

    @property
    def throws_made(self) -> list[bool]:
        """The dots on the roll button: for each roll of the turn, whether it has been made."""
        return [number < self.roll_number for number in range(self.rules.throws)]

    @cached_property
    def guide(self) -> str:
        """The text that guides a beginner's first turn; "" if pages show costs before each move."""
        led = self.newcomer and self.turn == 1 and self.may_act and not self.confirm
        led = led and self.coach_level != Game.Coach.LIVE
        return sentences.explain_step(self.phase, self.roll_number) if led else ""
