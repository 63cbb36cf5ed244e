"""Attempts at drill positions, and the time at which each position is asked again."""

from django.db import IntegrityError, transaction
from django.utils import timezone

from game.coach.hints import find_chosen_option
from game.core.access import OwnGame, stands_like
from game.core.accounts import player_create
from game.core.refusals import IllegalMove, NoTable, NotUnderstood, Refused
from game.core.words import sentences
from game.core.worth.repetition import Answered, schedule_position
from game.core.worth.tables import advisor
from game.core.worth.winning import as_points, chosen_chance
from game.models import DrillAttempt, DrillCard, Player
from game.models.drill import position_fields
from game.practice.drill_queries import Question, drill_question
from game.practice.drill_winning_pool import calculate_chances
from solver.advice import state_of
from solver.rules import Action, Hold, IllegalAction, Score, State, step


def drill_attempt(
    *, player: Player | None, key: str, number: int, action: Action, took: int | None = None
) -> DrillAttempt:
    """Store the player's answer to the question that a page asked.

    ``number`` is the number of earlier attempts that the page knew: a page that is sent twice, or
    was left open, gets the attempt with this number. A visitor becomes a player with the first
    answer.
    """
    question = drill_question(player, key)
    if question is None:
        raise NotUnderstood
    if stands_like(player, [question.position]):
        raise Refused(str(OwnGame()))
    regret = regret_of_answer(question, action)
    try:
        with transaction.atomic():
            card = _card_lock(player or player_create(), question)
            made = list(card.attempts.order_by("number")) if card.pk else []
            if number < len(made):
                return made[number]
            return _record(card, len(made), action, regret, took)
    except IntegrityError:
        fields = position_fields(question.position, question.needed)
        return DrillCard.objects.get(player=player, **fields).attempts.get(number=number)


def check_allowed(state: State, action: Action) -> None:
    try:
        step(state, action)
    except IllegalAction as error:
        raise IllegalMove(sentences.refusal(state, action)) from error


def regret_of_answer(question: Question, action: Action) -> float:
    coach = advisor(question.rules)
    if coach is None:
        raise NoTable
    state = state_of(question.position)
    check_allowed(state, action)
    if question.needed:
        chances = calculate_chances(coach, question.position, question.needed)
        return as_points(chosen_chance(chances, state, action).regret)
    advice = coach.advise(question.position)
    return find_chosen_option(advice, question.position, action, state).regret


def _card_lock(owner: Player, question: Question) -> DrillCard:
    """Return the player's card of the position, locked until the transaction ends, or a new unsaved
    card. Set the card's mistake to the question's, if it has one."""
    fields = position_fields(question.position, question.needed)
    card = DrillCard.objects.select_for_update().filter(player=owner, **fields).first()
    if card is None:
        now = timezone.now()
        card = DrillCard(player=owner, **fields, created_at=now, due=now)
    card.decision = question.decision or card.decision
    return card


def _record(
    card: DrillCard, number: int, action: Action, regret: float, took: int | None
) -> DrillAttempt:
    now = timezone.now()
    made = card.attempts.order_by("number").values_list("regret", "created_at") if card.pk else ()
    answers = [Answered(*attempt) for attempt in made]
    after = schedule_position([*answers, Answered(regret, now)], card.created_at)
    card.due, card.interval = after.due, after.interval
    card.streak, card.lapses = after.streak, after.lapses
    card.save()
    return DrillAttempt.objects.create(
        card=card,
        number=number,
        hold=action.slots if isinstance(action, Hold) else None,
        category=action.category if isinstance(action, Score) else "",
        regret=regret,
        took=took,
        created_at=now,
    )
