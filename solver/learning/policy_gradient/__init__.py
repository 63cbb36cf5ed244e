"""Policy gradients: REINFORCE, A2C and PPO on whole games or single turns, in numpy alone.

config     every choice of a run
games      a batch of games by the policy as it is, ends of games from random cards among them
heads      how a head chooses, and the way back through the network (``players.network`` forwards)
update     advantages, the loss and its gradient, Adam and its schedule
training   a run and its folder; the loop is that of ``learning.loop``
ablations  many small runs that differ in one choice, and the report of what they came to
"""
