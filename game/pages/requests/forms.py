"""Forms of requests. A form checks fields; the rules decide whether an action is allowed."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from django import forms
from django.conf import settings
from django.contrib.auth.forms import SetPasswordMixin
from django.contrib.auth.models import User
from django.utils.translation import get_language_info
from django.utils.translation import gettext_lazy as _

from game.coach.review import BOX, HOLD, Filter
from game.core.kind import ADDED, load_started_kinds
from game.core.words import labels
from game.core.worth.severity import SEVERITIES
from game.models import WISHES, Player
from game.models.decision import LONGEST
from game.models.player import NICKNAME
from game.pages.presentation import Presentation, load_pages
from solver.rules import MOST_DICE, PLAYED, Action, Hold, Ruleset, Score

F = TypeVar("F", bound=forms.BaseForm)
SLOTS = [(slot, str(slot)) for slot in range(MOST_DICE)]
TOLD_TIME = re.compile(r"[0-9]{1,12}", re.ASCII)


class Unchanging(dict[str, forms.Field]):
    """Fields that all forms of a class share, because copying them takes longer than validation."""

    def __deepcopy__(self, memo: object) -> "Unchanging":
        return self


def share_fields(form: type[F]) -> type[F]:
    form.base_fields = Unchanging(form.base_fields)  # type: ignore[attr-defined]  # not in stubs
    return form


class StartForm(forms.Form):
    mode = forms.ChoiceField(choices=lambda: [(mode, mode) for mode in load_started_kinds()])
    ruleset = forms.CharField(required=False)
    coach = forms.ChoiceField(choices=WISHES, required=False)
    nonce = forms.CharField(required=False, max_length=200)

    def __init__(self, data: Mapping[str, object]) -> None:
        super().__init__(data)
        self.kind = load_started_kinds().get(str(data.get("mode")))
        self.pages = load_pages(self.kind.mode) if self.kind else Presentation()
        if self.kind is not None:
            self.fields |= self.kind.fields

    @property
    def rules(self) -> Ruleset | None:
        """The ruleset, even if the form is invalid; None if there is no such ruleset."""
        return PLAYED.get(str(self.data.get("ruleset")))


class AddedForm(forms.Form):
    added = ADDED


class CardForm(forms.Form):
    """The address of the first page (``/?rules=yahtzee``): ruleset, coach level and target."""

    rules = forms.ChoiceField(choices=labels.list_ruleset_choices, required=False)
    coach = forms.ChoiceField(choices=WISHES, required=False)
    target = forms.CharField(max_length=100, required=False)

    @property
    def ruleset(self) -> Ruleset | None:
        return PLAYED.get(self._read_field("rules"))

    @property
    def level(self) -> str:
        return self._read_field("coach")

    @property
    def number(self) -> str:
        """The target score that the player typed; else ""."""
        return self._read_field("target")

    def _read_field(self, name: str) -> str:
        self.is_valid()  # a wrong field does not affect the others
        return str(self.cleaned_data.get(name, ""))


class WaitedField(forms.Field):
    """The milliseconds that the player thought about a decision, by the browser's clock. Only
    exports show this number: an invalid one becomes None, and the move counts."""

    def clean(self, value: object) -> int | None:
        text = str(value or "")
        return min(int(text), LONGEST) if TOLD_TIME.fullmatch(text) else None


class DiceForm(forms.Form):
    slot = forms.TypedMultipleChoiceField(choices=SLOTS, coerce=int, required=False)
    toggle = forms.TypedChoiceField(choices=SLOTS, coerce=int, required=False, empty_value=None)

    @property
    def held(self) -> set[int]:
        """The held slots. Without JavaScript, each die is a button that toggles only this die."""
        toggled = self.cleaned_data["toggle"]
        return set(self.cleaned_data["slot"]) ^ ({toggled} if toggled is not None else set())

    @property
    def held_text(self) -> str:
        return ",".join(map(str, sorted(self.held)))


@share_fields
class HoldForm(DiceForm):
    seq = forms.IntegerField(min_value=0)
    confirmed = forms.BooleanField(required=False)
    waited = WaitedField(required=False)

    @property
    def only_toggles(self) -> bool:
        return self.is_valid() and self.cleaned_data["toggle"] is not None

    @property
    def action(self) -> dict[str, int]:
        return {
            "seq": self.cleaned_data["seq"],
            "slots": sum(1 << slot for slot in self.held),
            "confirmed": self.cleaned_data["confirmed"],
            "waited": self.cleaned_data["waited"],
        }


class HeldSlotsForm(forms.Form):
    """The held dice, which the page sends with requests that are not moves."""

    slot = forms.TypedMultipleChoiceField(choices=SLOTS, coerce=int, required=False)

    @property
    def slots(self) -> set[int]:
        return set(self.cleaned_data["slot"]) if self.is_valid() else set()


class HeldForm(forms.Form):
    """The held dice in an address such as ``?held=0,2``, for pages without JavaScript."""

    held = forms.RegexField(
        rf"^[0-{MOST_DICE - 1}](,[0-{MOST_DICE - 1}]){{0,{MOST_DICE - 1}}}$|^$", required=False
    )

    @property
    def slots(self) -> set[int] | None:
        if "held" not in self.data or not self.is_valid():
            return None
        return {int(slot) for slot in self.cleaned_data["held"].split(",") if slot}


@share_fields
class ThrowForm(forms.Form):
    seq = forms.IntegerField(min_value=0)
    entries = forms.IntegerField(min_value=0)
    faces = forms.CharField(max_length=20, required=False)
    correction = forms.BooleanField(required=False)

    @property
    def action(self) -> dict[str, object]:
        faces = re.sub(r"[\s,;.]", "", self.cleaned_data["faces"])
        digits = [int(face) if face.isdecimal() else 0 for face in faces]
        return {**self.cleaned_data, "faces": digits}


@share_fields
class ScoreForm(forms.Form):
    seq = forms.IntegerField(min_value=0)
    category = forms.CharField(max_length=32)
    confirmed = forms.BooleanField(required=False)
    waited = WaitedField(required=False)

    @property
    def action(self) -> dict[str, object]:
        return dict(self.cleaned_data)


class DrillForm(HoldForm):
    """A drill answer. ``of`` is the question's key, ``seq`` the number of earlier attempts."""

    of = forms.CharField(max_length=60)
    category = forms.CharField(max_length=32, required=False)

    @property
    def choice(self) -> Action | None:
        """The chosen hold or box; None if the player only toggled a die."""
        if self.only_toggles:
            return None
        category = self.cleaned_data["category"]
        return Score(category) if category else Hold(sum(1 << slot for slot in self.held))


