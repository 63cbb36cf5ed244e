"""The API's answers: the options of each position, or the luck and the costs in a game."""

from typing import Any

from game.api.api_refusals import NoValues
from game.api.parsing import DEFAULT, AdviceQuestion, Record
from game.coach.reasons import make_verdict
from game.core.worth.tables import load_advisor, request_tables
from solver.advice import Advisor, Entry
from solver.advice.advising import advise_many
from solver.advice.wire import serialise_advice, serialise_position, serialise_ruleset
from solver.rules import PLAYED, Hold, Ruleset, State


def answer_question(question: AdviceQuestion) -> dict[str, Any]:
    coach = find_advisor(question.rules)
    if question.single:
        advice = coach.advise(question.positions[0], outlook=True)
        return {"ruleset": question.rules.id, **serialise_advice(advice, top=question.top)}
    listed = advise_many(coach, question.positions, top=question.top, outlook=True)
    return {
        "ruleset": question.rules.id,
        "answers": [serialise_advice(advice) for advice in listed],
    }


def find_advisor(rules: Ruleset) -> Advisor:
    coach = load_advisor(rules)
    if coach is None:
        is_coming = request_tables(rules).expected
        coming = "; the server is making it: try again in a minute" if is_coming else ""
        raise NoValues(f"this server has no value table for {rules.id}{coming}")
    return coach


def list_rulesets() -> dict[str, Any]:
    rulesets = [
        serialise_ruleset(rules) | {"dice": rules.dice, "stock": rules.stock}
        for rules in PLAYED.values()
    ]
    return {"default": DEFAULT.id, "rulesets": rulesets}


def judge_record(rules: Ruleset, record: Record) -> dict[str, Any]:
    """Return each decision's luck and cost, and their totals. ``identity`` shows that the totals
    are right: start value + luck - costs = points so far + value of the remaining game."""
    coach, end = find_advisor(rules), record.end
    ledger = coach.make_ledger(record.moves)
    value_left = coach.value(end.filled, end.upper, chips_won=end.chips_won, stock=end.stock)
    return {
        "ruleset": rules.id,
        "finished": end.finished,
        "entries": [
            format_entry(entry, state)
            for entry, (state, _) in zip(ledger.entries, record.moves, strict=True)
        ],
        "totals": {
            "value_start": ledger.value_start,
            "luck": ledger.luck,
            "regret": ledger.regret,
            "points": end.points,
            "chips": end.chips,
            "expected_rest": value_left,
            "score": end.total if end.finished else None,
            "decisions": len(ledger.entries),
            "free_decisions": sum(not entry.forced for entry in ledger.entries),
        },
        "identity": {
            "ledger": ledger.score,
            "game": end.points + value_left,
            "difference": ledger.score - (end.points + value_left),
        },
    }


def format_entry(entry: Entry, state: State) -> dict[str, Any]:
    action = entry.action
    chosen: dict[str, Any] = {"action": "hold", "dice": [], "category": "", "points": 0, "chip": 0}
    if isinstance(action, Hold):
        chosen["dice"] = list(action.kept(state.dice))
    else:
        scored = state.find_option(action.category)
        points, chip = (scored.points, scored.chip) if scored else (0, 0)
        chosen |= {"action": "score", "category": action.category}
        chosen |= {"points": points + chip, "chip": chip}
    return {
        "turn": entry.turn + 1,
        "throw": state.throws_made,
        "position": serialise_position(entry.position),
        **chosen,
        "luck": entry.luck,
        "best": entry.best,
        "value": entry.value,
        "regret": entry.regret,
        "forced": entry.forced,
        "event": make_verdict(entry.regret, "" if entry.forced else None).as_json(),
    }
