"""The URLs of the lab."""

from django.urls import include, path

from game.lab import dice as fairness
from game.lab import pages as lab
from game.lab import same_value, study
from game.lab.playbook import playbook
from game.lab.study import sources

LAB = [
    path("", lab.lab, name="lab"),
    path("players.svg", lab.lab_chart, name="lab_chart"),
    path("tournament/", lab.tournament, name="lab_tournament"),
    path("learners/", lab.learners, name="lab_learners"),
    path("solve-here/", lab.solve_here, name="solve_here"),
    path("solve-here/facts.json", lab.facts, name="solve_here_facts"),
    path("playbook/", playbook, name="playbook"),
    path("same-value/", same_value.same_value, name="same_value"),
    path("same-value/<int:seed>/<str:name>", same_value.same_value_file, name="same_value_file"),
    path("players/<slug:player_id>/", lab.lab_player, name="lab_player"),
    path("players/<slug:player_id>/<str:name>", lab.lab_file, name="lab_file"),
]
urlpatterns = [
    path("lab/sources/", sources, name="lab_sources"),
    path("lab/workbench/", lab.workbench, name="workbench"),
    path("lab/answers/", study.answers, name="lab_answers"),
    path("lab/study/", study.study, name="study"),
    path("lab/study/readings/", study.readings, name="study_readings"),
    path("lab/study/<str:name>", study.study_file, name="study_file"),
    path("lab/", include(LAB)),
    path("lab/<slug:ruleset>/", include(LAB)),
    path("dice-test/", fairness.dice_test, name="dice_test"),
]
