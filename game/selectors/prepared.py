"""Queries whose SQL is put together once and asked again with other values.

For the few that every action asks: to put a query together takes the ORM up to a millisecond, ten
times as long as the database takes to answer it. What is kept follows from the models alone: the
text, the order of its columns and how they are read. No answer is kept.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.models import Model, QuerySet, Value
from django.db.models.query import get_related_populators
from django.db.models.sql.compiler import SQLCompiler
from django.utils.functional import cached_property

M = TypeVar("M", bound=Model)
Row = Sequence[Any]


class Given(Value):
    """The place of a value that is known when the query is asked."""

    def as_sql(self, compiler: SQLCompiler, connection: Any) -> tuple[str, tuple[Any, ...]]:
        return "%s", (self,)


class Prepared(Generic[M]):
    """A query of ``values`` texts, numbers or keys, none of which may be None."""

    def __init__(self, query: Callable[..., QuerySet[M, Any]], *, values: int) -> None:
        self.query = query
        self.values = values

    def rows(self, *given: Any) -> Iterable[Row]:
        compiler, converters, _ = self._kept
        with connection.cursor() as cursor:
            cursor.execute(*self.statement(*given))
            found = cursor.fetchall()
        return compiler.apply_converters(found, converters)

    def models(self, *given: Any) -> Iterator[M]:
        """As Django's own ModelIterable makes them of rows."""
        model, columns, names, related = self._made_of
        for row in self.rows(*given):
            found = model.from_db(DEFAULT_DB_ALIAS, names, row[columns])
            for one in related:
                one.populate(row, found)
            yield found

    def first(self, *given: Any) -> M | None:
        return next(self.models(*given), None)

    def statement(self, *given: Any) -> tuple[str, tuple[Any, ...]]:
        sql, parameters = self._kept[2]
        return sql, tuple(given[p.value] if isinstance(p, Given) else p for p in parameters)

    @cached_property
    def _kept(self) -> tuple[SQLCompiler, dict[int, Any], tuple[str, tuple[Any, ...]]]:
        query = self.query(*map(Given, range(self.values))).query
        compiler = query.get_compiler(DEFAULT_DB_ALIAS)
        sql, parameters = compiler.as_sql()
        compiler.connection = connections.create_connection(DEFAULT_DB_ALIAS)  # of no thread
        expressions = [column[0] for column in compiler.select[: compiler.col_count]]
        return compiler, compiler.get_converters(expressions), (sql, tuple(parameters))

    @cached_property
    def _made_of(self) -> tuple[type[M], slice, list[str], list[Any]]:
        compiler = self._kept[0]
        of = compiler.klass_info
        columns = slice(of["select_fields"][0], of["select_fields"][-1] + 1)
        names = [column[0].target.attname for column in compiler.select[columns]]
        related = get_related_populators(  # type: ignore[call-arg]  # stubs of a later Django
            of, compiler.select, DEFAULT_DB_ALIAS
        )
        return of["model"], columns, names, related
