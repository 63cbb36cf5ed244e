"""Games of players who err, stored as if they had been played by the pages."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from random import Random

import numpy as np

from game.core.fair import blocks
from game.core.judging import make_judgement_columns, set_totals
from game.models import Decision, Game, Player
from solver.advice import Advisor
from solver.arena.match import make_block_roller, play_out
from solver.players.agent import Agent
from solver.players.erring import Erring
from solver.rules import Hold, Score

START = datetime(2026, 5, 1, tzinfo=UTC)


def store_games(
    player: Player, advisor: Advisor, count: int, agent: Agent | None = None, seed: int = 1
) -> list[Game]:
    random, rng = Random(seed), np.random.default_rng(seed)
    agent = agent or Erring(advisor, rate=1.0, temperature=0.9)
    stored = [_game(player, advisor, agent, day, random, rng) for day in range(count)]
    Game.objects.bulk_create(game for game, _ in stored)
    Decision.objects.bulk_create(decision for _, made in stored for decision in made)
    return [game for game, _ in stored]


def _game(
    player: Player,
    advisor: Advisor,
    agent: Agent,
    day: int,
    random: Random,
    rng: np.random.Generator,
) -> tuple[Game, Sequence[Decision]]:
    rules, when = advisor.rules, START + timedelta(days=day)
    game = Game(player=player, ruleset=rules.id, seed=random.randbytes(32).hex())
    match = play_out(agent, rules, make_block_roller(blocks.block(game.seed, rules)), rng)
    made = []
    for seq, (state, action) in enumerate(match.moves):
        entry = advisor.entry(state, action) if state.dice else None
        made.append(
            Decision(
                game=game,
                seq=seq,
                turn=state.turn,
                roll=rules.throws - state.throws_left,
                hold=action.slots if isinstance(action, Hold) else None,
                category=action.category if isinstance(action, Score) else "",
                created_at=when,
                **make_judgement_columns(entry),
            )
        )
    game.started_at = game.finished_at = when
    game.final_score, game.bonus = match.end.total, match.end.bonus
    set_totals(game, [one for one in made if one.regret is not None])
    return game, made
