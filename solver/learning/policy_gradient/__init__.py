"""Policy gradients in numpy: REINFORCE, A2C and PPO on whole games or single turns.

config     the settings of a run games a batch of games by the current policy; some games start from
random cards heads      the choices of each head, and backpropagation (``players.network`` is the
forward pass) update     advantages, the loss and its gradient, Adam and its schedule training a run
and its folder; ``learning.loop`` has the loop ablations  many small runs that differ in one choice,
and the report of their results
"""
