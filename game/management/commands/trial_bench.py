"""manage.py trial_bench: how long the export of a large trial takes, and how much memory."""

import hashlib
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from game.models import Consent, Decision, Game, Participant, Player, Trial
from game.selectors.dice import dice_of
from game.trials.design.writing import trial_create, trial_delete, trial_open
from solver.cli.output import progress_bar
from solver.rules import PLAYED, Action, Hold, Ruleset, Score, State, find_ruleset, play, start

MANAGE = Path(__file__).resolve().parents[3] / "manage.py"
COSTLY = 0.3  # of the decisions: those whose best choice the export has to work out


class Command(BaseCommand):
    help = (
        "Fill a trial with made-up games, time its export to CSV in a process of its own, and"
        " delete it again. Use an empty YATZY_VAR: a million decisions take 300 MB of database."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--participants", type=int, default=1000)
        parser.add_argument("--games", type=int, default=50, help="of each")
        parser.add_argument("--ruleset", choices=list(PLAYED), default=Trial().ruleset)

    def handle(
        self, *args: Any, participants: int, games: int, ruleset: str, **options: Any
    ) -> None:
        trial = _filled_trial(participants, games, find_ruleset(ruleset, PLAYED))
        try:
            rows = Decision.objects.filter(game__participant__trial=trial, roll__gt=0).count()
            seconds, peak = _export(trial.slug)
        finally:
            trial_delete(trial=trial)
        facts = {"decisions": rows, "seconds": round(seconds, 1), "peak_mb": round(peak)}
        self.stdout.write(json.dumps(facts))


def _export(slug: str) -> tuple[float, float]:
    """Seconds, and the most memory that a process of its own ever held, in MB."""
    with tempfile.TemporaryDirectory() as folder:
        out = f"--out={folder}/export"
        command = [sys.executable, str(MANAGE), "trial_export", slug, out, "--formats=csv"]
        began = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)  # noqa: S603
        seconds = time.perf_counter() - began
    return seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def _filled_trial(participants: int, games: int, rules: Ruleset) -> Trial:
    trial = trial_create(
        consent="Made up.",
        slug=f"bench-{timezone.now():%H%M%S}",
        title="Bench",
        places=participants,
        games_each=games,
        ruleset=rules.id,
        rehearsal=True,
    )
    trial_open(trial=trial)
    consent = trial.consents.get()
    chance = random.Random(1)  # noqa: S311
    with progress_bar("Making up games", quiet=False) as progress:
        for number, participant in enumerate(trial.participants.order_by("number"), start=1):
            _fill(participant, consent, games, chance)
            if progress:
                progress(number, participants)
    return trial


def _fill(participant: Participant, consent: Consent, games: int, chance: random.Random) -> None:
    participant.player, participant.consent = Player.objects.create(), consent
    participant.consented_at = timezone.now()
    participant.save()
    participant.agreements.create(consent=consent, at=participant.consented_at)
    made = [_game(participant, number) for number in range(1, games + 1)]
    decisions = [one for game in made for one in _decisions(game, chance)]
    Game.objects.bulk_create(made)
    Decision.objects.bulk_create(decisions)


def _game(participant: Participant, number: int) -> Game:
    seed = hashlib.sha256(f"{participant.code}:{number}".encode()).hexdigest()
    return Game(
        mode=Game.Mode.TRIAL,
        player=participant.player,
        participant=participant,
        trial_number=number,
        ruleset=participant.trial.ruleset,
        seed=seed,
        started_at=timezone.now(),
    )


def _decisions(game: Game, chance: random.Random) -> Iterator[Decision]:
    """Three throws a turn, and a box that gives the most; costs are made up."""
    state, block = start(game.rules), dice_of(game)
    while not state.finished:
        action = _action(state)
        yield _decision(game, state, action, chance)
        state = play(state, action, block)
    game.finished_at, game.final_score, game.bonus = timezone.now(), state.total, state.bonus
    game.chips = state.chips
    game.regret, game.luck = 20.0, state.total - 228.0


def _action(state: State) -> Action:
    if not state.dice:
        return Hold(0)
    if state.throws_left:
        wanted = max(state.dice, key=state.dice.count)
        return Hold(sum(1 << slot for slot, die in enumerate(state.dice) if die == wanted))
    offered = state.offers
    return Score(state.rules.categories[max(offered, key=lambda box: offered[box])].id)


def _decision(game: Game, state: State, action: Action, chance: random.Random) -> Decision:
    roll = state.throws_made
    seq = state.turn * (state.rules.throws + 1) + roll
    regret = chance.uniform(0.1, 5.0) if chance.random() < COSTLY else 0.0
    return Decision(
        game=game,
        seq=seq,
        turn=state.turn,
        roll=roll,
        hold=action.slots if isinstance(action, Hold) else None,
        category=action.category if isinstance(action, Score) else "",
        milliseconds=chance.randrange(500, 20_000),
        created_at=timezone.now(),
        best=200.0,
        value=200.0 - regret,
        regret=regret if state.dice else None,
        luck=chance.gauss(0, 5) if state.dice else None,
    )
