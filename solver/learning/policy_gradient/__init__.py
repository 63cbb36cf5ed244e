"""Policy gradients: REINFORCE, A2C and PPO on whole games or single turns, in numpy alone.

config     every choice of a run
games      a batch of games by the policy as it is
starts     ends of games from random cards among them
choices    how a head chooses, and its slopes
backward   the way back through the network (forwards it is ``players.network``)
update     advantages, the loss and its gradient
optimiser  Adam, its schedule, first parameters
training   a run, its folder, going on where it was left
ablations  many small runs that differ in one choice, and what they tell
"""
