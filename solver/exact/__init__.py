"""Exact distributions of final scores, unfair dice, and V in whole numbers."""

LIMB = 46  # number of used bits in an int64; see ``limb_kernels``
