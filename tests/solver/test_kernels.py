"""Choices and values do not depend on the processor, except for the rounding of values."""

import json
import os
import subprocess
import sys
from functools import cache

import numpy as np
import pytest

from tests.solver import kernels
from tests.solver.kernels import Sample, settings

# What compiles everything anew takes half a minute; with a change test_made_up_rulesets.py tries
# its choices.
EACH = [
    pytest.param(
        one, marks=[pytest.mark.nightly] * one.startswith(("NUMBA", "OPENBLAS_CORETYPE=Z"))
    )
    for one in settings()
]
HERE = {"plain": cache(kernels.plain), "compiled": cache(kernels.compiled)}


@pytest.mark.parametrize("setting", EACH)
def test_choices_are_those_of_this_processor(setting: str, all_tables: None) -> None:
    name, value = setting.split("=")
    sample = "compiled" if name.startswith("NUMBA") else "plain"
    done = subprocess.run(
        [sys.executable, "-m", kernels.__name__, sample],
        env=os.environ | {name: value},
        capture_output=True,
        text=True,
        check=True,
    )
    here, there = HERE[sample](), Sample(*json.loads(done.stdout))
    assert there.choices == here.choices
    for name, values in here.values.items():
        np.testing.assert_allclose(there.values[name], values, rtol=1e-12, atol=1e-12)
