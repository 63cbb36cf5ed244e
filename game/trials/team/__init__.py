"""A trial's team: the owners of a trial give roles to staff users, and take them away."""
