"""How a game begins: its dice are fixed and the first throw is made, or nothing happens."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import partial

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from game.coach.blinding import trial_runs
from game.coach.closing import closed_by
from game.fair import blocks, days, tickets
from game.fair.seeds import dice_in_play
from game.fair.tickets import Ticket
from game.judgement.tables import advisor
from game.lab.same_value import stored_test
from game.models import Game, Player
from game.selectors.games import (
    Played,
    game_begun,
    game_played,
    games,
    player_daily,
    player_open_rematch,
    player_open_solo,
)
from game.selectors.lab import lab_under_way
from game.selectors.trials import player_in_trial
from game.services.accounts import player_coach, player_create, player_ruleset
from game.services.playing import decision_append
from game.services.refusals import (
    InTrial,
    NoSuchGame,
    NoSuchRules,
    NoTable,
    NotUnderstood,
    NotYours,
    Refused,
)
from game.words import sentences
from solver.rules import RULESETS, Hold, start

# Begun from the page of another game: the card is opened, and its player throws.
OPENED = frozenset({Game.Mode.REMATCH, Game.Mode.LAB})


def game_start(
    *,
    player: Player | None,
    mode: str,
    nonce: str = "",
    of: str = "",
    ruleset: str = "",
    coach: str = "",
    day: date | None = None,
    lab_seed: int | None = None,
    lab_number: int | None = None,
    unranked: bool = False,
) -> Played:
    """Begin a game, or answer with the one that this very request began before.

    A visitor without a player becomes one here. ``nonce`` is the page's ticket, ``of`` the game
    that a rematch repeats, ``day`` the day that the page of a daily game showed. ``ruleset`` and
    ``coach`` are what the page asked for; without them they are the player's. ``lab_seed`` and
    ``lab_number`` name a block of the lab's dice.
    """
    if player is not None and player_in_trial(player):
        raise InTrial
    _check_rules(ruleset)
    match mode:
        case Game.Mode.SOLO:
            return _start_once(player, _redeem(nonce), partial(_deal_solo, ruleset, coach))
        case Game.Mode.DAILY:
            _check_day(day)
            return _start_once(player, _redeem(nonce), partial(_deal_daily, ruleset, unranked))
        case Game.Mode.REMATCH:
            return _start_rematch(player, of, coach)
        case Game.Mode.LAB if lab_seed is not None and lab_number is not None:
            return _start_lab(player, nonce, LabDice(ruleset, lab_seed, lab_number))
    raise NotUnderstood


def _redeem(signed: str) -> Ticket:
    try:
        return tickets.redeem(signed)
    except tickets.BadTicket as error:
        raise Refused(_("This card was laid out too long ago. Here is a new one.")) from error


def _start_once(
    player: Player | None, ticket: Ticket, deal: Callable[[Player | None, Ticket], Played]
) -> Played:
    """A ticket makes one game, however often and however simultaneously it is sent."""
    try:
        with transaction.atomic():
            owner = _player_lock(player)
            if found := game_begun(ticket.nonce):
                return _begun_before(found, player)
            return deal(owner, ticket)
    except IntegrityError:
        return _begun_before(Game.objects.get(nonce=ticket.nonce), player)


def _check_rules(ruleset: str) -> None:
    if ruleset and ruleset not in RULESETS:
        raise NoSuchRules


def _deal_solo(ruleset: str, coach: str, owner: Player | None, ticket: Ticket) -> Played:
    if under_way := player_open_solo(owner):
        raise Refused(sentences.under_way(under_way.rules))
    mode = Game.Mode.SOLO
    game = Game(mode=mode, seed=ticket.seed, nonce=ticket.nonce)
    return deal(owner, _coached(_ruled(game, owner, ruleset), owner, coach))


def _ruled(game: Game, owner: Player | None, ruleset: str) -> Game:
    """By the rules that the page asked for, else by the player's own."""
    game.ruleset = ruleset or (owner or Player()).ruleset
    if owner is not None and game.ruleset != owner.ruleset:
        player_ruleset(player=owner, ruleset=game.ruleset)
    return game


def _coached(game: Game, owner: Player | None, coach: str) -> Game:
    """The level that the page asked for, else the player's own; a day's game never has one.

    Nor has any while a trial closes the coach; what the player wishes stays as it was.
    """
    wishes = owner or Player()
    if closed_by() is not None:
        game.coach = Game.Coach.OFF
        return game
    game.coach, game.coach_threshold = wishes.coach, wishes.coach_threshold
    if coach and coach != game.coach:
        game.coach = coach
        if owner is not None:
            player_coach(player=owner, coach=coach)
    return game


