"""The advisors of this process, one a ruleset, opened when first asked for."""

import logging
from functools import lru_cache

from solver.advice import Advisor
from solver.rules import Ruleset
from solver.tables import TableError

logger = logging.getLogger(__name__)


@lru_cache(maxsize=8)
def _open(rules: Ruleset) -> Advisor:
    return Advisor.open(rules)


def advisor(rules: Ruleset) -> Advisor | None:
    """None while there is no sound table: the game goes on without its coach."""
    try:
        return _open(rules)
    except TableError as error:
        logger.warning("the coach is silent: %s", error)
        return None
