"""A file that holds nothing learned, or something else, is refused by everybody who reads it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solver.learning.policy_gradient.training import TrainingRun
from solver.learning.sarsa import Learner, Settings
from solver.learning.simplified import CATEGORIES, Simplified
from solver.learning.turn_starts import TdLearner
from solver.players import estimates, files, network

READERS: dict[str, Callable[[Path], Any]] = {
    "sarsa": Learner.load,
    "turn starts": TdLearner.load,
    "values": estimates.read,
    "policy": network.read,
    "policy gradient": TrainingRun.load,
}


@pytest.mark.parametrize("read", READERS.values(), ids=list(READERS))
@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("none", "there is no file|cannot be read"),
        ("nonsense", "nothing learned|damaged"),
        ("another", "holds another"),
        ("damaged", "nothing learned|damaged|holds"),
    ],
)
def test_a_file_of_something_else_is_refused(
    read: Callable[[Path], Any], content: str, reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "file.npz"
    match content:
        case "nonsense":
            path.write_bytes(b"PK nothing")
        case "another":
            files.save(path, "another", {}, q=np.zeros(3))
        case "damaged":
            Learner(Simplified(CATEGORIES[:1])).save(path, Settings())
            whole = bytearray(path.read_bytes())
            whole[len(whole) // 2] ^= 0xFF
            path.write_bytes(whole)
    with pytest.raises(files.BadLearned, match=reason):
        read(path)