def _deal_daily(ruleset: str, unranked: bool, owner: Player | None, ticket: Ticket) -> Played:
    """Every ruleset has a game of its own each day."""
    today = days.today()
    game = Game(mode=Game.Mode.DAILY, nonce=ticket.nonce, day=today, unranked=unranked)
    game.ruleset = ruleset or game.ruleset
    if found := player_daily(owner, today, game.rules):
        return game_played(found)
    game.seed = blocks.seed_of_day(today, game.ruleset)
    return deal(owner, game)


def _check_day(shown: date | None) -> None:
    if shown is not None and shown != days.today():
        raise Refused(_("A new day has begun while this page was open. Here are its dice."))


def _begun_before(game: Game, player: Player | None) -> Played:
    """The second click of a double click may come before the first one's cookie."""
    played = game_played(game)
    mine = player is not None and game.player_id == player.pk
    just_begun = player is None and game.player.user_id is None and len(played.actions) <= 1
    if not mine and not just_begun:
        raise Refused(_("These dice have been played already. Here is a new card."))
    return played


def _start_rematch(player: Player | None, of: str, coach: str) -> Played:
    with transaction.atomic():
        owner = _player_lock(player)
        original = games().filter(pk=of).first()
        if original is None:
            raise NoSuchGame
        if owner is None or original.player_id != owner.pk:
            raise NotYours
        if not original.over:
            raise Refused(_("Finish this game first: a rematch uses the same dice."))
        if not original.seed or trial_runs(original) or dice_in_play(original):
            raise Refused(_("The dice of this game cannot be played again."))
        if found := player_open_rematch(owner, original):
            return game_played(found)
        return deal(owner, _coached(_rematch(original), owner, coach))


def _rematch(original: Game) -> Game:
    return Game(
        mode=Game.Mode.REMATCH,
        ruleset=original.ruleset,
        seed=original.seed,
        day=original.day,
        rematch_of=original,
    )


@dataclass(frozen=True, slots=True)
class LabDice:
    """A block of the lab's dice; without rules those of a game of which nothing else is said."""

    ruleset: str
    seed: int
    number: int

    def game(self) -> Game:
        """Without a coach: these games are for comparison."""
        game = Game(mode=Game.Mode.LAB, lab_seed=self.seed, lab_number=self.number)
        game.ruleset = self.ruleset or game.ruleset
        return game


def _start_lab(player: Player | None, nonce: str, dice: LabDice) -> Played:
    """Whoever is playing these dice already goes on; only a new visitor needs a ticket for that."""
    if player is None:
        return _start_once(None, _redeem(nonce), partial(_deal_lab, dice))
    with transaction.atomic():
        return _deal_lab(dice, _player_lock(player), None)


def _deal_lab(dice: LabDice, owner: Player | None, ticket: Ticket | None) -> Played:
    game = dice.game()
    if owner is not None and (found := lab_under_way(owner, game.rules, dice.seed, dice.number)):
        return game_played(found)
    test = stored_test(dice.seed, game.rules)
    if test is None or not test.can_be_played(dice.number):
        raise NoSuchGame
    game.nonce = ticket.nonce if ticket else ""
    if advisor(game.rules) is None:
        raise NoTable
    return deal(owner, game)


def deal(owner: Player | None, game: Game) -> Played:
    """Lay out the card, and throw where that is what was asked for.

    Real dice are for the player to throw; dice that somebody had before wait for the first press.
    """
    game.player = owner or _newcomer(game)
    game.commitment = blocks.commitment(game.seed) if game.seed else ""
    game.started_at = timezone.now()
    game.save(force_insert=True)
    fresh = Played(game, (), start(game.rules), game.started_at)
    if game.real_dice or game.mode in OPENED:
        return fresh
    return decision_append(played=fresh, action=Hold(0))


def _newcomer(game: Game) -> Player:
    """A silent game, such as the day's, says nothing about the coach that its player wants."""
    coach = game.coach if game.mode == Game.Mode.SOLO else ""
    return player_create(coach=coach, ruleset=game.ruleset)


def _player_lock(player: Player | None) -> Player | None:
    """Two starts of one player wait for each other, so that neither overlooks the other's game."""
    if player is None:
        return None
    return Player.objects.select_for_update().filter(pk=player.pk).first()
