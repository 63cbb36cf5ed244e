"""Learners: SARSA on a simplified game, and environments for other learners.

Nothing else may import a learning framework. Importing this package registers the environments
where Gymnasium is installed (``pip install -e '.[learn]'``); all the rest works without it.
"""

from importlib.util import find_spec

if find_spec("gymnasium"):
    from solver.learning.environments import register_all

    register_all()
