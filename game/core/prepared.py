"""Queries whose SQL is built once, and then run with different values.

Every action needs a few of these queries. The ORM takes up to a millisecond to build one, ten times
as long as the database takes to answer. The cache contains only the SQL, the order of its columns
and the functions that convert them. They depend only on the models. Results are never cached.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import Model, QuerySet, Value
from django.db.models.sql.compiler import SQLCompiler
from django.utils.functional import cached_property

M = TypeVar("M", bound=Model)
Row = Sequence[Any]


class Given(Value):
    def as_sql(self, compiler: SQLCompiler, connection: Any) -> tuple[str, tuple[Any, ...]]:
        return "%s", (self,)


class JoinedModel:
    """The columns of one related object in a row that a query returns. They begin at index
    ``first``; ``path`` is the name of the relation."""

    def __init__(self, path: str, model: Any, first: int) -> None:
        self.path = path
        self.holder, _, self.attribute = path.rpartition("__")
        self.model = model
        self.names = [field.attname for field in model._meta.concrete_fields]
        self.columns = slice(first, first + len(self.names))
        self.key = first + self.names.index(model._meta.pk.attname)

    def build(self, row: Row) -> Any:
        if row[self.key] is None:
            return None
        return self.model.from_db(DEFAULT_DB_ALIAS, self.names, row[self.columns])


class Prepared(Generic[M]):
    """A query whose SQL is built once. ``values`` is its number of parameters; none may be None.

    ``related`` returns names for ``select_related``, in the order in which Django selects their
    columns. ``of_last`` is the index of a column that is slow to convert, such as a date. Only the
    last row has the converted value; the other rows have the database's value.
    """

    def __init__(
        self,
        query: Callable[..., QuerySet[M, Any]],
        *,
        values: int,
        related: Callable[[], Sequence[str]] = tuple,
        of_last: int | None = None,
    ) -> None:
        self.query = query
        self.values = values
        self.related = related
        self.of_last = of_last

    def rows(self, *given: Any) -> Iterable[Row]:
        compiler, converters, _ = self._compiled
        with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
            cursor.execute(*self.fill_statement(*given))
            fetched = cursor.fetchall()
        if self.of_last not in converters:
            return compiler.apply_converters(fetched, converters)
        of_all = {at: how for at, how in converters.items() if at != self.of_last}
        before = compiler.apply_converters(fetched[:-1], of_all)
        return chain(before, compiler.apply_converters(fetched[-1:], converters))

    def fetch_models(self, *given: Any) -> Iterator[M]:
        parts = self._parts
        for row in self.rows(*given):
            made: dict[str, Any] = {}
            for part in parts:
                model = made[part.path] = part.build(row)
                if part.path and model is not None:
                    setattr(made[part.holder], part.attribute, model)
            yield made[""]

    def first(self, *given: Any) -> M | None:
        return next(self.fetch_models(*given), None)

    def fill_statement(self, *given: Any) -> tuple[str, tuple[Any, ...]]:
        sql, parameters = self._compiled[2]
        return sql, tuple(given[p.value] if isinstance(p, Given) else p for p in parameters)

    def build_query(self, *given: Any) -> QuerySet[M, Any]:
        query = self.query(*given)
        related = self.related()
        return query.select_related(*related) if related else query

    @cached_property
    def _compiled(self) -> tuple[SQLCompiler, dict[int, Any], tuple[str, tuple[Any, ...]]]:
        query = self.build_query(*map(Given, range(self.values))).query
        compiler = query.get_compiler(DEFAULT_DB_ALIAS)
        sql, parameters = compiler.as_sql()
        compiler.connection = connections.create_connection(
            DEFAULT_DB_ALIAS
        )  # all threads share this cache
        expressions = [column[0] for column in compiler.select[: compiler.col_count]]
        return compiler, compiler.get_converters(expressions), (sql, tuple(parameters))

    @cached_property
    def _parts(self) -> list[JoinedModel]:
        """The models in the order of their columns, beginning with the main model."""
        parts = {"": JoinedModel("", self._compiled[0].query.model, 0)}
        end = parts[""].columns.stop
        for path in self.related():
            holder, _, attribute = path.rpartition("__")
            model = parts[holder].model._meta.get_field(attribute).related_model
            parts[path] = JoinedModel(path, model, end)
            end = parts[path].columns.stop
        return list(parts.values())
