"""A local program that reads a line and answers with a line. This module enforces its limits."""

import os
import secrets
import select
import shlex
import shutil
import signal
import subprocess
import sys
import weakref
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import IO, Any

from solver.advice.wire import BadInput
from solver.arena.programs import family, sandbox

MEGABYTE = 1 << 20
PROCESSOR = 60  # processor seconds that are allowed per second of ``first`` and ``bank``
LAUNCHER = Path(__file__).with_name("launch.py")
LOOK = 0.25  # seconds between two measurements of a program's memory
CHUNK = 1 << 16
LAST_WORDS = 4096
UNSHOWN = "\N{REPLACEMENT CHARACTER}"
QUOTED = 160  # number of characters of an answer that an error message quotes
SIGNALLED = 128  # a sandbox exits with 128 + the signal that ended the program
LONGEST = 300  # number of characters shown from a player class's message


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits in seconds and bytes. The defaults suit a slow language on a slow machine."""

    first: float = 20.0  # seconds from the start to the first answer
    answer: float = 10.0  # seconds for each later answer, to one question or to a batch
    bank: float = 600.0  # seconds for all answers of a match together
    increment: float = 0.01  # seconds added to the bank per question
    goodbye: float = 2.0  # seconds from the end of the program's input until the program must end
    memory: int = 2048 * MEGABYTE  # bytes of the program and its children
    processes: int = 16  # processes at the same time, including the program
    line: int = 4096  # bytes of an answer
    line_each: int = 256  # bytes added to ``line`` for each further question of a batch
    errors: int = 16 * MEGABYTE  # bytes that the program may write to standard error
    batch: int = 256  # questions per line, at most
    file: int = 256 * MEGABYTE  # bytes of each file that the program writes
    room: int = 64 * MEGABYTE  # bytes per writable folder in a sandbox
    sandbox: bool = False

    @property
    def processor(self) -> int:
        """The limit of processor seconds for each process. It also ends a process that was left
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


class Fault(Exception):
    """The error for a program that broke a rule or ended. The message gives the reason."""


