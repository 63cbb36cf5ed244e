"""The page that tests whether dice are fair. It stores nothing and needs no account."""

import hmac
import secrets
from collections import Counter
from collections.abc import Iterator
from itertools import count, islice, product
from typing import Any

from django import forms
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from game.core.fair.blocks import roll_die
from game.core.words.labels import DICE_PLACES
from game.lab.labels import SITE, whole
from game.pages.requests.limits import TooMuch, check_rate
from solver.rules import MOST_DICE, RULESETS
from solver.rules.dice import FACES
from solver.statistics.fairness import (
    LONGEST,
    MOST_BYTES,
    BadFaces,
    DicePlaces,
    DiceTest,
    Faces,
    NoFaces,
    NotAFace,
    NotAThrow,
    NoText,
    check_fairness,
    check_fairness_apart,
    decode_text,
    parse_faces,
)
from solver.study.html import render_parts
from solver.study.published import check_real_dice
from solver.study.same_value import report_test

STUDY = "study"
MOST_NOW = 200_000  # dice per test; rolling them takes half a second
USUAL_NOW = 30_000
CHUNK = 32  # number of games whose dice are rolled together
# The turn, roll and slot of every die in the longest game; shorter games use only some of them.
PLACES = max(
    (
        tuple(product(range(len(rules.categories)), range(rules.throws), range(rules.dice)))
        for rules in RULESETS.values()
    ),
    key=len,
)


def roll_in_chunks(master: bytes, dice: int) -> Iterator[list[int]]:
    """Roll ``dice`` dice as the site's games do. Yield their faces in lists of limited length."""
    seeds = (hmac.digest(master, b"%d" % number, "sha256") for number in count())
    every = (roll_die(seed, turn, roll, slot) for seed in seeds for turn, roll, slot in PLACES)
    left = islice(every, dice)
    while chunk := list(islice(left, CHUNK * len(PLACES))):
        yield chunk


def tally(counter: Counter[int]) -> DiceTest:
    return check_fairness("dice of games", [counter[face] for face in range(1, FACES + 1)])


class ThrowsForm(forms.Form):
    """A form for rolls. If there is a file, the form reads it, but still shows the typed rolls."""

    throws = forms.CharField(
        label=gettext_lazy("Rolls"),
        help_text=gettext_lazy(
            "Type the faces one after another, such as 13245, 1 3 2 4 5 or 1,3,2,4,5. You can "
            "put each roll on its own line."
        ),
        required=False,
        strip=False,
        widget=forms.Textarea(
            attrs={"rows": 6, "inputmode": "decimal", "autocomplete": "off", "spellcheck": "false"}
        ),
    )
    order = forms.ChoiceField(
        label=gettext_lazy("Order of the faces"),
        help_text=gettext_lazy(
            "If you can tell your dice apart, enter each roll on its own line, with the dice "
            "always in the same order."
        ),
        choices=list(DICE_PLACES.items()),
        widget=forms.RadioSelect,
        initial=DicePlaces.ANY.value,
        required=False,
    )
    file = forms.FileField(
        label=gettext_lazy("Or upload a text or CSV file with the faces"),
        required=False,
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": ".txt,.csv,.tsv,text/plain,text/csv"}),
    )

    @property
    def faces(self) -> Faces:
        faces: Faces = self.cleaned_data["faces"]
        return faces

    @property
    def places(self) -> DicePlaces:
        return DicePlaces(self.cleaned_data["order"])

    def clean(self) -> dict[str, Any]:
        file: UploadedFile[bytes] | None = self.cleaned_data.get("file")
        if self.errors:
            return self.cleaned_data
        typed = self.cleaned_data["throws"]
        try:
            if (file.size or 0 if file else len(typed)) > MOST_BYTES:
                most = whole(MOST_BYTES // 1_000_000)
                text = _("Your input is too large: you can test up to %(most)s MB at once.")
                raise BadFaces(text % {"most": most})
            text = decode_text(file.read()) if file else typed
            self.cleaned_data["faces"] = parse_faces(text, self.places)
        except BadFaces as wrong:
            field = "file" if file else "throws"
            if isinstance(wrong, NotAFace | NotAThrow) and file is not None and not typed.strip():
                # Show a faulty file's text in the field for rolls.
                file.seek(0)
                self.data, field = {**self.data, "throws": decode_text(file.read())}, "throws"
            self.add_error(field, explain_error(wrong))
        return self.cleaned_data


class NowForm(forms.Form):
    virtual = forms.IntegerField(
        label=gettext_lazy("How many"), min_value=1, max_value=MOST_NOW, initial=USUAL_NOW
    )


def explain_error(wrong: BadFaces) -> str:
    if isinstance(wrong, NotAFace):
        return _(
            "Line %(line)s: “%(word)s” may contain only faces from 1 to 6. Please correct it."
        ) % {"line": wrong.line, "word": wrong.word}
    if isinstance(wrong, NotAThrow):
        return _(
            "Line %(line)s has %(dice)s dice. If each die has its own place, every line must "
            "contain one roll, always with the same number of dice (2 to %(most)s)."
        ) % {"line": wrong.line, "dice": wrong.dice, "most": MOST_DICE}
    if isinstance(wrong, NoFaces):
        return _("Your input contains no dice. Type faces, such as 13245 or 1 3 2 4 5.")
    if isinstance(wrong, NoText):
        return _("This is not a text file. If you have a spreadsheet, save it as CSV first.")
    return str(wrong)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def dice_test(request: HttpRequest) -> HttpResponse:
    if request.method == "POST" or "virtual" in request.GET:
        try:
            check_rate(request, "upload")
        except TooMuch as refusal:
            messages.warning(request, refusal.message)
            return _render_page(request, status=refusal.status)
    if request.method == "POST":
        form = ThrowsForm(request.POST, request.FILES)
        if not form.is_valid():
            return _render_page(request, form=form, status=400)
        faces = form.faces
        file = form.cleaned_data.get("file")
        title = (str(file.name) if file else "") or _("Your dice")
        test = check_fairness_apart(title, faces.dice, form.places)
        heading = ""
        if line := faces.heading:
            sentence = _("We left out the first line, because it looked like a heading: %(line)s")
            heading = sentence % {
                "line": line if len(line) <= 3 * LONGEST else f"{line[: 3 * LONGEST]}…"
            }
        return _render_page(request, (title, test), form, heading)
    if "virtual" in request.GET:
        now = NowForm(request.GET)
        if not now.is_valid():
            return _render_page(request, now=now, status=400)
        counter: Counter[int] = Counter()
        for chunk in roll_in_chunks(secrets.token_bytes(32), now.cleaned_data["virtual"]):
            counter.update(chunk)
        return _render_page(request, (_("Virtual dice, rolled just now"), tally(counter)), now=now)
    if request.GET.get("of") == STUDY:
        return _render_page(request, (_("The study's dice"), check_real_dice()))
    return _render_page(request)


def _render_page(
    request: HttpRequest,
    shown: tuple[str, DiceTest] | None = None,
    form: ThrowsForm | None = None,
    heading: str = "",
    *,
    now: NowForm | None = None,
    status: int = 200,
) -> HttpResponse:
    context = {
        "title": shown and shown[0],
        "result": shown and render_parts(report_test(shown[1], SITE), on_page=True),
        "form": form or ThrowsForm(),
        "heading": heading,
        "now": now or NowForm(),
        "most_now": whole(MOST_NOW),
    }
    return render(request, "lab/dice_test.html", context, status=status)
