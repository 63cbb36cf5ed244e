from django.urls import path

from game.api import views

urlpatterns = [
    path("", views.index, name="api"),
    path("v1/advise", views.advise, name="api_advise"),
    path("v1/ledger", views.ledger, name="api_ledger"),
    path("v1/rulesets", views.rulesets, name="api_rulesets"),
    path("v1/openapi.json", views.openapi, name="api_openapi"),
    path("<path:rest>", views.nowhere),
]