class Process:
    def __init__(self, command: str, limits: Limits, shown: Sequence[str] = ()) -> None:
        """Start the program. If it runs in a sandbox, it can read the folders in ``shown``."""
        words = split(command)
        if limits.sandbox:
            words = sandbox.wrap_in_sandbox(words, limits.room, shown)
        self.limits = limits
        self._bank = limits.bank
        self._written = 0  # bytes written to standard error
        self._errors = bytearray()
        self._mark = secrets.token_hex(16)
        self._looked = monotonic()
        family.adopt_orphans()
        walls = map(str, (limits.memory, limits.processor, family.find_task_limit(), limits.file))
        self._program = subprocess.Popen(  # noqa: S603 - the user typed these words
            [sys.executable, "-I", "-S", str(LAUNCHER), *walls, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env={
                **(sandbox.make_environment() if limits.sandbox else os.environ),
                family.MARK: self._mark,
            },
            start_new_session=True,
        )
        self._in, self._out, self._err = (pipe.fileno() for pipe in self._pipes)
        for pipe in self._pipes:
            os.set_blocking(pipe.fileno(), False)
        # If this object is deleted, all processes of the program end.
        self._end = weakref.finalize(self, family.kill_program, self._program, self._mark)

    def ask_first(self, line: bytes) -> bytes:
        """Send a line and return the first answer, due within ``limits.first`` seconds."""
        return self._request_answer(line, self.limits.line, self.limits.first)

    def ask(self, line: bytes, questions: int = 1) -> bytes:
        self._bank += self.limits.increment * questions
        began, seconds = monotonic(), min(self.limits.answer, self._bank)
        try:
            return self._request_answer(
                line, self.limits.line + self.limits.line_each * (questions - 1), seconds
            )
        finally:
            self._bank -= monotonic() - began

    def tell(self, line: bytes) -> None:
        """Send a line that needs no answer. Ignore the error if the program reads no more."""
        with suppress(OSError):
            os.write(self._in, line + b"\n")

    def _request_answer(self, line: bytes, most: int, seconds: float) -> bytes:
        if self._looked + LOOK < monotonic():
            self._look()
        if select.select((self._out,), (), (), 0)[0]:
            raise Fault(f"wrote without being asked: {quote_text(self._read(CHUNK))}")
        until = monotonic() + seconds
        left, answer = self._send(memoryview(line + b"\n")), bytearray()
        while b"\n" not in answer:
            ready = self._wait_for_pipes(until, seconds, writing=bool(left))
            if self._err in ready:
                self._read_errors()
            if self._in in ready:
                left = self._send(left)
            if self._out in ready:
                answer += self._read(most)
            if len(answer) > most:
                raise Fault(f"answered with more than {most:,} bytes: {quote_text(bytes(answer))}")
        first, _, more = bytes(answer).partition(b"\n")
        if more:
            raise Fault(f"answered one question with more than one line: {quote_text(answer)}")
        return first

    def _wait_for_pipes(self, until: float, seconds: float, *, writing: bool) -> set[int]:
        """Wait until pipes are ready, and return them. Meanwhile check the program's memory."""
        while True:
            left = until - monotonic()
            if left <= 0:
                raise Fault(
                    f"used up its {self.limits.bank:g} seconds for the match and all increments"
                    if seconds < self.limits.answer and seconds == self._bank
                    else f"gave no answer within {seconds:g} seconds "
                    "(is standard output flushed after every line?)"
                )
            readable = [self._out, self._err] if self._err >= 0 else [self._out]
            ready = select.select(readable, [self._in] * writing, (), min(left, LOOK))
            if self._looked + LOOK < monotonic():
                self._look()
            if any(ready):
                return {*ready[0], *ready[1]}
            if self._program.poll() is not None:
                raise Fault(self._explain_end())

    def _send(self, line: memoryview) -> memoryview:
        try:
            return line[os.write(self._in, line) :] if line else line
        except BlockingIOError:
            return line
        except BrokenPipeError:
            return line[:0]  # the program has ended; its remaining output shows why

    def _read(self, most: int) -> bytes:
        chunk = os.read(self._out, min(most + 1, CHUNK))
        if not chunk:
            raise Fault(self._explain_end())
        return chunk

    def _read_errors(self) -> None:
        """Read standard error and keep the last part. Raise Fault if the program wrote too much."""
        try:
            chunk = os.read(self._err, CHUNK)
        except BlockingIOError:
            return
        if not chunk:
            self._err = -1
        self._written += len(chunk)
        self._errors = (self._errors + chunk)[-LAST_WORDS:]
        if self._written > self.limits.errors:
            most = self.limits.errors // MEGABYTE
            raise Fault(f"wrote more than {most:,} MB to standard error")

    def _look(self) -> None:
        processes = family.find_processes(self._mark, besides=self._program.pid)
        if len(processes) > self.limits.processes:
            most = self.limits.processes
            raise Fault(f"ran {len(processes)} processes at once: {most} are allowed")
        if family.measure_memory(processes) > self.limits.memory:
            raise Fault(f"used more than {self.limits.memory // MEGABYTE:,} MB of memory")
        self._looked = monotonic()

    def _explain_end(self) -> str:
        try:
            status = self._program.wait(self.limits.goodbye)
        except subprocess.TimeoutExpired:
            return "closed its standard output"
        if self.limits.sandbox and status > SIGNALLED:
            status = SIGNALLED - status
        if status == -signal.SIGXFSZ:
            return f"wrote a file of more than {self.limits.file // MEGABYTE:,} MB"
        if status == -signal.SIGXCPU:
            return f"used more than {self.limits.processor:,} seconds of the processor"
        if status < 0:
            return f"was ended by {signal.Signals(-status).name}"
        return f"ended with exit status {status} instead of answering"

    @property
    def last_words(self) -> str:
        """The last part of the program's standard error, in a form that is safe to display."""
        while self._err >= 0 and select.select((self._err,), (), (), 0)[0]:
            try:
                self._read_errors()
            except Fault:
                break  # another check reports that the program wrote too much
        return decode_safely(bytes(self._errors))

    def close(self) -> int | None:
        """Close the program's input and wait. Return the exit status, or None after a kill."""
        self._pipes[0].close()
        try:
            status = self._program.wait(self.limits.goodbye if self._end.alive else None)
        except subprocess.TimeoutExpired:
            status = None
        self.kill()
        return status

    def kill(self) -> None:
        self._end()
        self._errors = bytearray(self.last_words.encode()[-LAST_WORDS:])
        self._err = -1
        for pipe in self._pipes:
            pipe.close()

    @property
    def _pipes(self) -> list[IO[bytes]]:
        program = self._program
        return [pipe for pipe in (program.stdin, program.stdout, program.stderr) if pipe]


def split(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise BadInput(f"the command {command!r} cannot be read: {error}") from None
    if not words:
        raise BadInput("there is no program in an empty command")
    if shutil.which(words[0]) is None:
        raise BadInput(f"there is no program {words[0]!r} to start")
    return words


def decode_safely(text: bytes) -> str:
    """Decode text, and replace characters that control a terminal."""
    words = text.decode(errors="replace")
    return "".join(c if c.isprintable() or c in "\n\t" else UNSHOWN for c in words)


def format_line(words: object) -> str:
    """Return a player class's message as one line of at most ``LONGEST`` characters."""
    text = " ".join(decode_safely(str(words).encode(errors="replace")).split())
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def quote_text(text: bytes | bytearray) -> str:
    readable = decode_safely(bytes(text[:QUOTED])).rstrip("\n")
    return f"{readable!r}{'…' if len(text) > QUOTED else ''}"
