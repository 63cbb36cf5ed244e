"""Memory that a step gives back is there for the next one."""

import subprocess
import sys

import pytest

FAULTS = """
import resource, sys
import numpy as np
from solver.learning.loop import keep_freed_memory

if sys.argv[1] == "kept" and not keep_freed_memory():
    sys.exit(3)
for step in range(60):
    if step == 10:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    arrays = [np.ones(150_000, dtype=np.float32) for _ in range(20)]
    del arrays
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def pages_got_anew(how: str) -> int:
    found = subprocess.run([sys.executable, "-c", FAULTS, how], stdout=subprocess.PIPE, text=True)
    if found.returncode == 3:
        pytest.skip("this C library keeps what it likes")
    return int(found.stdout)


def test_pages_that_were_freed_are_not_got_from_the_system_again() -> None:
    assert pages_got_anew("kept") < pages_got_anew("usual") / 10
