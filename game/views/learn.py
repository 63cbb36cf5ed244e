"""Learn from your mistakes: decisions of a finished game, asked again and then told.

Looking writes nothing, and neither does another try. The first try of a visit at a mistake of one's
own is an attempt at that position in the drill, which asks it again some day.
"""

from collections.abc import Collection
from urllib.parse import urlencode

from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from game import services
from game.board.model import Board, Sight, build
from game.coach.blinding import check_review
from game.coach.lessons import Lesson, Tried, tried
from game.coach.review import Step
from game.coach.waiting import waiting
from game.judgement.tables import advisor
from game.models import Game
from game.selectors.drill import Question, drill_first_tries, drill_of_mistake
from game.views.rendering import own_game
from game.views.review import game_shared, reviewed
from game.web.forms import TryForm, whole
from game.web.middleware import silent
from game.web.visitors import PlayRequest
from game.words import labels, sentences
from solver.making import EXPLAIN
from solver.rules import Action, Hold, IllegalAction, Score
from solver.rules import step as done


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def game_learn(request: PlayRequest, game_id: str) -> HttpResponse:
    game = own_game(request, game_id)
    return LearnRequest(request, game, "", game_id).answer()


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def learn_shared(request: PlayRequest, share_token: str) -> HttpResponse:
    return LearnRequest(request, game_shared(share_token), "_shared", share_token).answer()


class LearnRequest:
    """One request; ``kind`` and ``name`` say by which address the game was asked for."""

    def __init__(self, request: PlayRequest, game: Game, kind: str, name: str) -> None:
        self.request = request
        self.game = game
        self.here = reverse(f"learn{kind}", args=[name])
        self.review_url = reverse(f"review{kind}", args=[name])
        player = request.visitor.player
        self.player = player if player is not None and player.pk == game.player_id else None

    def answer(self) -> HttpResponse:
        check_review(self.game, self.request.visitor.player)
        coach = advisor(self.game.rules)
        if coach is None:
            return silent(self.request, self.game.rules)
        review = reviewed(self.request, self.game, coach)
        form = self._form()
        asked = whole(form.cleaned_data.get("step"))
        step = next((one for one in review.steps if one.number == asked), None)
        first = drill_first_tries(self.player, self.game)
        if step is None and (asked is not None or not review.mistakes or self._ended):
            return self._end(Lesson(review, review.steps[0], first))
        lesson = Lesson(review, step or review.mistakes[0], first)
        return (
            self._store(lesson, form) if self.request.method == "POST" else self._ask(lesson, form)
        )

    @property
    def _ended(self) -> bool:
        return "end" in self.request.GET

    def _form(self) -> TryForm:
        """What cannot be read asks for nothing."""
        posted = self.request.method == "POST"
        form = TryForm(self.request.POST if posted else self.request.GET)
        if not form.is_valid():
            form = TryForm({"step": form.data.get("step", "")[:3]})
            form.is_valid()
        return form

    # Asking, and telling what was tried

    def _ask(self, lesson: Lesson, form: TryForm) -> HttpResponse:
        choice = form.choice
        if choice is None:
            return self._question(lesson, form.held, again=form.cleaned_data["again"])
        try:
            done(lesson.step.state, choice)
        except IllegalAction:
            message = sentences.refusal(lesson.step.state, choice)
            return self._question(lesson, form.held, again=True, message=message)
        return self._told(lesson, tried(lesson.step, choice), why=form.cleaned_data["why"])

    def _question(
        self, lesson: Lesson, held: Collection[int], *, again: bool, message: str = ""
    ) -> HttpResponse:
        question = self._drilled(lesson.step)
        more = {
            "board": build(Sight(lesson.step.state, owner=True, held=held, message=message)),
            "again": again,
            "seq": question.number if question else 0,
        }
        return self._render("coach/learn.html", lesson, more, 400 if message else 200)

    def _told(self, lesson: Lesson, found: Tried, *, why: bool) -> HttpResponse:
        """The best is told when it was found, or when it is asked for."""
        action = found.step.entry.action
        more = {
            "tried": found,
            "told": why or found.right,
            "shown": found.step if why or found.right else found.step.unanswered,
            "board": _judged(found.step, action),
            "why": f"{self._address(lesson.step, action)}&why=1#why",
            "waiting": None if found.step.advisor.explain else waiting(self.game.rules, EXPLAIN),
        }
        return self._render("coach/learn_told.html", lesson, more)

    def _end(self, lesson: Lesson) -> HttpResponse:
        found = [stop for stop in lesson.stops if stop.result == "right"]
        return self._render("coach/learn_end.html", lesson, {"found": len(found), "ended": True})

    def _render(
        self, template: str, lesson: Lesson, more: dict[str, object], status: int = 200
    ) -> HttpResponse:
        context = {
            "game": self.game,
            "game_name": labels.ruleset_name(self.game.rules),
            "lesson": lesson,
            "step": lesson.step,
            "here": self.here,
            "review_url": self.review_url,
            "own": self.player is not None,
            **more,
        }
        return render(self.request, template, context, status=status)

    # What is posted is a first try: it is stored where it can be, and told at an address of its own

    def _store(self, lesson: Lesson, form: TryForm) -> HttpResponse:
        choice = form.choice
        if choice is None:
            query = {"step": lesson.step.number, "slot": sorted(form.held)}
            again = {"again": 1} if form.cleaned_data["again"] else {}
            return redirect(f"{self.here}?{urlencode(query | again, doseq=True)}")
        question = None if form.cleaned_data["again"] else self._drilled(lesson.step)
        if question is not None and _allowed(lesson.step, choice):
            services.drill_attempt(
                player=self.player,
                key=question.key,
                number=form.cleaned_data["seq"] or 0,
                action=_of_sorted(choice, lesson.step, question),
            )
        return redirect(self._address(lesson.step, choice))

    def _drilled(self, step: Step) -> Question | None:
        """The question of the drill that this is; a small slip is none, nor somebody else's."""
        if self.player is None:
            return None
        return drill_of_mistake(self.player, self.game, step.number)

    def _address(self, step: Step, choice: Action) -> str:
        query = QueryDict(mutable=True)
        query["step"] = str(step.number)
        if isinstance(choice, Score):
            query["category"] = choice.category
        else:
            query.setlist("slot", [str(slot) for slot in choice.places])
            query["go"] = "1"
        return f"{self.here}?{query.urlencode()}"


def _allowed(step: Step, choice: Action) -> bool:
    try:
        done(step.state, choice)
    except IllegalAction:
        return False
    return True


def _of_sorted(choice: Action, step: Step, question: Question) -> Action:
    """A drill's dice lie sorted, a game's as they fell."""
    if isinstance(choice, Score):
        return choice
    return Hold.of(choice.kept(step.state.dice), question.position.dice)


def _judged(step: Step, action: Action) -> Board:
    held = action.places if isinstance(action, Hold) else ()
    return build(Sight(step.state, held=held))
