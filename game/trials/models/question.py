"""The questions that a trial asks in addition to its games, and participants' answers."""

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q

from game.trials.models.trial import Participant, Trial


class QuestionFile(models.Model):
    """A version of a trial's questions. The latest version counts; the first consent fixes it."""

    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="question_files")
    version = models.PositiveSmallIntegerField(validators=[MinValueValidator(1)])
    text = models.TextField(blank=True)  # empty if the researcher removed the questions
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "game_questionfile"
        verbose_name = "file of questions"
        verbose_name_plural = "files of questions"
        ordering = ["trial", "version"]
        constraints = [
            models.UniqueConstraint(
                name="question_file_one_per_version", fields=["trial", "version"]
            )
        ]

    def __str__(self) -> str:
        return f"{self.trial_id} version {self.version}"


class Answer(models.Model):
    """A participant's answer to a question. A question that the participant did not reach has no
    row. The answer can change until its page is complete, because the browser sends the page again
    if an answer is missing or wrong."""

    class State(models.TextChoices):
        ANSWERED = "answered", "answered"
        DECLINED = "declined", "declined to answer"
        SKIPPED = "skipped", "skipped"

    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="answers")
    key = models.CharField(max_length=81)
    moment = models.CharField(max_length=8)
    game = models.PositiveSmallIntegerField(default=0)  # number of the previous game, or 0
    value = models.TextField(blank=True, default="")
    state = models.CharField(max_length=8, choices=State.choices)
    passed = models.BooleanField(null=True, blank=True)  # null if the question has no check
    tries = models.PositiveSmallIntegerField(default=0)
    seconds = models.FloatField(null=True, blank=True)
    at = models.DateTimeField()
    page_finished = models.BooleanField(default=False)

    class Meta:
        db_table = "game_answer"
        ordering = ["participant", "at", "pk"]
        constraints = [
            models.UniqueConstraint(
                name="answer_one_per_question", fields=["participant", "key", "game"]
            ),
            models.CheckConstraint(
                name="answer_has_a_value_when_answered",
                condition=(Q(state="answered") & ~Q(value=""))
                | (~Q(state="answered") & Q(value="")),
            ),
            models.CheckConstraint(
                name="answer_between_games_names_one",
                condition=Q(moment="between", game__gt=0)
                | Q(moment__in=["before", "after"], game=0),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.participant_id} {self.key}: {self.state}"
