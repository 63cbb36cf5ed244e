"""The URLs of trials, for participants and for staff."""

from django.urls import path

from game.trials import pages as trials
from game.trials.exports import pages as trial_exports
from game.trials.joining import open_link_pages as joining
from game.trials.joining import pages as participation
from game.trials.joining import question_pages as asking

urlpatterns = [
    path("take-part/", participation.home, name="take_part"),
    path("take-part/agree", participation.agree, name="take_part_agree"),
    path("take-part/answers", participation.answers, name="take_part_answers"),
    path("take-part/asked", asking.page, name="take_part_asked"),
    path("take-part/game", participation.next_game, name="take_part_game"),
    path("take-part/pass", participation.pass_on, name="take_part_pass"),
    path("take-part/go-on", participation.go_on, name="take_part_go_on"),
    path("take-part/leave", participation.leave, name="take_part_leave"),
    path("take-part/withdraw", participation.withdraw, name="take_part_withdraw"),
    path("take-part/page", participation.page, name="take_part_page"),
    path("take-part/<str:signed>/", participation.link, name="take_part_link"),
    path("join/<slug:token>/", joining.join, name="join"),
    path("join/<slug:token>/agree", joining.join_agree, name="join_agree"),
    path("join/<slug:token>/arrived", joining.join_arrived, name="join_arrived"),
    path("join/<slug:token>/code", joining.join_code, name="join_code"),
    path("join/<slug:token>/no", joining.join_decline, name="join_decline"),
    path("trials/", trials.index, name="trials"),
    path("trials/new/", trials.new, name="trial_new"),
    path("trials/<slug:slug>/", trials.trial, name="trial"),
    path("trials/<slug:slug>/questions/", asking.trial_questions, name="trial_questions"),
    path("trials/<slug:slug>/through/", trials.through, name="trial_through"),
    path("trials/<slug:slug>/lock", trials.lock, name="trial_lock"),
    path("trials/<slug:slug>/monitor/", trials.trial_monitor, name="trial_monitor"),
    path("trials/<slug:slug>/roles/", trials.roles, name="trial_staff"),
    path("trials/<slug:slug>/roles/<int:user_id>/end", trials.end, name="trial_role_end"),
    path("trials/<slug:slug>/roles/leave", trials.leave, name="trial_leave"),
    path("trials/<slug:slug>/links/", trials.links, name="trial_links"),
    path("trials/<slug:slug>/links.csv", trials.links_file, name="trial_links_file"),
    path("trials/<slug:slug>/labels.csv", joining.labels_file, name="trial_labels_file"),
    path("trials/<slug:slug>/labels/delete", joining.labels_remove, name="trial_labels_delete"),
    path("trials/<slug:slug>/results/", trials.results, name="trial_results"),
    path("trials/<slug:slug>/unmask", trials.unmask, name="trial_unmask"),
    path("trials/<slug:slug>/export.zip", trial_exports.trial_zip, name="trial_zip"),
    path(
        "trials/<slug:slug>/public.zip",
        trial_exports.trial_zip,
        {"public": True},
        name="trial_public_zip",
    ),
    path("trials/<slug:slug>/export/<path:name>", trial_exports.trial_file, name="trial_file"),
    path("trials/<slug:slug>/<slug:step>/", trials.screen, name="trial_screen"),
    path("trials/<slug:slug>/delete", trials.delete, name="trial_delete"),
    path("trials/<slug:slug>/turn/<slug:to>", trials.turn, name="trial_turn"),
    path("trials/<slug:slug>/<int:number>/release", trials.release, name="trial_release"),
    path(
        "trials/<slug:slug>/<int:number>/link/<slug:to>", trials.link_turn, name="trial_link_turn"
    ),
    path("trials/<slug:slug>/<int:number>/withdraw", trials.withdraw, name="trial_withdraw"),
]
