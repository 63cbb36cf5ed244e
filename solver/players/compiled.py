"""numba for players: plain functions compiled with the helpers they name.

A strategy is written as plain functions, so that anyone who only lists the players loads no
compiler; here they become kernels. Their machine code is kept in a folder named after all the
sources it comes from, as in ``dp.compiled``.
"""

from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

from numba import njit

from solver.dp.compiled import kernel_of

kernel = kernel_of(Path(__file__).resolve().parent)
# For helpers of float32 that LLVM may reorder, and so turn into vectors.
fast: Any = njit(fastmath=True, error_model="numpy")


@cache
def specialised(template: FunctionType, name: str, helper: FunctionType) -> Any:
    """Return a kernel out of a plain function that calls something by this global name: this
    helper.

    numba keeps no machine code of kernels that are given functions; but it does where each helper
    makes a kernel with a name of its own.
    """
    names = {**template.__globals__, name: inlined(helper)}
    own_name = "_".join((template.__name__, *helper.__module__.split("."), helper.__name__))
    copy = FunctionType(template.__code__, names, own_name)
    copy.__qualname__ = own_name
    return kernel(copy)


@cache
def inlined(function: FunctionType) -> Any:
    """Return the function and the functions of this package that it calls, compiled; both stay
    plain."""
    around = function.__globals__
    used = {name: around[name] for name in function.__code__.co_names if name in around}
    names = {name: inlined(v) if _is_helper(v) else v for name, v in used.items()}
    names["__name__"] = function.__module__  # where numba looks when it loads kept machine code
    copy = FunctionType(function.__code__, names, function.__name__, function.__defaults__)
    return njit(copy)


def _is_helper(value: Any) -> bool:
    return isinstance(value, FunctionType) and value.__module__.startswith("solver.players.")
