"""How many queries of the database a page may make, whoever opens it."""

USUAL_QUERIES = 10
QUERIES = {
    "admin/auth/user/<path:object_id>/delete/": 16,
    "drill/": 15,
    "drill/<int:attempt_id>/": 14,
    "duel/<slug:token>/": 12,
    "duels/": 11,
    "duels/<slug:token>/": 12,
    "history/": 13,
    "profile/": 13,
    "review/<slug:share_token>/": 11,
    "review/<slug:share_token>/learn": 11,
    "review/<slug:share_token>/steps/": 11,
    "statistics/": 12,
    "trials/<slug:slug>/": 16,
    "trials/<slug:slug>/export.zip": 64,
    "trials/<slug:slug>/open-link/": 12,
    "trials/<slug:slug>/public.zip": 55,
    "trials/<slug:slug>/results/": 24,
    "trials/<slug:slug>/texts/": 11,
    "watch/<slug:share_token>/": 11,
    "week/": 13,
}
