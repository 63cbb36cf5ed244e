"""What a test expects to be there."""

from typing import TypeVar

T = TypeVar("T")


def known(found: T | None) -> T:
    """What may be missing elsewhere; here it may not."""
    assert found is not None
    return found
