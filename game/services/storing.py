"""New rows by an INSERT that is put together once, as ``game/selectors/prepared.py`` has queries;
and many games deleted: with their decisions and throws, and nothing left behind."""

from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import Field, Model, QuerySet
from django.db.models.signals import post_save
from django.db.models.sql import InsertQuery
from django.utils.functional import cached_property

from game.models import Game
from solver.advice import Entry

M = TypeVar("M", bound=Model)
JUDGED = ("best", "value", "regret", "luck", "forced")
AT_ONCE = 50  # games; a database takes only so many values in one statement


class Insert(Generic[M]):
    """Of a model whose key the database gives; who listens for new rows is told, as by ``save``."""

    def __init__(self, model: type[M]) -> None:
        self.model = model

    def __call__(self, **values: Any) -> None:
        one = self.model(**values)
        sql, fields = self._kept
        connection = connections[DEFAULT_DB_ALIAS]  # itself: its proxy finds it for each attribute
        with connection.cursor() as cursor:
            cursor.execute(
                sql,
                [field.get_db_prep_save(field.pre_save(one, True), connection) for field in fields],
            )
        post_save.send(
            self.model,
            instance=one,
            created=True,
            update_fields=None,
            raw=False,
            using=DEFAULT_DB_ALIAS,
        )

    @cached_property
    def _kept(self) -> tuple[str, "list[Field[Any, Any]]"]:
        fields = [
            field for field in self.model._meta.local_concrete_fields if not field.primary_key
        ]
        query = InsertQuery(self.model)
        query.insert_values(fields, [self.model()])
        ((sql, _),) = query.get_compiler(DEFAULT_DB_ALIAS).as_sql()
        return sql, fields


def judgement(entry: Entry | None) -> dict[str, float | bool]:
    """These columns of a decision; none of them where nothing can be said."""
    return {} if entry is None else {name: getattr(entry, name) for name in JUDGED}


def games_delete(*, games: QuerySet[Game]) -> None:
    """In portions, so that whoever has played for years can be forgotten too.

    A move that is being stored is waited for: its row would forbid the deletion of its game.
    """
    keys = list(games.select_for_update(of=("self",)).values_list("pk", flat=True))
    for at in range(0, len(keys), AT_ONCE):
        Game.objects.filter(pk__in=keys[at : at + AT_ONCE]).delete()
