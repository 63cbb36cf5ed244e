"""Stores answers to drill positions, and the time at which the drill repeats each position."""

from django.db import IntegrityError, transaction
from django.utils import timezone

from game.coach.hints import find_chosen_option
from game.core.access import OwnGame, is_at_position
from game.core.accounts import create_player
from game.core.refusals import IllegalMove, NoTable, NotUnderstood, Refused
from game.core.words import sentences
from game.core.worth.repetition import Answered, schedule_position
from game.core.worth.tables import load_advisor
from game.core.worth.winning import convert_to_points, find_chosen_chance
from game.models import DrillAttempt, DrillCard, Player
from game.models.drill import make_position_fields
from game.practice.drill_queries import Question, find_question
from game.practice.drill_winning_pool import calculate_chances
from solver.advice import build_state
from solver.rules import Action, Hold, IllegalAction, Score, State, apply_action


def store_attempt(
    *, player: Player | None, key: str, number: int, action: Action, took: int | None = None
) -> DrillAttempt:
    """Store the player's answer to a question. ``number`` is the number of earlier attempts that
    the page knew. If an attempt with this number exists, return it: the page was sent twice, or was
    outdated. A visitor becomes a player."""
    question = find_question(player, key)
    if question is None:
        raise NotUnderstood
    if is_at_position(player, [question.position]):
        raise Refused(str(OwnGame()))
    regret = calculate_regret(question, action)
    try:
        with transaction.atomic():
            card = _lock_card(player or create_player(), question)
            made = list(card.attempts.order_by("number")) if card.pk else []
            if number < len(made):
                return made[number]
            now = timezone.now()
            answers = [Answered(attempt.regret, attempt.created_at) for attempt in made]
            after = schedule_position([*answers, Answered(regret, now)], card.created_at)
            card.due, card.interval = after.due, after.interval
            card.streak, card.lapses = after.streak, after.lapses
            card.save()
            return DrillAttempt.objects.create(
                card=card,
                number=len(made),
                hold=action.slots if isinstance(action, Hold) else None,
                category=action.category if isinstance(action, Score) else "",
                regret=regret,
                took=took,
                created_at=now,
            )
    except IntegrityError:
        fields = make_position_fields(question.position, question.needed)
        return DrillCard.objects.get(player=player, **fields).attempts.get(number=number)


def check_allowed(state: State, action: Action) -> None:
    try:
        apply_action(state, action)
    except IllegalAction as error:
        raise IllegalMove(sentences.explain_refusal(state, action)) from error


def calculate_regret(question: Question, action: Action) -> float:
    """Return what the answer costs, in points. Raise NoTable without a value table."""
    coach = load_advisor(question.rules)
    if coach is None:
        raise NoTable
    state = build_state(question.position)
    check_allowed(state, action)
    if question.needed:
        chances = calculate_chances(coach, question.position, question.needed)
        return convert_to_points(find_chosen_chance(chances, state, action).regret)
    advice = coach.advise(question.position)
    return find_chosen_option(advice, action, state).regret


def _lock_card(owner: Player, question: Question) -> DrillCard:
    """Return the player's drill card for the position, or a new card. Lock the card until the
    transaction ends. If the question is about a mistake, store the mistake in the card."""
    fields = make_position_fields(question.position, question.needed)
    card = DrillCard.objects.select_for_update().filter(player=owner, **fields).first()
    if card is None:
        now = timezone.now()
        card = DrillCard(player=owner, **fields, created_at=now, due=now)
    card.decision = question.decision or card.decision
    return card
