"""The admin pages of players and games: staff can view and delete them, but never edit a move."""

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from game.core.accounts import remove_nickname, unbar_nickname
from game.core.kind import find_kind
from game.core.studies import get_studies
from game.models import Decision, Game, Player

if TYPE_CHECKING:
    PlayerModelAdmin = admin.ModelAdmin[Player]
    GameModelAdmin = admin.ModelAdmin[Game]
    DecisionModelInline = admin.TabularInline[Decision, Game]
else:
    PlayerModelAdmin = GameModelAdmin = admin.ModelAdmin
    DecisionModelInline = admin.TabularInline


class Looking:
    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class DecisionInline(Looking, DecisionModelInline):
    model = Decision
    fields = ["seq", "turn", "roll", "hold", "category", "milliseconds", "created_at"]
    extra = 0


class Deletable(Looking):
    """An admin page without Django's bulk deletion, which would also delete data of trials."""

    actions: Any = None

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether staff may delete the object. They must not delete data of a trial."""
        if isinstance(obj, Player):
            measured = get_studies().query_players().filter(pk=obj.pk).exists()
        else:
            measured = isinstance(obj, Game) and find_kind(obj).measured
        return not measured and super().has_delete_permission(request, obj)  # type: ignore[misc]


@admin.register(Player)
class PlayerAdmin(Deletable, PlayerModelAdmin):
    list_display = ["code", "user", "nickname", "nickname_barred", "created_at"]
    list_filter = ["nickname_barred"]
    list_select_related = ["user"]
    search_fields = ["code", "nickname", "user__username"]
    actions = ("take_nickname_away", "allow_nickname")  # none of these actions changes a game

    def get_actions(self, request: HttpRequest, action_location: Any = None) -> dict[str, Any]:
        """Return only the actions that this class defines, without Django's bulk deletion. Django
        6.1 passes `action_location`."""
        location = {"action_location": action_location} if action_location else {}
        actions = super().get_actions(request, **location)
        return {name: actions[name] for name in self.actions if name in actions}

    @admin.action(permissions=["delete"], description=_("Remove the nickname and bar new ones"))
    def take_nickname_away(self, request: HttpRequest, players: QuerySet[Player]) -> None:
        for player in players:
            remove_nickname(player=player)

    @admin.action(permissions=["delete"], description=_("Allow a nickname again"))
    def allow_nickname(self, request: HttpRequest, players: QuerySet[Player]) -> None:
        for player in players:
            unbar_nickname(player=player)


@admin.register(Game)
class GameAdmin(Deletable, GameModelAdmin):
    """The admin page of games. It hides the seeds, because the site's operator may play too."""

    list_display = ["id", "player", "mode", "started_at", "finished_at", "final_score"]
    list_filter = ["mode", "started_at"]
    list_select_related = ["player__user"]
    search_fields = ["id", "player__code", "player__user__username"]
    exclude = ["seed", "nonce"]
    inlines = [DecisionInline]
