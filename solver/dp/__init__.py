"""Backward induction over the card: positions, rules as arrays, compiled kernels, and the sweep."""
