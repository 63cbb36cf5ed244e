"""A duel as one viewer sees it: every player's card, as far as this viewer may see it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import zip_longest

from django.urls import reverse
from django.utils.translation import gettext as _

from game.core.words import labels, phrases
from game.core.words import opponent_words as characters
from game.core.words.equation import LEDGER
from game.core.words.sentences import Event
from game.core.worth.tables import find_value_start
from game.duels import duel_words as words
from game.duels.duel_queries import (
    DuelStanding,
    SeatLedger,
    list_ledgers,
    list_turn_regrets,
)
from game.duels.record_board import RecordLine, build_player_standing
from game.models import Duel, DuelSeat, Player
from game.pages.board.board import Board, TrayGuest
from solver.advice import is_mistake
from solver.rules import Action, Box, Score, State, start_state


@dataclass(frozen=True, slots=True)
class SeenDie:
    face: int  # 0 before the roll, or if the viewer may not see the die
    held: bool


@dataclass(frozen=True, slots=True)
class SeatView:
    number: int
    name: str
    mine: bool
    bot: bool
    present: bool
    state: str  # free, plays, fixed (holds dice and waits for the others), played, waits or left
    face: str
    exit: str = ""
    total: int = 0
    news: str = ""  # the box that the player in this seat filled last
    throw: int = 0
    dice: tuple[SeenDie, ...] = ()
    seconds: int | None = None
    ticking: bool = False
    place: int | None = None
    outcome: str = ""
    start: str = ""  # value of perfect play, in the equation score = start + luck - mistakes
    luck: str = ""
    mistakes: str = ""
    review: str = ""
    short: str = ""  # short name, for the head of a column
    turns: int = 0  # number of turns that the viewer may see
    time_left: str = ""  # time left for a move, in a duel without clocks
    greeting: str | None = None  # the last greeting; None if the viewer may see none

    @property
    def event(self) -> Event | None:
        facts = {"turns": self.turns, "number": self.number}
        return Event("opponent", f"{self.name}: {self.news}", facts=facts) if self.news else None

    @property
    def clock(self) -> str:
        seconds = self.seconds or 0
        return f"{seconds // 60}:{seconds % 60:02}"


@dataclass(frozen=True, slots=True)
class CardLine:
    """A box of the scorecard, with a column of points per player; None stands for an open box."""

    name: str
    points: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class SeatTurn:
    """The box that a player filled in a turn, and the points that the turn lost ("" if none)."""

    box: str
    points: int
    lost: str


@dataclass(frozen=True)
class DuelView:
    duel: Duel
    seats: Sequence[SeatView]
    upper: Sequence[CardLine] = ()
    bonus: Sequence[int] = ()
    lower: Sequence[CardLine] = ()
    chips: CardLine | None = None
    status: str = ""
    verdict: str = ""
    board: Board | None = None
    tray: Board | None = None  # the dice of the player whose turn it is, for viewers without a card
    rematch: str = ""  # address of the rematch, if a player has created one
    decided: Sequence[words.DuelReason] = ()
    turns: Sequence[Sequence[SeatTurn | None]] = ()  # turns of every seat, when the duel is over
    records: Collection[RecordLine] = ()  # records against each player, when the duel is over
    may_call_off: bool = False
    claim: tuple[str, str] | None = None  # the text, and the label of its button

    @property
    def end(self) -> Event:
        return Event("end", self.verdict)

    @property
    def game_name(self) -> str:
        return labels.find_ruleset_name(self.duel.rules)

    @property
    def title(self) -> str:
        outcome = self.mine.outcome if self.mine else ""
        outcome = "off" if self.duel.state == "withdrawn" else outcome
        return words.format_title(self.game_name, outcome)

    @property
    def people(self) -> int:
        return sum(not seat.bot for seat in self.seats)

    @property
    def setting(self) -> str:
        return words.describe_pace(self.duel, self.people)

    @property
    def warning(self) -> str:
        alone = self.duel.lockstep or self.people < 2  # rolls wait for all, or against bots only
        if alone or self.duel.finished_at:
            return ""
        return _(
            "Players set their own pace, so anyone who plays later could already know the dice."
        )

    @property
    def free(self) -> int:
        return sum(seat.state == "free" for seat in self.seats)

    @property
    def mine(self) -> SeatView | None:
        return next((seat for seat in self.seats if seat.mine), None)

    @property
    def may_leave(self) -> bool:
        mine = self.mine
        if mine is None or mine.state == "left":
            return False
        if self.duel.state == "running":
            return self.board is not None and self.board.phase != "over"
        return self.duel.state == "open"

    @property
    def greetings(self) -> Sequence[tuple[str, object]]:
        """The values and labels of the greetings that the viewer may send."""
        mine = self.mine
        silent = mine is None or mine.greeting is None or mine.state == "left"
        return () if silent or self.duel.withdrawn_at else DuelSeat.Greeting.choices

    @property
    def may_act(self) -> bool:
        return self.board is not None and self.board.phase not in {"wait", "over"}


def build_challenge_view(
    duel: Duel, seats: Sequence[DuelSeat], viewer: Player | None, present: Collection[int]
) -> DuelView:
    """Return a duel that has not begun: ``present`` are the seats with an open page."""
    bots = [seat.number for seat in seats if seat.player and seat.player.bot]
    shown = [
        SeatView(
            number=seat.number,
            name=labels.format_player(seat.player) if seat.player else "",
            mine=viewer is not None and seat.player_id == viewer.pk,
            bot=seat.number in bots,
            present=seat.number in [*bots, *present],
            state="waits" if seat.player else "free",
            face=characters.find_player_face(seat.player),
        )
        for seat in seats
    ]
    return DuelView(duel, shown)


@dataclass(frozen=True)
class Onlooker:
    """A viewer of a running or finished duel, with the messages that only this viewer gets."""

    player: Player | None
    now: datetime
    present: Collection[int] = ()
    held: Collection[int] | None = None
    message: str = ""
    confirm: Action | None = None


def build_duel_view(shown: DuelStanding, onlooker: Onlooker) -> DuelView:
    """Return a duel that has begun, with only what this viewer may see."""
    me = shown.find_place(onlooker.player)
    turns = shown.count_visible_turns(me)
    states = [
        sitting.played.state if place == me and sitting.played else sitting.find_state_after(turns)
        for place, sitting in enumerate(shown.sittings)
    ]
    seats = _list_seats(shown, onlooker, me, states)
    if not shown.finished:
        ends = []
    else:
        ends = [
            words.SeatEnd(seat.name, seat.total, sitting.seat.exit, ledger.luck, ledger.regret)
            for seat, sitting, ledger in zip(
                seats, shown.sittings, list_ledgers(shown), strict=True
            )
        ]
    verdict = _describe_end(shown, ends, me)
    rules, known = shown.duel.rules, [state.boxes if state else () for state in states]
    playing = ", ".join(seat.name for seat in seats if seat.state == "plays")
    turn = {"turn": shown.rounds.round + 1, "turns": shown.rounds.turns, "names": playing}
    guest = None  # the first player who is playing and whose dice the viewer may see
    for seat, sitting, state in zip(seats, shown.sittings, states, strict=True):
        played = sitting.played
        if seat.state == "plays" and played and state and state.dice:
            board = Board(state, actions=played.actions, game=played.game, earlier=played.thrown)
            guest = TrayGuest(seat.name, seat.face, board)
            break
    again = getattr(shown.duel, "rematch", None)
    lines = [
        CardLine(
            labels.find_category_name(box), tuple(_find_points(boxes, number) for boxes in known)
        )
        for number, box in enumerate(rules.categories)
    ]
    return DuelView(
        duel=shown.duel,
        seats=seats,
        upper=[lines[number] for number in rules.upper],
        bonus=[state.bonus if state else 0 for state in states],
        lower=[line for number, line in enumerate(lines) if number not in rules.upper],
        chips=CardLine(
            labels.name_chip_bonus(rules.joker),
            tuple(state.chips if state else 0 for state in states),
        )
        if rules.joker
        else None,
        status="" if shown.closed else _("Turn %(turn)s of %(turns)s: %(names)s to play.") % turn,
        verdict=verdict,
        board=_make_board(shown, me, onlooker, verdict, guest),
        # The tray stays when nobody can roll, so that the page does not jump.
        tray=None if me is not None or shown.finished else Board(start_state(rules), guest=guest),
        rematch=reverse("duel", args=[again.token]) if again else "",
        decided=words.list_reasons(ends, me),
        turns=_list_seat_turns(shown) if shown.finished else (),
        records=_list_records(shown, me),
        may_call_off=me is not None
        and shown.has_moves_left(me)
        and not shown.rounds.courses[me].turns,
        claim=_offer_claim(shown, me, onlooker.now),
    )


def _list_records(shown: DuelStanding, me: int | None) -> Collection[RecordLine]:
    """Return the viewer's wins and losses against each other player; empty before the end."""
    mine = shown.sittings[me].seat.player if me is not None else None
    if mine is None or not shown.finished:
        return []
    players = [sitting.seat.player for sitting in shown.sittings]
    others = [player for player in players if player is not None and player.pk != mine.pk]
    return build_player_standing(mine, shown.duel.rules, others).lines if others else []


