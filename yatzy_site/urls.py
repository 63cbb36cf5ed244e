from django.contrib import admin
from django.urls import include, path

from game.trials.staff import admin_sign_in

urlpatterns = [
    path("admin/login/", admin_sign_in),  # Django's own sign-in does not limit attempts
    path("admin/", admin.site.urls),
    path("", include("game.urls")),
]
handler403 = "game.pages.error_views.permission_denied"
handler404 = "game.pages.error_views.not_found"
handler500 = "game.pages.error_views.server_error"
