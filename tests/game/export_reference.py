"""The rows that an export should have, replayed by the rules decision by decision.

Slow, and written without the export's own code, which is checked against it. A column that is not
named here is not checked here.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import zip_longest
from pathlib import Path

from django.utils import timezone

from game.core.game_dice import list_shown_dice
from game.core.worth.tables import load_advisor
from game.models import Decision, DrillAttempt, Game
from game.trials.design.phases import derive_list_seed, draw_condition, list_games
from game.trials.design.reading import build_design
from game.trials.exports.tables import Standing
from game.trials.files.export_table import FORMATS, Cell
from game.trials.models import Answer, Participant, Trial
from game.trials.questions.questionnaire import Item
from game.trials.questions.reading import load_questionnaire
from game.trials.reading import query_games_of
from solver.advice import Advisor, find_position
from solver.dp.space import TIE
from solver.rules import Hold, State, replay, replay_actions
from tests.game.table_readers import read_table, to_the_millisecond

Named = dict[str, Cell]
SUMS = ("score", "bonus", "chips", "regret", "luck", "free_decisions")


def every_fault(trial: Trial, folder: Path) -> list[str]:
    faults, standing = [], Standing(trial, timezone.now())
    for table in standing.tables:
        wanted = [
            tuple(to_the_millisecond(c) if isinstance(c, datetime) else c for c in row)
            for row in standing.rows(table)
        ]
        paths = [folder / f"{table.name}.{form}" for form in FORMATS]
        for path in (path for path in paths if path.exists()):
            pairs = enumerate(zip_longest(wanted, read_table(table, path)), 1)
            faults += [
                f"{path.name}: row {number}: {pair}" for number, pair in pairs if len({*pair}) > 1
            ]
    described = json.loads((folder / "dataset_description.json").read_text(encoding="utf-8"))
    named = {part["name"] for part in described["hasPart"]}
    there = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    faults += [f"{name} is not both there and named" for name in named ^ there]
    return [*faults, *differences(trial)]


def differences(trial: Trial) -> Iterator[str]:
    standing = Standing(trial, timezone.now())
    for table in standing.tables:
        if table.name in {"codebook", "flow"}:  # rebuild.py counts people anew
            continue
        rows = [dict(zip(table.names, row, strict=True)) for row in standing.rows(table)]
        for number, (row, wanted) in enumerate(zip_longest(rows, ROWS[table.name](trial)), 1):
            if row is None or wanted is None or row | wanted != row:
                yield f"{table.name}: row {number} is {row} instead of {wanted}"


def people(trial: Trial) -> list[Participant]:
    everybody = trial.participants.order_by("number")
    return [one for one in everybody if one.consent_id and not one.withdrawn_at]


def games_of(trial: Trial) -> Iterator[Game]:
    for one in people(trial):
        yield from query_games_of(one).order_by("trial_game__number")


def _participants(trial: Trial) -> Iterator[Named]:
    for one in people(trial):
        games = list(query_games_of(one))
        finished = sum(game.finished_at is not None for game in games)
        asked = {"experience", "last_played", "strategy"} if one.answered_at else set()
        if one.experience and not one.strategy:
            asked.discard("strategy")  # it comes after the games
        answers: Named = {}
        for name in ("experience", "last_played", "strategy"):
            reached = name in asked or not trial.questionnaire
            answers[name] = getattr(one, name) or None if reached else "not_reached"
        outcome: Named = {} if one.recruited else {"outcome": None}
        if one.recruited and finished == one.games_planned and one.screened_out_at is None:
            outcome = {"outcome": "complete"}
        yield {
            "participant": one.label,
            "bot": trial.rehearsal,
            "consent_version": one.consent.version if one.consent else None,
            "consented_at": one.consented_at,
            "answered_at": one.answered_at,
            **answers,
            **_assigned(one),
            "drill_attempts": DrillAttempt.objects.filter(card__player=one.player).count(),
            "screened_out_at": one.screened_out_at,
            **outcome,
            "shared_browser": any(event.kind == "shared" for event in one.events.all()),
            "games_finished": finished,
            "games_unfinished": len(games) - finished,
        }


def _assigned(one: Participant) -> Named:
    """The arm from the sealed list anew, not from what was stored."""
    trial = one.trial
    if one.draw is None:
        none = dict.fromkeys(("arm", "arm_order", "stratum", "draw", "assigned_at"))
        return {**none, "games_planned": trial.games_planned}
    arms = list(trial.arms.order_by("position"))
    design = build_design(trial)
    drawn = draw_condition(derive_list_seed(trial.seed), one.draw, design.conditions)
    order = design.find_arm_order(drawn)
    names = [arms[place].name for place in order]
    return {
        "arm": names[0],
        "arm_order": " ".join(names),
        "stratum": one.stratum or None,
        "draw": one.draw,
        "assigned_at": one.assigned_at,
        "games_planned": len(list_games(design, order)),
    }


def _arms(trial: Trial) -> Iterator[Named]:
    for arm in trial.arms.order_by("position"):
        given = [one for one in trial.participants.all() if one.arm_id == arm.pk]
        yield {
            "arm": arm.name,
            "position": arm.position,
            "coach": arm.coach,
            "offered_points": arm.offered_points,
            "drill": arm.drill,
            "ruleset": arm.ruleset or trial.ruleset,
            "dice": arm.dice or trial.dice,
            "shared_dice": trial.shared_dice if arm.shared_dice is None else arm.shared_dice,
            "games_training": arm.games_each or trial.games_each,
            "given": len(given),
            "withdrawn": sum(one.withdrawn_at is not None for one in given),
        }


def _consents(trial: Trial) -> Iterator[Named]:
    for one in people(trial):
        for agreement in one.agreements.order_by("at"):
            version = agreement.consent.version
            yield {"participant": one.label, "version": version, "agreed_at": agreement.at}


def _answers(trial: Trial) -> Iterator[Named]:
    """Judged by the file anew: whether it is a number, and whether it passed."""
    for one in people(trial):
        for answer in one.answers.order_by("pk"):
            item = _item(trial, answer)
            question = item.question
            check = "screening" if question.screens_out else None
            if answer.key in question.expected:
                check = "rules" if question.right else "attention"
            yield {
                "participant": one.label,
                "key": answer.key,
                "moment": answer.moment,
                "game": answer.game if answer.moment == "between" else None,
                "value": answer.value if answer.state == "answered" else None,
                "number": _number(item, answer),
                "state": answer.state,
                "passed": answer.value in item.expected if item.expected else None,
                "check": check,
                "tries": answer.tries,
                "seconds": answer.seconds,
                "answered_at": answer.at,
                "page_finished": answer.page_finished,
            }


def _answers_wide(trial: Trial) -> Iterator[Named]:
    asked = load_questionnaire(trial)
    for one in people(trial):
        for game in sorted(set(one.answers.values_list("game", flat=True))):
            cells: Named = {"participant": one.label, "game": game or None}
            for key in asked.items if asked else ():
                answer = one.answers.filter(key=key, game=game, state="answered").first()
                number = _number(_item(trial, answer), answer) if answer else None
                cells[key] = answer.value if answer and number is None else number
            yield cells


def _item(trial: Trial, answer: Answer) -> Item:
    asked = load_questionnaire(trial)
    if asked is None:
        raise LookupError(f"{answer} was never asked")
    return asked.items[answer.key]


def _number(item: Item, answer: Answer) -> float | None:
    numbers = {"number", "likert", "slider"}
    answered = answer.state == "answered" and item.question.kind in numbers
    return float(answer.value) if answered else None


def _events(trial: Trial) -> Iterator[Named]:
    stayed = {one.pk: one.label for one in people(trial)}
    for one in sorted(trial.events.all(), key=lambda event: (event.at, event.pk)):
        if one.participant_id is None or one.participant_id in stayed:
            detail = json.dumps(one.detail, ensure_ascii=False, sort_keys=True)
            label = stayed.get(one.participant_id or 0)
            cells: Named = {"participant": label, "event": one.kind, "at": one.at}
            yield cells | {"detail": detail if one.detail else None}


def _games(trial: Trial) -> Iterator[Named]:
    for game in games_of(trial):
        made = game.decisions.order_by("seq")
        end = replay(game.rules, list_shown_dice(game), [one.action for one in made])
        sums = [end.total, end.bonus, end.chips, game.regret, game.luck, game.free_decisions]
        sums = sums if end.finished else [None] * len(SUMS)
        one = game.trial_game.participant
        design = build_design(one.trial)
        phase, arm = list_games(design, one.order)[game.trial_game.number - 1]
        yield {
            "participant": _label(game),
            "game": game.trial_game.number,
            "game_id": game.pk,
            "arm": None if arm is None else design.arms[arm].name,
            "phase": phase or None,
            "ruleset": game.ruleset,
            "dice": "real" if game.real_dice else "virtual",
            "finished": end.finished,
            "started_at": game.started_at,
            "finished_at": game.finished_at,
            **dict(zip(SUMS, sums, strict=True)),
            "hints": game.hints,
            "commitment": game.commitment or None,
            "seed": (game.seed or None) if trial.closed_at else None,
        }


def _decisions(trial: Trial) -> Iterator[Named]:
    for game in games_of(trial):
        coach = load_advisor(game.rules)
        made = list(game.decisions.order_by("seq"))
        states = replay_actions(game.rules, list_shown_dice(game), [one.action for one in made])
        for one, (state, _action) in zip(made, states, strict=True):
            if state.dice:
                yield _decision(game, one, state, coach)


def _decision(game: Game, one: Decision, state: State, coach: Advisor | None) -> Named:
    boxes = zip(state.rules.categories, state.boxes, strict=True)
    throws = game.throws.filter(seq=one.seq - 1)
    fallen = None
    if game.real_dice:
        held = game.decisions.get(seq=one.seq - 1).hold or 0
        faces = throws.latest("number").faces
        fallen = " ".join("." if held & 2**n else face for n, face in enumerate(faces))
    if not isinstance(one.action, Hold):
        choice = one.category
    else:
        choice = " ".join(str(die) for die in one.action.kept(state.dice)) or "none"
    return {
        "participant": _label(game),
        "game": game.trial_game.number,
        "game_id": game.pk,
        "ruleset": game.ruleset,
        "finished": game.finished_at is not None,
        "seq": one.seq,
        "turn": state.turn + 1,
        "throws_left": state.throws_left,
        "stock": _saved(game, one) if game.rules.stock else None,
        "dice": " ".join(str(die) for die in sorted(state.dice)),
        "fallen": fallen,
        "open_boxes": " ".join(category.id for category, box in boxes if box is None),
        "upper_total": state.upper,
        "points": state.points,
        "chips": state.chips,
        "chips_won": state.chips_won,
        "kind": "score" if one.category else "hold",
        "choice": choice,
        "best_choice": _best(one, state, choice, coach),
        "best_value": one.best,
        "value": one.value,
        "regret": one.regret,
        "luck": one.luck,
        "forced": one.forced,
        "milliseconds": one.milliseconds,
        "client_milliseconds": one.client_milliseconds,
        "decided_at": one.created_at,
        "corrections": throws.count() - 1 if game.real_dice else None,
    }


def _saved(game: Game, one: Decision) -> int:
    """Count the throws of every turn, which follow holds: a turn's own are used before others."""
    own, saved = game.rules.throws, 0
    thrown = Counter(game.decisions.filter(hold__isnull=False).values_list("turn", flat=True))
    for turn in range(one.turn):
        saved = min(game.rules.stock, saved + own - thrown[turn])
    made = game.decisions.filter(turn=one.turn, seq__lt=one.seq, hold__isnull=False).count()
    return saved - max(0, made - own)


def _best(one: Decision, state: State, choice: str, coach: Advisor | None) -> str | None:
    if one.regret is None or one.regret < TIE:
        return None if one.regret is None else choice
    if coach is None:
        return None
    best = coach.advise(find_position(state)).best
    return best.category or " ".join(str(die) for die in best.dice) or "none"


def _label(game: Game) -> str:
    return game.trial_game.participant.label


ROWS: dict[str, Callable[[Trial], Iterator[Named]]] = {
    "participants": _participants,
    "consents": _consents,
    "arms": _arms,
    "events": _events,
    "games": _games,
    "decisions": _decisions,
    "answers": _answers,
    "answers_wide": _answers_wide,
}