def _list_seat_turns(shown: DuelStanding) -> list[tuple[SeatTurn | None, ...]]:
    """Return a row per turn with a cell per player: None without a card, or after leaving."""
    columns = []
    for sitting, losses in zip(shown.sittings, list_turn_regrets(shown), strict=True):
        played, column = sitting.played, list[SeatTurn]()
        scored = (
            [action for action in played.actions if isinstance(action, Score)] if played else []
        )
        for turn, action in enumerate(scored):
            number = shown.duel.rules.index[action.category]
            name = labels.find_category_name(shown.duel.rules.categories[number])
            cost = losses.get(turn, 0.0)
            price = phrases.format_deduction(cost) if is_mistake(cost) else ""
            points = _find_points(played.state.boxes, number) if played else 0
            column.append(SeatTurn(name, points or 0, price))
        columns.append(column)
    return list(zip_longest(*columns))


def _describe_end(shown: DuelStanding, ends: Sequence[words.SeatEnd], me: int | None) -> str:
    """Return how the duel ended. Until then, return a sentence for a viewer who left, or ""."""
    if shown.called_off:
        numbered = enumerate(shown.sittings)
        place = next((n for n, sitting in numbered if sitting.seat.exit == DuelSeat.Exit.OFF), None)
        name = (
            labels.name_deleted_player()
            if place is None
            else find_seat_name(shown.sittings[place].seat)
        )
        if place is not None and place == me:
            return _("You called this duel off. No one wins or loses.")
        return _("%(name)s called this duel off. No one wins or loses.") % {"name": name}
    left = shown.sittings[me].seat.exit if me is not None else ""
    if not shown.finished and left == DuelSeat.Exit.TIME:
        return _("Your time ran out: you lost, and the other players go on.")
    if not shown.finished:
        return _("You gave up: the other players go on.") if left else ""
    return (
        words.describe_deleted_card()
        if shown.forgotten and not left
        else words.describe_end(ends, me)
    )


