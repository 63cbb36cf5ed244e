"""Backward induction over the card: state numbering, rules as arrays, kernels, the sweep."""
