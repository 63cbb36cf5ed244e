"""Numba for players: compilation of plain functions together with the helpers that they call.

A strategy is written as plain functions, so that a list of players does not load the compiler. This
module converts the functions to kernels. The compiled code is cached in a folder that is named
after a hash of all its sources, as in ``dp.compiled``.
"""

from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

from numba import njit

from solver.dp.compiled import make_kernel_for

kernel = make_kernel_for(Path(__file__).resolve().parent)
# With this decorator LLVM may reorder sums of float32 numbers, and can therefore vectorise them.
fast: Any = njit(fastmath=True, error_model="numpy")


@cache
def specialise(template: FunctionType, name: str, helper: FunctionType) -> Any:
    """Compile a copy of ``template`` in which the global variable called ``name`` is ``helper``.
    Numba does not cache kernels that receive functions as arguments. It caches these kernels,
    because each helper gets a kernel with a separate name."""
    names = {**template.__globals__, name: inlined(helper)}
    title = "_".join((template.__name__, *helper.__module__.split("."), helper.__name__))
    copy = FunctionType(template.__code__, names, title)
    copy.__qualname__ = title
    return kernel(copy)


@cache
def inlined(function: FunctionType) -> Any:
    """Compile the function together with the functions of this package that it calls."""
    names = {n: v for n, v in function.__globals__.items() if n in function.__code__.co_names}
    for name, value in names.items():
        if isinstance(value, FunctionType) and value.__module__.startswith("solver.players."):
            names[name] = inlined(value)
    names["__name__"] = function.__module__  # numba reads this name when it loads cached code
    copy = FunctionType(function.__code__, names, function.__name__, function.__defaults__)
    return njit(copy)
