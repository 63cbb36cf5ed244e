"""Exact distributions of final scores, unfair dice, and V in whole numbers."""

LIMB = 46  # the number of bits that are used of an int64; see ``limb_kernels``