def _list_seats(
    shown: DuelStanding, onlooker: Onlooker, me: int | None, states: Sequence[State | None]
) -> list[SeatView]:
    """Return every seat's view; ``states`` are the cards as far as the viewer may see them."""
    # Luck and mistakes stay hidden until the end.
    sums = list_ledgers(shown) if shown.finished else [SeatLedger()] * len(shown.sittings)
    value = find_value_start(shown.duel.rules) if shown.finished else None
    alone = sum(not sitting.bot for sitting in shown.sittings) < 2
    quiet = alone or (onlooker.player is not None and not onlooker.player.greetings)
    seats = []
    for place, (sitting, state) in enumerate(zip(shown.sittings, states, strict=True)):
        seconds = shown.rounds.find_time_left(place, onlooker.now)
        plays = shown.may_play(place)
        faces = state.dice if state and state.dice else (0,) * shown.duel.rules.dice
        held = state.held if state and state.dice else 0
        # The others may continue without this player when the time for a move is over.
        until = None if shown.closed else shown.rounds.find_patience_end(place)
        waited_for = not sitting.bot and len(shown.rounds.people) > 1
        game = sitting.seat.game
        is_reviewable = shown.finished and game is not None and game.finished_at is not None
        if state is None or sitting.played is None or not state.turn:
            last = ""
        else:
            scored = [action for action in sitting.played.actions if isinstance(action, Score)]
            number = state.rules.index[scored[state.turn - 1].category]
            box = state.boxes[number]
            name = labels.find_category_name(state.rules.categories[number])
            last = f"{name} {box.points if box else 0}"
        if sitting.course.left_at is not None:
            status = "left"
        elif plays:
            status = "plays"
        elif shown.finished or sitting.course.turns > shown.rounds.round:
            status = "played"
        else:
            status = "waits" if sitting.course.bot or shown.closed else "fixed"
        total = state.total if state else 0
        printed = words.SeatEnd("", total, "", sums[place].luck, sums[place].regret).equation
        adds_up = printed is not None and value is not None and abs(printed.start - value) < LEDGER
        seats.append(
            SeatView(
                number=sitting.seat.number,
                name=find_seat_name(sitting.seat),
                mine=place == me,
                bot=bool(sitting.bot),
                present=sitting.seat.number in onlooker.present or bool(sitting.bot),
                state=status,
                exit=str(DuelSeat.Exit(sitting.seat.exit).label) if sitting.seat.exit else "",
                total=total,
                news=last,
                throw=state.throws_made if state and state.dice else 0,
                dice=tuple(SeenDie(face, bool(held >> n & 1)) for n, face in enumerate(faces))
                if plays
                else (),
                seconds=None if seconds is None else max(0, int(seconds.total_seconds())),
                ticking=plays and seconds is not None,
                place=shown.places[place],
                outcome=shown.find_outcome(place) or "",
                start=printed.start_words if printed and adds_up else "",
                luck=printed.luck_words if printed else "",
                mistakes=printed.lost_words if printed else "",
                review=reverse("review_shared", args=[game.share_token])
                if game and is_reviewable
                else "",
                face=characters.find_player_face(sitting.seat.player),
                short=labels.shorten_player(sitting.seat.player) if sitting.seat.player else "–",
                turns=state.turn if state else 0,
                time_left=words.format_time_left(until, onlooker.now)
                if until and waited_for
                else "",
                greeting=None if sitting.bot or quiet else sitting.seat.get_greeting_display(),
            )
        )
    return seats


