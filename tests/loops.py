"""Runs coroutines of tests in a thread, because browser tests keep a loop in the main thread."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def in_a_loop(test: Coroutine[Any, Any, T]) -> T:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, test).result()


def by_loop(test: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, T]:
    @wraps(test)
    def run(*args: P.args, **more: P.kwargs) -> T:
        return in_a_loop(test(*args, **more))

    return run
