"""The addresses of the site: of the admin pages, and of the installed apps of the game."""

from importlib import import_module
from typing import Any

from django.apps import apps
from django.contrib import admin
from django.urls import include, path, re_path

from game.pages.account_views import admin_sign_in
from game.pages.sockets.board_sockets import NowhereConsumer
from game.urls import websocket_urlpatterns as game_sockets

INSTALLED = [
    import_module(f"{app}.urls")
    for app in ("game", "game.lab", "game.trials")
    if apps.is_installed(app)
]
urlpatterns = [
    path("admin/login/", admin_sign_in),  # Django's own page does not limit attempts
    path("admin/", admin.site.urls),
    *(path("", include(app)) for app in INSTALLED),
]
# Channels uses Django's URL patterns, but their type annotations allow only views.
NOWHERE: Any = NowhereConsumer.as_asgi()
websocket_urlpatterns: list[Any] = [*game_sockets, re_path(r"", NOWHERE)]
handler403 = "game.pages.error_views.permission_denied"
handler404 = "game.pages.error_views.not_found"
handler500 = "game.pages.error_views.server_error"
