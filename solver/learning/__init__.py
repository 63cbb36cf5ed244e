"""Learners: SARSA on a simplified game, and environments for learners outside this program.

No other package may import a learning framework. Importing this package registers the environments
with Gymnasium, if Gymnasium is installed (``pip install -e '.[learn]'``). Everything else works
without Gymnasium.
"""

from importlib.util import find_spec

if find_spec("gymnasium"):
    from solver.learning.environments import register_all

    register_all()
