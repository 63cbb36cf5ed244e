"""What is answered: the options of positions, or the ledger of a game."""

from typing import Any

from game.api.parsing import Question, Record
from game.api.refusals import NoTable
from game.judgement.tables import advisor
from solver.advice import Advisor, Entry
from solver.rules import Hold, Ruleset, State
from solver.wire import advice_json, position_json


def advised(question: Question) -> dict[str, Any]:
    coach = advisor_of(question.rules)
    found = [
        advice_json(coach.advise(position, outlook=True), top=question.top)
        for position in question.positions
    ]
    return {"ruleset": question.rules.id, **(found[0] if question.single else {"answers": found})}


def advisor_of(rules: Ruleset) -> Advisor:
    coach = advisor(rules)
    if coach is None:
        raise NoTable(f"this server has no table of values for {rules.id}")
    return coach


def judged(rules: Ruleset, record: Record) -> dict[str, Any]:
    """``ledger`` and ``game`` are two ways to the same number: one by values, one by points."""
    coach, end = advisor_of(rules), record.end
    ledger = coach.ledger(record.moves)
    rest = coach.value(end.filled, end.upper, chips_won=end.chips_won)
    return {
        "ruleset": rules.id,
        "finished": end.finished,
        "entries": [
            entry_json(rules, entry, state)
            for entry, (state, _) in zip(ledger.entries, record.moves, strict=True)
        ],
        "totals": {
            "value_start": ledger.value_start,
            "luck": ledger.luck,
            "regret": ledger.regret,
            "points": end.points,
            "expected_rest": rest,
            "score": end.total if end.finished else None,
            "decisions": len(ledger.entries),
            "free_decisions": sum(not entry.forced for entry in ledger.entries),
        },
        "identity": {
            "ledger": ledger.score,
            "game": end.points + rest,
            "difference": ledger.score - (end.points + rest),
        },
    }


def entry_json(rules: Ruleset, entry: Entry, state: State) -> dict[str, Any]:
    return {
        "turn": entry.turn + 1,
        "throw": rules.throws - state.throws_left,
        "position": position_json(entry.position),
        **_action(rules, entry, state),
        "luck": entry.luck,
        "best": entry.best,
        "value": entry.value,
        "regret": entry.regret,
        "forced": entry.forced,
    }


def _action(rules: Ruleset, entry: Entry, state: State) -> dict[str, Any]:
    if isinstance(entry.action, Hold):
        return {"action": "hold", "dice": list(entry.action.kept(state.dice)), "points": 0}
    options = rules.score_options(state.filled, state.chips_won, state.dice)
    number = rules.index[entry.action.category]
    chosen = next(option for option in options if option.category == number)
    points = chosen.points + chosen.chip
    return {"action": "score", "category": entry.action.category, "points": points}
