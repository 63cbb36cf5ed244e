"""The limits of a bot: time, memory, output and files, and whether it runs in a sandbox."""

from dataclasses import dataclass
from typing import Any

MEGABYTE = 1 << 20
PROCESSOR = 60  # processor seconds per second of ``first`` and ``bank``


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits in seconds and bytes. The defaults suit a slow language on a slow machine."""

    first: float = 20.0  # seconds from the start to the first answer
    answer: float = 10.0  # seconds for each later answer, to a batch or to a single question
    bank: float = 600.0  # seconds for all answers of a match together
    increment: float = 0.01  # seconds added to the bank per question
    goodbye: float = 2.0  # seconds from the end of the program's input to its exit
    memory: int = 2048 * MEGABYTE  # bytes of the program and its children
    processes: int = 16  # processes at once, including the program itself
    line: int = 4096  # bytes of an answer
    line_each: int = 256  # bytes added to ``line`` for each further question of a batch
    errors: int = 16 * MEGABYTE  # bytes that the program may write to standard error
    batch: int = 256  # questions per line, at most
    file: int = 256 * MEGABYTE  # bytes of each file that the program writes
    room: int = 64 * MEGABYTE  # bytes per writable folder in a sandbox
    sandbox: bool = False

    def find_answer_limit(self, questions: int) -> int:
        return self.line + self.line_each * (questions - 1)

    @property
    def processor(self) -> int:
        """Processor seconds for each process; this limit also ends a process that was left
        running."""
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
