"""The page *Learn from your mistakes*: the player decides again at the mistakes of a finished game.

The costliest mistakes come first. The page shows how each was played, asks for a better move,
explains it, and then shows a similar position. Afterwards the player can choose other mistakes.

The server does not store what a player looks at or tries again. In the player's own game, the first
try at a mistake in a visit counts as an attempt in the drill, which repeats the position later.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from game.coach.review import build_step
from game.coach.waiting import find_missing_reasons
from game.core.access import check_review, find_shared_game
from game.core.refusals import IllegalMove
from game.core.words.speech import say
from game.core.worth.drilled import DRILLED
from game.core.worth.tables import require_advisor
from game.models import Game
from game.pages.board.board import Board
from game.pages.play_views import own_game
from game.pages.requests.forms import DrillForm, LessonForm
from game.pages.requests.visitors import PlayRequest
from game.pages.review_views import make_review
from game.practice.asking import Following, Remembered, judge_answer, make_position_board
from game.practice.drill_pool import Exercise, load_exercises
from game.practice.drill_queries import (
    Question,
    find_mistake_question,
    list_met_keys,
    map_first_tries,
)
from game.practice.drilling import check_allowed, store_attempt
from game.practice.learn import Lesson, Tried, find_similar
from solver.advice import Advisor, build_state
from solver.rules import Action, Hold, Score, State


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def game_learn(request: PlayRequest, game_id: str) -> HttpResponse:
    return _learn(request, own_game(request, game_id), "", game_id)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def learn_shared(request: PlayRequest, share_token: str) -> HttpResponse:
    return _learn(request, find_shared_game(share_token), "_shared", share_token)


def _learn(request: PlayRequest, game: Game, kind: str, name: str) -> HttpResponse:
    """Show the page whose URL has the name ``learn`` + ``kind`` and the argument ``name``."""
    check_review(game, request.visitor.player)
    like = "like" in (request.POST or request.GET) and game.rules.id in DRILLED
    asks = Similar if like else Mistakes
    return asks(request, game, require_advisor(game.rules), kind, name).respond()


class Mistakes(Remembered):
    title = gettext_lazy("Learn from your mistakes")
    side = "practice/_learn.html"
    card = "pages/_columns.html"
    styles = ("css/review.css",)
    looks = "learn"
    like = False  # true if the page shows a similar position of the pool

    def __init__(
        self, request: PlayRequest, game: Game, coach: Advisor, kind: str, name: str
    ) -> None:
        super().__init__(request, reverse(f"learn{kind}", args=[name]))
        self.game, self.coach = game, coach
        self.review_url = reverse(f"review{kind}", args=[name])
        self.owner = self.player if self.player and self.player.pk == game.player_id else None
        self.form = self._read()
        review = make_review(request, game, coach)
        number = self.form.asked
        step = next((step_at for step_at in review.steps if step_at.number == number), None)
        ended = number is not None or not review.mistakes or "end" in request.GET
        self.ended = step is None and ended
        if step is None:
            step = (
                review.steps[0]
                if ended
                else max(review.mistakes, key=lambda mistake: mistake.entry.regret)
            )
        self.step = step
        self.lesson = Lesson(review, self.step, map_first_tries(self.owner, game))

    def _read(self) -> LessonForm:
        posted = self.request.method == "POST"
        form = LessonForm(self.request.POST if posted else self.request.GET)
        if not form.is_valid():
            form = LessonForm({"step": form.data.get("step", "")[:3]})
            form.is_valid()
        return form

    def read_form(self) -> LessonForm:
        return self.form

    @property
    def state(self) -> State:
        return self.step.state

    def respond(self) -> HttpResponse:
        if not self.ended:
            return super().respond()
        solved = [stop for stop in self.lesson.stops if stop.result == "right"]
        context = self._around | {"found": len(solved), "ended": True, "source": self}
        return render(self.request, "practice/learn_end.html", context)

    def page(self, status: int = 200) -> HttpResponse:
        choice = self.form.choice
        if choice is None:
            if self.form.shows_a_moment and self.lesson.at_a_moment:
                action = self.step.entry.action
                board = Board(self.state, held=action.places if isinstance(action, Hold) else ())
                following = Following(self.url, _("Find a better move"), {"step": self.step.number})
                shown = {"shown": self.step.unanswered, "tag": _("played"), "following": following}
                return self._render("practice/moment.html", board, shown | self._around, 200)
            return self._show_question(again=self.form.cleaned_data["again"])
        try:
            check_allowed(self.state, choice)
        except IllegalMove as refusal:
            return self._show_question(again=True, message=refusal.message, status=refusal.status)
        return self._show_answer(choice)

    def _show_question(self, *, again: bool, message: str = "", status: int = 200) -> HttpResponse:
        board = Board(self.step.state, may_act=True, held=self.form.held, message=message)
        question = self._find_question()
        fields = {"step": self.step.number, "seq": question.number if question else 0}
        fields |= {"again": 1} if again else {}
        return self.render_question(board, status=status, fields=fields, **self._around)

    def choose_prompt(self, board: Board) -> str:
        if board.message:
            return board.message
        if not self.lesson.slipped:
            return _("What would you do in this position?")
        if board.phase == "score":
            return _("The move in the game was not the best. Which box is best?")
        return _("The move in the game was not the best. Which hold or box is best?")

    def _show_answer(self, choice: Action) -> HttpResponse:
        answer = Tried(
            self.step, build_step(self.step.advisor, self.step.number, self.step.state, choice)
        )
        shows_why = answer.right or self.form.cleaned_data["why"]
        like = self.lesson.at_a_moment and self.game.rules.id in DRILLED
        following = Following(
            self.url,
            _("A similar position")
            if like
            else (_("Next mistake") if self.lesson.next else _("Finish")),
            {"like": self.step.number} if like else self._onward,
            again="" if answer.right else self._make_step_address(again=1),
            why="" if shows_why else f"{self._make_address(choice)}&why=1#why",
        )
        return self.render_answer(
            Board(self.step.state, held=choice.places if isinstance(choice, Hold) else ()),
            answer=answer,
            following=following,
            told=shows_why,
            shown=answer.step if shows_why else answer.step.unanswered,
            waiting=find_missing_reasons(answer.step.advisor),
            **self._around,
        )

    @property
    def _onward(self) -> dict[str, int]:
        """The query of the next page. A key moment is first shown as the player played it."""
        later = self.lesson.next
        if later is None:
            return {"end": 1}
        return {"moment" if later in self.lesson.moments else "step": later.number}

    @property
    def _around(self) -> dict[str, Any]:
        place, places = self.lesson.place, self.lesson.places
        kind = {"kind": f"{place}/{places}"} if place else {}
        return {
            "heading": kind | self._when,
            "game": self.game,
            "lesson": self.lesson,
            "step": self.step,
            "own": self.owner is not None,
            "like": self.like,
        }

    @property
    def _when(self) -> dict[str, str]:
        return {"turn": say("turn_roll", turn=self.step.turn, throw=self.step.throw)}

    # A posted answer is a first try. The server stores it and redirects to its address.

    def make_held_url(self, form: DrillForm) -> str:
        again = {"again": 1} if form.cleaned_data["again"] else {}
        return self._make_step_address(slot=sorted(form.held), **again)

    def store_answer(self, form: DrillForm, choice: Action) -> str:
        question = None if form.cleaned_data["again"] else self._find_question()
        if question is not None:
            with suppress(IllegalMove):
                check_allowed(self.state, choice)
                action = choice
                if isinstance(choice, Hold):  # only the drill's dice are sorted
                    action = Hold.from_faces(
                        choice.kept(self.step.state.dice), question.position.dice
                    )
                number = form.cleaned_data["seq"] or 0
                store_attempt(player=self.owner, key=question.key, number=number, action=action)
        return self._make_address(choice)

    def _find_question(self) -> Question | None:
        """Return the drill's question about this mistake; None if it is small or another
        player's."""
        if self.owner is None or self.game.rules.id not in DRILLED:
            return None
        return find_mistake_question(self.owner, self.game, self.step.number)

    def _make_address(self, choice: Action) -> str:
        if isinstance(choice, Score):
            return self._make_step_address(category=choice.category)
        return self._make_step_address(slot=choice.places, go=1)

    def _make_step_address(self, **query: str | int | Iterable[int]) -> str:
        return f"{self.url}?{urlencode({'step': self.step.number, **query}, doseq=True)}"


