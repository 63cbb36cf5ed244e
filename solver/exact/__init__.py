"""Exact distributions of final scores, unfair dice, and exact values in whole numbers."""

LIMB = 46  # number of bits that are used in an int64; see ``limb_kernels``
