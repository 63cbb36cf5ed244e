"""Policy gradients in numpy: REINFORCE, A2C and PPO on whole games or single turns.

config       the settings of a run
games        batches of games by the current policy, and the gradients of its choices
update       advantages, the loss and its gradient, and the optimiser Adam
training     a run and its folder (``learning.loop`` has the loop)
ablations    small runs that differ in one setting, and the report of their results
"""
