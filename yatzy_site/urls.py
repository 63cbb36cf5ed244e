from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("", include("game.urls")),
]
handler403 = "game.views.errors.permission_denied"
handler404 = "game.views.errors.not_found"
