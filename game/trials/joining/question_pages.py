"""Pages of questions around the games: participants answer, researchers check and preview."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import translation
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from game.pages.requests.visitors import PlayRequest
from game.trials.design.writing import has_trial_begun, normalise_text
from game.trials.joining.answering import (
    preview_pages,
    read_seconds_since,
    show_page,
    store_page_answers,
    store_questions,
)
from game.trials.joining.pages import home_page, require_participant
from game.trials.models import Participant, Trial
from game.trials.questions.editing import (
    QuestionForm,
    add_question,
    move_question,
    remove_question,
)
from game.trials.questions.parsing import MOST_CHARACTERS, BadQuestions, parse_questionnaire
from game.trials.questions.questionnaire import Questionnaire
from game.trials.questions.reading import find_question_file, list_ready_files, read_ready_text
from game.trials.staff import log_superuser, make_context, run_or_warn


class QuestionsForm(forms.Form):
    """A form for a file or a text of questions. ``questionnaire`` is set if the text is valid."""

    text = forms.CharField(
        label="Questions",
        required=False,
        widget=forms.Textarea(attrs={"rows": 20, "class": "source", "spellcheck": "false"}),
        help_text="Empty means no questions of your own.",
    )
    file = forms.FileField(label="Or upload a file", required=False)
    language = forms.ChoiceField(
        label="Preview language", required=False, choices=lambda: settings.LANGUAGES
    )

    questionnaire: Questionnaire | None = None
    read = ""

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        file, text = data.get("file"), str(data.get("text", ""))
        if file is not None:
            try:
                text = str(file.read(4 * MOST_CHARACTERS).decode("utf-8-sig"))
            except UnicodeDecodeError:
                self.add_error("file", "This file is not UTF-8 text.")
                text = ""
        data["text"] = self.read = normalise_text(text)
        if self.read:
            try:
                self.questionnaire = parse_questionnaire(self.read)
            except BadQuestions as error:
                self.add_error("text", list(error.faults))
        return data


@require_POST
@require_participant
def page(request: PlayRequest, participant: Participant) -> HttpResponse:
    """Store the valid answers. Show the page again if an answer is missing or wrong."""
    name, stamp = request.POST.get("page", ""), request.POST.get("stamp", "")
    taken = store_page_answers(
        participant=participant,
        page=name,
        sent=request.POST.getlist,
        seconds=read_seconds_since(stamp, name),
    )
    if taken.finished:
        return redirect("take_part")
    again = show_page(participant, taken.due, taken.replies, stamp)
    return home_page(request, participant, shown_page=again)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@log_superuser
def trial_questions(request: HttpRequest, slug: str) -> HttpResponse:
    """Check, preview, edit and store the questions. They stay once a participant has agreed."""
    trial, data = get_object_or_404(Trial, slug=slug), request.POST
    file = find_question_file(trial)
    kept = file.text if file else ""
    form, adding, text = QuestionsForm({"text": kept}), QuestionForm(), None
    if "add" in data:
        adding = QuestionForm(data)
        if adding.is_valid():
            text = add_question(kept, data["moment"], adding.facts, trial.language)
    elif "remove" in data:
        text = remove_question(kept, data["remove"])
    elif data.keys() & {"up", "down"}:
        text = move_question(kept, data.get("up") or data["down"], -1 if "up" in data else 1)
    elif request.method == "POST":
        form = QuestionsForm(data, request.FILES)
        if form.is_valid() and "save" in data:
            text = form.read
    elif (begin := request.GET.get("begin", "")) in list_ready_files():
        form = QuestionsForm({"text": read_ready_text(begin)})
    if text is None:
        return _render_form(request, trial, form, adding)
    if run_or_warn(request, store_questions, trial=trial, text=text) and "save" in data:
        messages.success(request, "Questions saved.")
    return redirect("trial_questions", slug)


def _render_form(
    request: HttpRequest, trial: Trial, form: QuestionsForm, adding: QuestionForm
) -> HttpResponse:
    form.is_valid()
    language = form.cleaned_data.get("language") or get_language() or settings.LANGUAGE_CODE
    with translation.override(language):
        pages = list(preview_pages(form.questionnaire)) if form.questionnaire else []
    # Show the text of the uploaded file in the field, so that the researcher can correct the text.
    form.data = {"text": form.read, "language": language}
    file = find_question_file(trial)
    context = make_context(trial) | {
        "form": form,
        "adding": adding,
        "unsaved": bool(form.errors) or form.read != (file.text if file else ""),
        "file": file,
        "begun": has_trial_begun(trial),
        "ready": list_ready_files(),
        "pages": pages,
        "language": language,
    }
    return render(request, "trials/questions.html", context)
