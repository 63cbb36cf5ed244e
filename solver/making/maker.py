"""Makes what is missing, piece after piece, never twice at once.

A process takes the lock of its ruleset, or leaves: somebody is at it. Every piece is made under
one more lock that all rulesets share, so that a machine works on one piece at a time, and a
ruleset that is wanted later waits for a piece of another, not for all of them. What is made stays,
so whoever comes after an interruption goes on where it happened.
"""

from time import sleep

from solver.dp.sweep import Progress
from solver.making.parts import PARTS, Piece, pieces
from solver.making.progress import Notes, lock_path, machine_lock, only_one
from solver.rules import Ruleset

AFTER_YOU = 0.05  # seconds in which another ruleset's process can take the machine's lock


class Busy(Exception):
    """Another process makes the parts of this ruleset."""


class Failed(Exception):
    """A part could not be made; the message says which, and why."""


def prepare(
    rules: Ruleset, parts: tuple[str, ...] = PARTS, progress: Progress | None = None
) -> list[Piece]:
    """Makes what is missing of these parts, and says what that was.

    ``progress`` hears of each part by itself, beside the notes for other processes.
    """
    with only_one(lock_path(rules), wait=False) as mine:
        if not mine:
            raise Busy(f"another process is making the parts of {rules.id}")
        notes = Notes(rules)
        made = _made(rules, parts, notes, progress)
        notes.end()
        return made


def _made(
    rules: Ruleset, parts: tuple[str, ...], notes: Notes, progress: Progress | None
) -> list[Piece]:
    made = []
    try:
        for part in parts:
            of_part = list(pieces(rules, (part,)))
            for at, piece in enumerate(of_part):
                if not piece.there():
                    notes.begin(part)
                    _make(piece, notes, _report(notes, progress, at, len(of_part)))
                    made.append(piece)
    except (KeyboardInterrupt, SystemExit):
        notes.end()  # whoever stops it may start it again at once
        raise
    except Exception as error:  # nobody watches this process: whatever it is has to be noted
        reason = f"{notes.part} of {rules.id} could not be made: {_words(error)}"
        notes.fail(reason)
        raise Failed(reason) from error
    return made


def _make(piece: Piece, notes: Notes, report: Progress) -> None:
    with only_one(machine_lock(), wait=True):
        notes.go()
        piece.make(report)
    sleep(AFTER_YOU)


def _report(notes: Notes, progress: Progress | None, at: int, number: int) -> Progress:
    """The progress of one piece as that of its part."""

    def report(done: int, total: int) -> None:
        share = (at + done / total) / number
        notes.done(share)
        if progress:
            progress(round(1000 * share), 1000)

    return report


def _words(error: BaseException) -> str:
    return str(error) or type(error).__name__
