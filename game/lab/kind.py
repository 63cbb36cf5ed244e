"""The kind of lab games: a person plays on dice on which bots have played, without a coach."""

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.utils.translation import gettext as _

from game.core.kind import StartedKind, Wish
from game.core.refusals import NoSuchGame, NoTable, NotUnderstood, Refused
from game.core.worth.tables import load_advisor
from game.lab.labels import make_lab_url
from game.lab.same_value import (
    MOST_GAMES,
    MOST_SEED,
    find_game_under_way,
    read_stored_test,
    same_value_page,
)
from game.models import Game, Player
from game.pages.presentation import Presentation
from game.pages.requests.forms import StartForm
from game.pages.requests.visitors import PlayRequest


class LabKind(StartedKind):
    mode = Game.Mode.LAB
    counted = False
    thrown = False
    fields = {
        "lab_seed": forms.IntegerField(min_value=0, max_value=MOST_SEED),
        "lab_number": forms.IntegerField(min_value=1, max_value=MOST_GAMES),
    }

    @property
    def label(self) -> str:
        return _("Lab game %(number)s") % {"number": self.game.lab_number}

    @property
    def dice_from(self) -> str:
        return f"the lab's, game {self.game.lab_number} of seed {self.game.lab_seed}"

    @property
    def results_url(self) -> str:
        seed, number = self.game.lab_seed, self.game.lab_number
        return f"{make_lab_url('same_value', self.game.rules)}?seed={seed}&game={number}#game"

    @classmethod
    def needs_ticket(cls, player: Player | None, wish: Wish) -> bool:
        return player is None

    @classmethod
    def check(cls, wish: Wish) -> None:
        if None in (wish.more.get("lab_seed"), wish.more.get("lab_number")):
            raise NotUnderstood

    @classmethod
    def card(cls, owner: Player | None, wish: Wish) -> Game:
        seed, number = wish.more["lab_seed"], wish.more["lab_number"]
        game = Game(mode=cls.mode, lab_seed=seed, lab_number=number, nonce=wish.nonce)
        game.ruleset = wish.ruleset or game.ruleset
        if owner is not None and (
            under_way := find_game_under_way(owner, game.rules, seed, number)
        ):
            return under_way
        test = read_stored_test(seed, game.rules)
        if test is None or not test.can_be_played(number):
            raise NoSuchGame
        if load_advisor(game.rules) is None:
            raise NoTable
        return game


def _show_refusal(request: PlayRequest, form: StartForm, refusal: Refused) -> HttpResponse | None:
    if not form.is_valid():
        return None
    messages.warning(request, refusal.message)
    block = (form.cleaned_data["lab_seed"], form.cleaned_data["lab_number"])
    return same_value_page(request, form.rules or Game().rules, *block, status=refusal.status)


KIND = LabKind
PAGES = Presentation(again="lab/_again.html", proof="lab/_verify.html", not_begun=_show_refusal)