class Similar(Mistakes):
    """A position of the pool with the same idea as a mistake. Its answers are not stored."""

    card = "practice/_deciding.html"
    like = True

    @property
    def state(self) -> State:
        return build_state(self.exercise.position)

    @cached_property
    def exercise(self) -> Exercise:
        """The exercise in the address, or else the most similar one that is new to the player."""
        named = load_exercises(self.game.rules).get(self.form.cleaned_data["of"])
        if named is not None:
            return named
        met = list_met_keys(self.player, self.game.rules)
        row = self.lesson.moments if self.lesson.at_a_moment else [self.step]
        like = find_similar(self.coach, [step.entry.position for step in row], met)
        return like[row.index(self.step)]

    @property
    def _when(self) -> dict[str, str]:
        return {}

    def choose_prompt(self, board: Board) -> str:
        return board.message or _("Another position of this kind: what would you do?")

    def _show_question(self, *, again: bool, message: str = "", status: int = 200) -> HttpResponse:
        board = make_position_board(self.exercise.position, self.form.held)
        board = replace(board, message=message) if message else board
        fields = {"like": self.step.number, "of": self.exercise.key}
        notes = [_("This position is not from the game, and your answer is not stored.")]
        return self.render_question(
            board, status=status, fields=fields, notes=notes, **self._around
        )

    def _show_answer(self, choice: Action) -> HttpResponse:
        answer = judge_answer(self.coach, self.exercise.position, choice)
        following = Following(
            self.url,
            _("Next mistake") if self.lesson.next else _("Finish"),
            self._onward,
            again="" if answer.right else self._make_step_address(),
        )
        return self.render_answer(
            answer.board,
            answer=answer,
            following=following,
            parts=answer.step.why if answer.step else (),
            waiting=find_missing_reasons(self.coach),
            **self._around,
        )

    def store_answer(self, form: DrillForm, choice: Action) -> str:
        return self._make_address(choice)

    def _make_step_address(self, **query: str | int | Iterable[int]) -> str:
        query |= {"like": self.step.number, "of": self.exercise.key}
        return f"{self.url}?{urlencode(query, doseq=True)}"
