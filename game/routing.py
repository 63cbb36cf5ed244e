"""Addresses of the sockets."""

from typing import Any

from django.urls import path, re_path

from game.consumers.boards import NowhereConsumer, OwnerConsumer, WatchConsumer
from game.consumers.duels import DuelConsumer
from game.trials.monitor.sockets import TrialConsumer

# Channels routes with Django's own patterns, whose types know of views only.
OWNER: Any = OwnerConsumer.as_asgi()
WATCH: Any = WatchConsumer.as_asgi()
DUEL: Any = DuelConsumer.as_asgi()
TRIAL: Any = TrialConsumer.as_asgi()
NOWHERE: Any = NowhereConsumer.as_asgi()

websocket_urlpatterns: list[Any] = [
    path("ws/games/<slug:game_id>/", OWNER),
    path("ws/watch/<slug:share_token>/", WATCH),
    path("ws/duels/<slug:token>/", DUEL),
    path("ws/trials/<slug:slug>/", TRIAL),
    re_path(r"", NOWHERE),
]
