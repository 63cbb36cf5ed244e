"""Learners of others, as they come, on the environments of ``solver.learning``: what the benchmark
(docs/benchmark.md) holds our own against.

    pip install -e '.[baselines]'        # torch and sb3-contrib; nothing else here needs them
    python -m solver.learning.baselines.ppo --actions faces --games 20000 --seed 1 --out run
    python -m solver.learning.baselines.dqn --actions slots --games 20000 --seed 1 --out run

``run`` then holds ``policy.npz``, which numpy alone plays (``single_head``), with its curve.
"""
