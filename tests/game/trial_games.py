"""Finished games of a trial in a moment: played by bots, stored row by row as the services do."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from random import Random
from typing import Any, NamedTuple

from game.core.fair import blocks
from game.core.game_queries import Played
from game.core.playing import fill_box, hold_dice
from game.core.throwing import enter_roll
from game.models import Decision, Game, Throw
from game.trials.joining.writing import start_trial_game
from game.trials.models import Participant, Trial, TrialGame
from solver.advice import Advisor
from solver.advice.advisor import Entry
from solver.players.erring import Bot, make_bots
from solver.rules import Action, Hold, Score, State, play, start_state
from solver.rules.dice import FACES
from solver.rules.game import Block
from tests.trials import joined

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


class Taken(NamedTuple):
    """A decision, what was before it and after it, and its line of the ledger if it was one."""

    before: State
    action: Action
    after: State
    entry: Entry | None


_known: dict[tuple[Any, ...], tuple[list[Taken], tuple[Any, ...]]] = {}


def play_all(trial: Trial, advisor: Advisor, games: int = 0, seed: int = 1) -> list[Game]:
    people = [joined(trial, number) for number in range(1, trial.places + 1)]
    each = games or trial.games_each
    return [
        played_out(participant, bot, advisor, number)
        for participant, bot in zip(people, make_bots(trial.places, seed), strict=True)
        for number in range(1, each + 1)
    ]


def played_out(participant: Participant, bot: Bot, advisor: Advisor, number: int) -> Game:
    """The same dice in every run, whatever the trial's own secret is."""
    trial = participant.trial
    whose = "" if trial.shared_dice else participant.label
    dealt = sha256(f"{trial.slug}:{whose}:{number}".encode()).hexdigest()
    game = Game(player=participant.player, mode=Game.Mode.TRIAL)
    game.ruleset = trial.ruleset
    game.real_dice, game.started_at = trial.real_dice, NOW
    game.seed = "" if trial.real_dice else dealt
    game.save(force_insert=True)
    TrialGame.objects.create(game=game, participant=participant, number=number)
    taken = _taken(bot, advisor, dealt, number)
    _store(game, taken)
    _finish(game, taken[-1].after)
    return game


def _taken(bot: Bot, advisor: Advisor, dealt: str, number: int) -> list[Taken]:
    """The game's decisions. Who plays it again, with the luck that was had then, does the same."""
    asked = advisor, type(bot), bot.temperature, bot.random.getstate(), dealt, number
    if asked not in _known:
        taken = list(_played(bot, advisor, blocks.block(dealt, advisor.rules), number))
        _known[asked] = taken, bot.random.getstate()
    taken, luck = _known[asked]
    bot.random.setstate(luck)
    return taken


def _played(bot: Bot, advisor: Advisor, block: Block, number: int) -> Iterator[Taken]:
    state = start_state(advisor.rules)
    while not state.finished:
        action = bot.choose(advisor, state, number) if state.dice else Hold(0)
        before, state = state, play(state, action, block)
        entry = advisor.entry(before, action) if before.dice else None
        yield Taken(before, action, state, entry)


def _store(game: Game, taken: Iterable[Taken]) -> None:
    decisions, throws = [], []
    for seq, one in enumerate(taken):
        decisions.append(_decision(game, seq, one))
        if game.real_dice and isinstance(one.action, Hold):
            faces = "".join(map(str, one.after.dice))
            throws.append(Throw(game=game, seq=seq, number=0, faces=faces, created_at=NOW))
    Decision.objects.bulk_create(decisions)
    Throw.objects.bulk_create(throws)


def _decision(game: Game, seq: int, taken: Taken) -> Decision:
    before, action, _, entry = taken
    row = Decision(game=game, seq=seq, turn=before.turn, created_at=NOW, milliseconds=1500)
    row.roll = before.throws_made
    row.hold = action.slots if isinstance(action, Hold) else None
    row.category = action.category if isinstance(action, Score) else ""
    if entry is not None:
        row.best, row.value, row.regret = entry.best, entry.value, entry.regret
        row.luck, row.forced = entry.luck, entry.forced
    return row


def _finish(game: Game, state: State) -> None:
    judged = [row for row in game.decisions.all() if row.regret is not None]
    game.finished_at, game.final_score, game.bonus = NOW, state.total, state.bonus
    game.chips = state.chips
    game.regret = sum(row.regret or 0.0 for row in judged)
    game.luck = sum(row.luck or 0.0 for row in judged)
    game.free_decisions = sum(not row.forced for row in judged)
    game.save()


# Games that the services play at random: some of it well, most of it badly


def play_game(participant: Participant, seed: int = 1, turns: int = 0) -> Game:
    random = Random(seed)
    played = start_trial_game(participant=participant)
    while played.state.turn < (turns or len(played.state.boxes)):
        played = _turn(played, random)
    return Game.objects.get(pk=played.game.pk)


def play_sixes(participant: Participant, boxes: Sequence[str]) -> Game:
    """Real dice that show nothing but sixes, written down after every first throw."""
    played = start_trial_game(participant=participant)
    for box in boxes:
        game, player, seq = played.game, played.game.player, len(played.actions)
        enter_roll(game_id=game.pk, player=player, seq=seq, entries=played.entries, faces=[6] * 5)
        played = fill_box(game_id=game.pk, player=player, seq=seq + 1, category=box, confirmed=True)
    return played.game


def _turn(played: Played, random: Random) -> Played:
    if not played.state.dice:
        played = _throw(played, 0, random)
    rules = played.state.rules
    for _ in range(random.randrange(played.state.throws_left + 1)):
        played = _throw(played, random.randrange(1 << rules.dice), random)
    allowed = list(played.state.offers)
    box = rules.categories[random.choice(allowed)].id
    return fill_box(
        game_id=played.game.pk,
        player=played.game.player,
        seq=len(played.actions),
        category=box,
        confirmed=True,
    )


def _throw(played: Played, slots: int, random: Random) -> Played:
    """Hold and throw; real dice are typed in, now and then wrong at first. Of all that are held
    nothing is typed."""
    game, player, seq = played.game, played.game.player, len(played.actions)
    if played.state.dice or not game.real_dice:
        played = hold_dice(game_id=game.pk, player=player, seq=seq, slots=slots)
    if not game.real_dice or slots == game.rules.cup.every_slot:
        return played
    for correction in [False, *[True] * random.randrange(2)]:
        faces = [random.randrange(FACES) + 1 for _ in range(game.rules.dice - slots.bit_count())]
        played = enter_roll(
            game_id=game.pk,
            player=player,
            seq=len(played.actions),
            entries=played.entries,
            faces=faces,
            correction=correction,
        )
    return played
