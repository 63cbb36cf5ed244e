"""Limits of a bot: time, memory, output and files; and whether it sees the machine."""

from dataclasses import dataclass
from typing import Any

MEGABYTE = 1 << 20
PROCESSOR = 60  # seconds to one of the first answer and the bank


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds and bytes. The defaults leave a slow language on a slow machine in peace."""

    first: float = 20.0  # from the start to the first answer
    answer: float = 10.0  # each answer after it, to a batch as to a single question
    bank: float = 600.0  # all answers of a match together
    increment: float = 0.01  # ... and as much more for every question
    goodbye: float = 2.0  # from the end of its input to its own end
    memory: int = 2048 * MEGABYTE  # of the program and all that it starts
    processes: int = 16  # itself among them
    line: int = 4096  # an answer
    line_each: int = 256  # ... and as much more for every question of a batch
    errors: int = 16 * MEGABYTE  # all that it writes to standard error
    batch: int = 256  # questions in a line at most
    file: int = 256 * MEGABYTE  # any file that it writes
    room: int = 64 * MEGABYTE  # in a sandbox: each folder that it may write in
    sandbox: bool = False

    def answer_bytes(self, questions: int) -> int:
        return self.line + self.line_each * (questions - 1)

    @property
    def processor(self) -> int:
        """Seconds of one process on all processors together: what thinks on when nobody asks it,
        or has been forgotten, ends too."""
        return int(PROCESSOR * (self.first + self.bank)) + 1

    @property
    def facts(self) -> dict[str, Any]:
        return {
            "first_seconds": self.first,
            "answer_seconds": self.answer,
            "bank_seconds": self.bank,
            "increment_seconds": self.increment,
            "memory_bytes": self.memory,
            "processes": self.processes,
            "line_bytes": self.line,
            "line_bytes_each": self.line_each,
            "questions": self.batch,
            "file_bytes": self.file,
            "sandbox": self.sandbox,
        }


USUAL = Limits()
FENCED = Limits(sandbox=True)