def set_choices(form: forms.Form, name: str, choices: Sequence[tuple[Any, "StrOrPromise"]]) -> None:
    field = form.fields[name]
    assert isinstance(field, forms.ChoiceField)  # noqa: S101
    field.choices = list(choices)


def parse_number(text: str | None) -> int | None:
    """Return a number of up to three digits from an address; None if missing or invalid."""
    return int(text) if text and text.isdecimal() and len(text) < 4 else None


class FilterForm(forms.Form):
    """A filter for the decisions of a review. Invalid fields do not filter."""

    kind = forms.ChoiceField(label=_("Holds or boxes"), required=False)
    box = forms.ChoiceField(label=_("Box of the turn"), required=False)
    turn = forms.TypedChoiceField(label=_("Turn"), required=False, coerce=int, empty_value=None)
    cost = forms.ChoiceField(label=_("Cost"), required=False)

    def __init__(self, rules: Ruleset, data: Mapping[str, object]) -> None:
        super().__init__(data, auto_id="filter-%s")
        turns = range(1, len(rules.categories) + 1)
        costs = [
            (severity.id, _("%(name)s or worse") % {"name": severity.name})
            for severity in SEVERITIES
        ]
        options: dict[str, list[tuple[str, StrOrPromise]]] = {
            "kind": [(HOLD, _("Holds")), (BOX, _("Boxes"))],
            "box": [(box.id, labels.find_category_name(box)) for box in rules.categories],
            "turn": [(str(turn), str(turn)) for turn in turns],
            "cost": [(costs[0][0], str(SEVERITIES[0].name)), *costs[1:]],
        }
        for name, choices in options.items():
            set_choices(self, name, [("", _("All")), *choices])

    @property
    def filter(self) -> Filter:
        self.is_valid()  # a wrong field does not affect the others
        return Filter(**self.cleaned_data)


class TryForm(DrillForm):
    """An answer to a question, posted or in an address: a hold with ``go``, or a box. ``toggle``
    holds or releases a die, ``again`` repeats the question, ``why`` shows the best option."""

    of = forms.CharField(required=False)
    seq = forms.IntegerField(required=False, min_value=0)
    step = forms.CharField(required=False, max_length=3)
    go = forms.BooleanField(required=False)
    again = forms.BooleanField(required=False)
    why = forms.BooleanField(required=False)

    @property
    def asks(self) -> bool:
        return self.cleaned_data["again"] or self.cleaned_data["toggle"] is not None

    @property
    def choice(self) -> Action | None:
        chosen = self.cleaned_data["category"] or self.cleaned_data["go"]
        return super().choice if chosen else None


