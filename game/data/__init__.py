"""Files that commands made once: pools to drill, peers, simulated games, questions."""

from pathlib import Path

FOLDER = Path(__file__).resolve().parent
