"""Backward induction over the card: the numbers of states, rules as arrays, kernels, the sweep."""