def _find_points(boxes: Sequence[Box | None], number: int) -> int | None:
    box = boxes[number] if boxes else None
    return box.points if box else None


def _make_board(
    shown: DuelStanding, me: int | None, onlooker: Onlooker, verdict: str, guest: TrayGuest | None
) -> Board | None:
    """Return the board on which the viewer plays, or None if the viewer has no card."""
    played = shown.sittings[me].played if me is not None else None
    if me is None or played is None:
        return None
    waits, rounds = "", shown.rounds
    if not shown.closed and not shown.may_play(me):
        awaited = [shown.sittings[place].seat for place in rounds.list_awaited_seats(me)]
        text = _("Your hold is set. Waiting for %(names)s.")
        if rounds.courses[me].turns > rounds.round:
            text = _("You have played this turn. Waiting for %(names)s.")
        waits = text % {"names": ", ".join(map(find_seat_name, awaited))}
    return Board(
        played.state,
        actions=played.actions,
        game=played.game,
        may_act=True,
        held=onlooker.held,
        message=onlooker.message,
        doubted=onlooker.confirm,
        waits=waits,
        outcome=shown.find_outcome(me) or "",
        outcome_words=verdict,
        earlier=played.thrown,
        before=played.last.state.dice if played.last else (),
        guest=guest if waits else None,
    )


def find_seat_name(seat: DuelSeat) -> str:
    return labels.format_player(seat.player) if seat.player else labels.name_deleted_player()


def _offer_claim(shown: DuelStanding, me: int | None, now: datetime) -> tuple[str, str] | None:
    """Return a text and a button label to continue the duel without late players, or None."""
    overdue = shown.rounds.list_late_seats(now)
    if not overdue or me is None or me in overdue or not shown.has_moves_left(me):
        return None
    names = ", ".join(find_seat_name(shown.sittings[place].seat) for place in overdue)
    label = _("Go on without %(names)s") % {"names": names}
    if len(shown.rounds.staying) - len(overdue) == 1:
        label = _("Claim the win")
    return _("%(names)s ran out of time for a move.") % {"names": names}, label