class LessonForm(TryForm):
    """A mistake as played (``moment``), its question (``step``), or a similar one (``like``)."""

    moment = forms.CharField(required=False, max_length=3)
    like = forms.CharField(required=False, max_length=3)

    @property
    def asked(self) -> int | None:
        numbers = (parse_number(self.cleaned_data.get(name)) for name in ("like", "step", "moment"))
        return next((number for number in numbers if number is not None), None)

    @property
    def shows_a_moment(self) -> bool:
        return not (self.cleaned_data["step"] or self.cleaned_data["like"])


class TakeBackForm(forms.Form):
    seq = forms.IntegerField(min_value=0)

    @property
    def action(self) -> dict[str, int]:
        return dict(self.cleaned_data)


class AbandonForm(forms.Form):
    seq = forms.IntegerField(min_value=0, required=False)

    @property
    def action(self) -> dict[str, int | None]:
        return dict(self.cleaned_data)


if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

    PlayerForm = forms.ModelForm[Player]
    PasswordsMixin = SetPasswordMixin[User]
else:
    PlayerForm = forms.ModelForm
    PasswordsMixin = SetPasswordMixin


def list_languages() -> list[tuple[str, "StrOrPromise"]]:
    """Return the languages, each named in its own language, so that its speakers find it."""
    languages = [
        (code, get_language_info(code)["name_local"].capitalize())
        for code, _name in settings.LANGUAGES
    ]
    return [("", _("Your browser's language")), *languages]


# Settings of the coach, and settings that do not matter in a trial.
OF_THE_COACH = ("coach", "coach_threshold")
NOT_IN_A_TRIAL = (*OF_THE_COACH, "confirm_costly", "ruleset")


class SettingsForm(PlayerForm):
    language = forms.ChoiceField(
        label=_("Language"),
        required=False,
        choices=list_languages,
    )

    ruleset = forms.ChoiceField(
        label=_("Rules for new games"), required=False, choices=labels.list_ruleset_choices
    )
    read_out = forms.ChoiceField(
        label=_("Screen reader announcements"), required=False, choices=Player.ReadOut.choices
    )

    class Meta:
        model = Player
        fields = [
            "language",
            "theme",
            "ruleset",
            "coach",
            "coach_threshold",
            "confirm_costly",
            "confirm_boxes",
            "sound",
            "vibration",
            "greetings",
            "read_out",
        ]
        help_texts = {"coach": _("The better you play, the smaller the costs it mentions.")}
        widgets = {
            "theme": forms.RadioSelect,
            "coach_threshold": forms.NumberInput(attrs={"min": 0.1, "max": 5, "step": 0.1}),
        }

    def __init__(self, *args: Any, without: Sequence[str] = (), **more: Any) -> None:
        super().__init__(*args, **more)
        for name in without:
            del self.fields[name]

    def clean_ruleset(self) -> str:
        """Return the ruleset in the request, or else the player's current ruleset."""
        return self.cleaned_data["ruleset"] or str(self.instance.ruleset)

    def clean_read_out(self) -> str:
        return self.cleaned_data["read_out"] or str(self.instance.read_out)

    @property
    def wishes(self) -> dict[str, Any]:
        """All settings: the values that the form sent, and the current values of the others."""
        kept = {name: getattr(self.instance, name) for name in self.Meta.fields}
        return kept | self.cleaned_data


class NicknameForm(forms.Form):
    """A form for a nickname. ``store_nickname`` decides whether the site accepts it."""

    nickname = forms.CharField(
        label=_("Nickname"),
        required=False,
        max_length=100,
        widget=forms.TextInput(attrs={"autocomplete": "nickname", "maxlength": NICKNAME}),
    )
    next = forms.CharField(required=False, widget=forms.HiddenInput)  # the next page


class RecoveryForm(PasswordsMixin, forms.Form):
    username = forms.CharField(
        label=_("Username"),
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "username"}),
    )
    code = forms.CharField(
        label=_("Recovery code"),
        max_length=100,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    password1, password2 = SetPasswordMixin.create_password_fields()

    def clean(self) -> dict[str, object]:
        self.validate_passwords()
        named = User(username=self.cleaned_data.get("username", ""))
        self.validate_password_for_user(named, "password2")
        return super().clean() or self.cleaned_data


class DeleteForm(forms.Form):
    confirm = forms.BooleanField(label=_("Delete everything; this cannot be undone"))


class PasswordForm(forms.Form):
    password = forms.CharField(
        label=_("Password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def __init__(self, user: User, data: Mapping[str, object] | None) -> None:
        super().__init__(data)
        self.user = user

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        if not self.user.check_password(password):
            raise forms.ValidationError(_("That is not the password for this account."))
        return password


class AccountDeleteForm(DeleteForm, PasswordForm):
    field_order = ("confirm", "password")
