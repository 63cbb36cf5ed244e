from django.urls import include, path

from game.views import accounts, coach, days, drill, explore, pages, play, profile

urlpatterns = [
    path("", play.play, name="play"),
    path("games/", play.game_start, name="game_start"),
    path("games/<slug:game_id>/", play.game, name="game"),
    path("games/<slug:game_id>/hold", play.game_hold, name="game_hold"),
    path("games/<slug:game_id>/score", play.game_score, name="game_score"),
    path("games/<slug:game_id>/abandon", play.game_abandon, name="game_abandon"),
    path("games/<slug:game_id>/verify", play.game_verify, name="game_verify"),
    path("games/<slug:game_id>/hint", coach.hint, name="game_hint"),
    path("games/<slug:game_id>/review", coach.game_review, name="review"),
    path("review/<slug:share_token>/", coach.review_shared, name="review_shared"),
    path("explore/", explore.explore, name="explore"),
    path("api/", include("game.api.urls")),
    path("watch/<slug:share_token>/", play.watch, name="watch"),
    path("daily/", days.daily_view, name="daily"),
    path("drill/", drill.drill, name="drill"),
    path("drill/<int:attempt_id>/", drill.drill_answer, name="drill_answer"),
    path("history/", pages.history, name="history"),
    path("history/export", pages.export, name="export"),
    path("profile/", profile.profile, name="profile"),
    path("settings/", pages.settings, name="settings"),
    path("rules/", pages.rules, name="rules"),
    path("fair/", pages.fair, name="fair"),
    path("account/signup/", accounts.signup, name="signup"),
    path("account/login/", accounts.Login.as_view(), name="login"),
    path("account/logout/", accounts.Logout.as_view(), name="logout"),
    path("account/delete/", accounts.account_delete, name="account_delete"),
]
