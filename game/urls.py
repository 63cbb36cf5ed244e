"""The addresses of pages, of the API, and of WebSockets."""

from typing import Any

from django.urls import include, path
from django.views.generic import RedirectView

from game.api import api_views as api
from game.duels import duel_views, parties, reminders
from game.duels.duel_sockets import DuelConsumer
from game.offline import archive, offline_views, shell_views
from game.pages import (
    account_views,
    error_views,
    exporting,
    leaders,
    page_views,
    play_views,
    rematch_kind,
    review_views,
)
from game.pages.daily import daily_views
from game.pages.sockets.board_sockets import OwnerConsumer, WatchConsumer
from game.practice import (
    again_views,
    answered,
    doors,
    drill_views,
    explore,
    five,
    learn_views,
    lessons,
    lists,
    profile_views,
)

TO_LEARN = RedirectView.as_view(pattern_name="learn_hub", query_string=True)
TO_YOU = RedirectView.as_view(pattern_name="you", query_string=True)  # old addresses
API = [
    path("", api.index, name="api"),
    path("v1/advise", api.advise, name="api_advise"),
    path("v1/ledger", api.ledger, name="api_ledger"),
    path("v1/rulesets", api.rulesets, name="api_rulesets"),
    path("v1/openapi.json", api.openapi, name="api_openapi"),
    path("<path:rest>", api.nowhere),
]
urlpatterns = [
    path("", play_views.play, name="play"),
    path("welcome/", play_views.welcomed, name="welcomed"),
    path("games/", play_views.game_start, name="game_start"),
    path("games/<slug:game_id>/", play_views.game, name="game"),
    path("games/<slug:game_id>/hold", play_views.game_hold, name="game_hold"),
    path("games/<slug:game_id>/throw", play_views.game_throw, name="game_throw"),
    path("games/<slug:game_id>/score", play_views.game_score, name="game_score"),
    path("games/<slug:game_id>/back", play_views.game_take_back, name="game_take_back"),
    path("games/<slug:game_id>/abandon", play_views.game_abandon, name="game_abandon"),
    path("games/<slug:game_id>/verify", play_views.game_verify, name="game_verify"),
    path("games/<slug:game_id>/coach", play_views.panel, name="game_coach"),
    path("games/<slug:game_id>/chance", play_views.chance, name="game_chance"),
    path("games/<slug:game_id>/hint", play_views.hint, name="game_hint"),
    path("games/<slug:game_id>/review", review_views.game_review, name="review"),
    path("games/<slug:game_id>/review/", review_views.game_review_steps, name="review_steps"),
    path("games/<slug:game_id>/learn", learn_views.game_learn, name="learn"),
    path("review/<slug:share_token>/", review_views.review_shared, name="review_shared"),
    path(
        "review/<slug:share_token>/picture.png", review_views.review_picture, name="review_picture"
    ),
    path(
        "review/<slug:share_token>/steps/",
        review_views.review_shared_steps,
        name="review_shared_steps",
    ),
    path("review/<slug:share_token>/learn", learn_views.learn_shared, name="learn_shared"),
    path("tables/<slug:ruleset>/<slug:part>/", error_views.tables, name="tables"),
    path("manifest.webmanifest", shell_views.manifest, name="manifest"),
    path("service-worker.js", shell_views.service_worker, name="service_worker"),
    path("offline/", offline_views.away, name="offline"),
    path("offline/stored/", offline_views.stored, name="offline_stored"),
    path("offline/table/", offline_views.table, name="offline_table"),
    path("offline/facts.json", offline_views.facts, name="offline_facts"),
    path("offline/games", offline_views.hand_in, name="offline_games"),
    path("report/", error_views.report, name="report"),
    path("privacy/", page_views.privacy, name="privacy"),
    path("robots.txt", page_views.robots, name="robots"),
    path(".well-known/security.txt", page_views.security, name="security"),
    path("livez", error_views.livez, name="livez"),
    path("healthz", error_views.healthz, name="healthz"),
    path("readyz", error_views.readyz, name="readyz"),
    path("explore/", explore.explore, name="explore"),
    path("api/", include(API)),
    path("beat/<str:signed>/", rematch_kind.beat, name="beat"),
    path("beat/<str:signed>/picture.png", rematch_kind.beat_picture, name="beat_picture"),
    path("watch/<slug:share_token>/", play_views.watch, name="watch"),
    path("daily/", daily_views.daily_view, name="daily"),
    path("daily/result/<str:signed>/", daily_views.result, name="day_result"),
    path("daily/result/<str:signed>/picture.png", daily_views.picture, name="day_picture"),
    path("daily/<slug:ruleset>/", daily_views.daily_view, name="daily"),
    path("table/", parties.party_new, name="party_new"),
    path("table/<slug:party_id>/", parties.party, name="party"),
    path("duels/", duel_views.lobby, name="duels"),
    path("duel/<slug:token>/", duel_views.duel, name="duel"),
    path("duels/reminders/", reminders.waiting, name="reminders"),
    path("duels/reminders/keep", reminders.keep, name="reminder_keep"),
    path("duels/reminders/stop", reminders.stop, name="reminder_stop"),
    path("duels/<slug:token>/", duel_views.duel, name="duel_below_list"),
    path("duel/<slug:token>/join", duel_views.join, name="duel_join"),
    path("duel/<slug:token>/leave", duel_views.leave, name="duel_leave"),
    path("duel/<slug:token>/claim", duel_views.claim, name="duel_claim"),
    path("duel/<slug:token>/call-off", duel_views.call_off, name="duel_call_off"),
    path("duel/<slug:token>/greet", duel_views.greet, name="duel_greet"),
    path("duel/<slug:token>/rematch", duel_views.rematch, name="duel_rematch"),
    path("learn/", doors.learn, name="learn_hub"),
    path("you/", profile_views.you, name="you"),
    path("drill/", drill_views.drill, name="drill"),
    path("drill/again/", again_views.drill_again, name="drill_again"),
    path("drill/lessons/", lessons.lessons, name="lessons"),
    path("drill/history/", answered.drill_history, name="drill_history"),
    path("drill/lists/", lists.lists, name="lists"),
    path("drill/lists/keep", lists.keep, name="position_keep"),
    path("drill/lists/<slug:list_token>/", lists.position_list, name="position_list"),
    path("drill/lists/<slug:list_token>/rename", lists.rename, name="list_rename"),
    path("drill/lists/<slug:list_token>/remove", lists.remove, name="position_remove"),
    path("drill/lists/<slug:list_token>/delete", lists.delete, name="list_delete"),
    path("drill/<int:attempt_id>/", drill_views.drill_answer, name="drill_answer"),
    path("leaders/", leaders.leaders, name="leaders"),
    path("leaders/<slug:ruleset>/", leaders.leaders, name="leaders"),
    path("nickname/", leaders.nickname, name="nickname"),
    path("five/", five.five, name="five"),
    path("five/<slug:ruleset>/", five.five, name="five"),
    path("history/", TO_YOU, name="history"),
    path("history/archive", archive.archive, name="archive"),
    path("history/export", exporting.export, name="export"),
    path("statistics/", TO_YOU, name="statistics"),
    path("profile/", TO_YOU, name="profile"),
    path("profile/leaks/", TO_LEARN, name="leaks"),
    path("week/", TO_YOU, name="week"),
    path("settings/", page_views.settings, name="settings"),
    path("rules/", page_views.rules, name="rules"),
    path("rules/<slug:ruleset>/", page_views.rules, name="rules"),
    path("fair/", page_views.fair, name="fair"),
    path("account/signup/", account_views.signup, name="signup"),
    path("account/login/", account_views.Login.as_view(), name="login"),
    path("account/logout/", account_views.Logout.as_view(), name="logout"),
    path("account/", account_views.account, name="account"),
    path("account/password/", account_views.account_password, name="account_password"),
    path("account/recovery-code/", account_views.account_code, name="account_code"),
    path("account/recover/", account_views.account_recover, name="account_recover"),
    path("account/delete/", account_views.account_delete, name="account_delete"),
]


# Channels uses Django's URL patterns, but their type annotations allow only views.
OWNER: Any = OwnerConsumer.as_asgi()
WATCH: Any = WatchConsumer.as_asgi()
DUEL: Any = DuelConsumer.as_asgi()

websocket_urlpatterns: list[Any] = [
    path("ws/games/<slug:game_id>/", OWNER),
    path("ws/watch/<slug:share_token>/", WATCH),
    path("ws/duels/<slug:token>/", DUEL),
]
